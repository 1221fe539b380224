// A script of a page fails: it cannot be loaded, throws, or rejects a promise. The page says so, whichever script it is.
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { before, test, type TestContext } from 'node:test'
import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core'
import { shellTexts } from '../src/texts/shell.ts'
import { accessibilityFaults, launchChromium } from './support/browser.ts'
import { endOfFile, undoLater } from './support/cleanup.ts'
import { PATIENCE_MS } from './support/poll.ts'
import { requireProgram } from './support/programs.ts'
import { create, post, startServer, type TestServer } from './support/server.ts'

const end = endOfFile()
let server: TestServer
/** A page that loads each island. */
let pages: Record<string, string>
before(async () => {
  server = await startServer(end, { BASE_URL: 'https://go.bakery.shop' })
  const { token } = await create(server, { target: 'https://example.com/menu' })
  await post(`${server.url}/api/domains`, { domain: 'qr.example.com' })
  const owner = `/m/${token}`
  const opened = await post(`${server.url}/api/collections`, {})
  const { token: collection } = (await opened.json()) as { token: string }
  pages = {
    home: '/',
    'my-links': '/',
    'every-device': '/',
    bulk: '/bulk',
    workbook: '/bulk',
    domains: '/domains?name=qr.example.com',
    created: `${owner}?created`,
    owner,
    statistics: owner,
    settings: owner,
    collection: `/c/${collection}`,
    design: owner,
    print: `${owner}/print`,
    try: `${owner}/try`,
  }
})

let launching: Promise<Browser> | undefined

async function newPage(t: TestContext, options: BrowserContextOptions = {}): Promise<Page> {
  if (launching === undefined) {
    launching = launchChromium()
    undoLater(end, async () => (await launching)?.close())
  }
  const context = await (await launching).newContext({ viewport: { width: 360, height: 740 }, ...options })
  undoLater(t, () => context.close())
  context.setDefaultTimeout(PATIENCE_MS)
  return context.newPage()
}

const inBrowser = (name: string, run: (t: TestContext) => Promise<void>) =>
  test(name, async (t) => {
    if (requireProgram(t, 'chromium-headless-shell', 'chromium-headless-shell')) await run(t)
  })

const alert = (page: Page) => page.getByRole('alert')

/** A file for which `bulk` loads `workbook`. */
const workbook = fileURLToPath(new URL('fixtures/tables/links.xlsx', import.meta.url))

/** A kept link, with which the start page may load `every-device`. */
const keptLinks = JSON.stringify({
  format: 'quirl-links',
  version: 1,
  links: [{ token: 'x'.repeat(43), code: 'x', title: null, created_at: '2026-11-22T12:00:00.000Z' }],
})

/** Opens a page whose island of this name is answered by another; scrolls to the form that loads `design`. */
async function openWith(page: Page, name: string, answer: (route: Route) => Promise<void>): Promise<void> {
  const files = new RegExp(`/assets/${name}-[0-9a-f]{16}\\.js$`)
  await page.route(files, answer)
  await page.goto(server.url + (pages[name] ?? ''))
  await page.locator('form.design').evaluateAll((forms) => {
    forms[0]?.closest('details')?.setAttribute('open', '')
    forms[0]?.scrollIntoView()
  })
  if (name === 'every-device') {
    await page.evaluate(`localStorage.setItem('quirl.links', ${JSON.stringify(keptLinks)})`)
    await page.reload()
    await page.locator('.kept-every > summary').press('Enter')
  }
  if (name === 'workbook') await page.locator('[data-bulk] [type=file]').setInputFiles(workbook)
  await alert(page).waitFor()
  await page.unroute(files)
}

const script = (body: string) => (route: Route) => route.fulfill({ contentType: 'text/javascript', body })

const failures: Record<string, (route: Route) => Promise<void>> = {
  'cannot be loaded': (route) => route.abort(),
  'is gone': (route) => route.fulfill({ status: 404, body: '' }),
  'cannot be parsed': script('if ('),
  throws: script('throw new Error("made by the test")'),
  'throws later': script('setTimeout(() => null.x)'),
  'rejects a promise': script('Promise.reject(new Error("made by the test"))'),
}

test('each script of a page fails here', () => {
  const islands = readdirSync(new URL('../src/web/client/islands/', import.meta.url)).map((file) => file.slice(0, -3))
  assert.deepEqual(Object.keys(pages).toSorted(), islands.filter((name) => name !== 'failure').toSorted())
})

/**
 * Each script fails to load, and in one other way: what tells does not know which script it was. In `npm run test:faults` each
 * fails in each way.
 */
function failingIn(way: number): string[] {
  const names = Object.keys(pages)
  return process.env['FAULTS'] === 'all' || way === 0
    ? names
    : names.filter((_, at) => at % (Object.keys(failures).length - 1) === way - 1)
}

for (const [way, [failure, answer]] of Object.entries(failures).entries()) {
  inBrowser(`a page says so when one of its scripts ${failure}`, async (t) => {
    const page = await newPage(t)
    for (const name of failingIn(way)) await openWith(page, name, answer)
  })
}

inBrowser('a script that fails before the one that tells has arrived is told as well', async (t) => {
  const page = await newPage(t)
  const failed = Promise.withResolvers<void>()
  page.on('requestfailed', () => failed.resolve())
  await page.route(/\/assets\/failure-/, async (route) => {
    await failed.promise
    await route.continue()
  })
  await openWith(page, 'home', (route) => route.abort())
})

inBrowser('an error after a press is told, too: at the end of the window, in the language of the page', async (t) => {
  for (const [locale, { failure }] of Object.entries(shellTexts)) {
    const page = await newPage(t, { locale })
    await page.goto(`${server.url}/bulk`)
    assert.equal(await alert(page).count(), 0)
    await page.locator('textarea').fill('https://example.com/1\nhttps://example.com/2')
    await page.locator('.bulk-actions button').first().click()
    await page.locator('.bulk-screen button').first().click()
    const create = page.locator('.bulk-screen button').filter({ hasText: '2' })
    await create.waitFor()
    const fail = async () => {
      await page.evaluate(`crypto.getRandomValues = () => {
        delete crypto.getRandomValues
        throw new Error('made by the test')
      }`)
      await create.click()
    }
    await fail()
    await alert(page).filter({ hasText: failure.text }).waitFor()
    assert.match(await alert(page).innerText(), /JavaScript/)
    const box = await alert(page).boundingBox()
    assert.ok(box && box.y > 370 && box.y + box.height <= 740, JSON.stringify(box))
    await page.getByRole('button', { name: failure.close, exact: true }).click()
    await alert(page).waitFor({ state: 'hidden' })
    await fail()
    await alert(page).waitFor()
    page.once('dialog', (dialog) => dialog.accept())
    await Promise.all([
      page.waitForEvent('load'),
      page.getByRole('button', { name: failure.reload, exact: true }).click(),
    ])
    assert.equal(await alert(page).count(), 0)
  }
})

inBrowser('what an extension of the browser throws into a page is not told', async (t) => {
  const page = await newPage(t)
  await page.goto(server.url)
  await page.evaluate(`{
    const filename = 'chrome-extension://abcdefghijklmnop/inject.js'
    dispatchEvent(new ErrorEvent('error', { filename }))
    const reason = Object.assign(new Error(), { stack: 'Error\\n    at ' + filename + ':1:1' })
    dispatchEvent(new PromiseRejectionEvent('unhandledrejection', { promise: Promise.resolve(), reason }))
    const missing = Object.assign(document.createElement('img'), { src: '/assets/nothing.png' })
    document.body.append(missing)
    new Promise((resolve) => missing.addEventListener('error', resolve)).then(() => missing.remove())
  }`)
  assert.equal(await alert(page).count(), 0)
  await page.evaluate(`dispatchEvent(new ErrorEvent('error', { filename: location.origin + '/assets/home.js' }))`)
  await alert(page).waitFor()
  assert.deepEqual(await accessibilityFaults(page), [])
})
