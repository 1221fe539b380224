// A button that is pressed twice: the browser drops the response to the first press, and shows the second.
import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Page } from 'playwright-core'
import { sharedWindows, testsIn, type } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import { create, startServer, visit, type Created, type TestServer, details } from './support/server.ts'

const end = endOfFile()
let server: TestServer
const inBrowser = testsIn(sharedWindows(end, () => server.url))
before(async () => {
  server = await startServer(end)
})

const TARGET = 'https://example.com/menu'

/** Sends the form of a button, and then presses the button. */
async function pressTwice(page: Page, button: string): Promise<number> {
  // An input may be named "action".
  const [path, fields] = await page.evaluate<[string, [string, string][]]>(
    `{
      const button = document.querySelector(${JSON.stringify(button)})
      ;[button.form.getAttribute('action'), [...new FormData(button.form, button)]]
    }`,
  )
  const options = { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' } as const
  const first = await fetch(new URL(path, server.url), options)
  const answered = page.waitForResponse(
    (response) => response.request().isNavigationRequest() && response.status() !== 303,
  )
  const loaded = page.waitForEvent('load')
  await page.locator(button).first().click()
  const [second] = await Promise.all([answered, loaded])
  // A form that was done leads to a page.
  if (first.status !== 303) assert.equal(first.status, second.status())
  return second.status()
}

const key = ({ token }: Created) => `${server.url}/m/${token}`
const secret = (page: Page) => page.locator('#secret').inputValue()
const unfold = (page: Page, card: string) => page.locator(`#settings-${card} > summary`).press('Enter')
interface Owned {
  target: string
  rules: unknown[]
  active: boolean
  shares: unknown[]
}

inBrowser('a form of the page of an owner that is sent twice does once what it says', async (page) => {
  const link = await create(server, { target: TARGET })
  await page.goto(key(link))
  await type(page, { address: 'https://example.com/lunch' })
  assert.equal(await pressTwice(page, '#lead button'), 200)
  assert.equal((await details<Owned>(server, link)).target, 'https://example.com/lunch')

  for (const at of [1, 2]) {
    await page.goto(`${key(link)}?rule=new#rule-editor`)
    await page.locator('.rule-editor [name=target]').fill(`https://example.com/${at}`)
    assert.equal(await pressTwice(page, '.rule-editor button'), 200)
  }
  assert.equal(await pressTwice(page, '#rule-1 [value=rule-remove]'), 200)
  const { rules } = await details<Owned>(server, link)
  assert.deepEqual(rules, [{ when: {}, then: { target: 'https://example.com/2' } }])

  await unfold(page, 'pause')
  assert.equal(await pressTwice(page, '#settings-pause button'), 200)
  assert.equal((await details<Owned>(server, link)).active, false)
  assert.equal(await pressTwice(page, '#settings-pause button'), 200)
  assert.equal(await pressTwice(page, '#settings-pause button'), 200)
  assert.equal((await details<Owned>(server, link)).active, false, 'the form of a later page is another one')

  await unfold(page, 'names')
  await page.locator('#setting-title').fill('Menu')
  assert.equal(await pressTwice(page, '#settings-names button'), 200)
  await unfold(page, 'shares')
  assert.equal(await pressTwice(page, '#settings-shares button'), 200)
  const share = await secret(page)
  assert.equal((await fetch(share)).status, 200)
  assert.equal((await details<Owned>(server, link, '/shares')).shares.length, 1)

  await page.goto(key(link))
  await unfold(page, 'key')
  await page.getByLabel('I will save the new address').press('Space')
  assert.equal(await pressTwice(page, '#settings-key button'), 200)
  await page.goto(await secret(page))
  await page.getByLabel('Yes, delete this link').press('Space')
  assert.equal(await pressTwice(page, '#delete button'), 410)
  assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), 'Deleted')
  assert.equal((await visit(link.short_url)).status, 410)
})

for (const scripts of [false, true]) {
  inBrowser(
    `a double click on the button of a webhook shows its secret, ${scripts ? 'with' : 'without'} scripts`,
    async (page) => {
      const link = await create(server, { target: TARGET })
      await page.goto(key(link))
      await unfold(page, 'webhook')
      await page.getByLabel('Address of the program').fill('https://example.com/hook')
      await page.getByRole('button', { name: 'Set webhook' }).dblclick()
      await page.locator('#secret').waitFor()
      const first = await secret(page)
      assert.equal((await page.reload())?.status(), 200)
      assert.equal(await secret(page), first, 'a reload soon after is answered alike')
    },
    { scripts },
  )
}

inBrowser('a registration of a domain that is sent twice shows its key', async (page) => {
  await page.goto(`${server.url}/domains`)
  await type(page, { name: 'qr.example.com' })
  assert.equal(await pressTwice(page, 'main form button'), 201)
  await page.getByRole('heading', { name: /key/i }).waitFor()
})
