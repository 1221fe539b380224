// Forms that a page of another site makes a visitor's browser send.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { launchChromium } from './support/browser.ts'
import { endOfFile, undoLater } from './support/cleanup.ts'
import { requireProgram } from './support/programs.ts'
import { ask } from './support/http.ts'
import { create, startServer, type TestServer } from './support/server.ts'

const TARGET = 'https://www.example.com/menu'

const end = endOfFile()
let server: TestServer
before(async () => (server = await startServer(end, { LIMIT_LINKS: '5' })))

const isFree = async (alias: string) =>
  ((await (await fetch(`${server.url}/api/links/${alias}/available`)).json()) as { available: boolean }).available

test('each form is refused when another site has sent it, before anything is charged', async () => {
  const { token } = await create(server, { target: TARGET })
  const send = (path: string, site: string, body: string) =>
    ask(`${server.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': site, accept: 'text/html' },
      body,
    })
  for (const path of ['/', `/m/${token}`, '/bulk', '/domains', '/report']) {
    for (let times = 0; times < 10; times++) {
      const { status, body } = await send(path, 'cross-site', `target=${TARGET}`)
      assert.equal(status, 403, path)
      assert.match(body, /Another website has sent this form/)
    }
  }
  for (const site of ['same-origin', 'same-site', 'none']) {
    assert.notEqual((await send('/', site, `target=${TARGET}`)).status, 403, site)
  }
})

test('a page of another site cannot make a visitor of it create a link', async (t) => {
  if (!requireProgram(t, 'chromium-headless-shell', 'chromium-headless-shell')) return
  const browser = await launchChromium()
  undoLater(t, () => browser.close())
  const page = await browser.newPage()
  const form = (action: string) =>
    `<form method="post" action="${action}"><input name="target" value="${TARGET}"><input name="alias" value="planted"><button>Win</button></form>`
  await page.goto(`data:text/html,${encodeURIComponent(form(`${server.url}/`))}`)
  const [response] = await Promise.all([page.waitForResponse(`${server.url}/`), page.click('button')])
  assert.equal(response.status(), 403)
  await page.getByRole('heading', { name: 'Another website has sent this form' }).waitFor()
  assert.ok(await isFree('planted'))
})
