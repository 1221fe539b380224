// How the owner of a new link finds its page again: kept on this device, sent, copied, or warned before it is left.
import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults, follow, press, sharedWindows, testsIn, type } from './support/browser.ts'
import { command } from './support/cli.ts'
import { endOfFile } from './support/cleanup.ts'
import { create, startServer, type TestServer } from './support/server.ts'

const end = endOfFile()
let server: TestServer
const openWindow = sharedWindows(end, () => server.url)
const inBrowser = testsIn(openWindow)
before(async () => {
  server = await startServer(end, { LIMIT_LINKS: '0' })
})

const scripts = { scripts: true }
const TARGET = 'https://example.com/menu'
const DROP = 'Shared device? Do not keep it'

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
const status = (page: Page, text: string) => page.locator('.keep [role=status]', { hasText: text }).waitFor()
const kept = (page: Page) => page.evaluate<string | null>("localStorage.getItem('quirl.links')")
const address = (page: Page) => page.locator('.keep-address a').textContent()

/** Creates a link by hand; returns the address of its page. */
async function createByHand(page: Page, more: Record<string, string> = {}): Promise<string> {
  await page.goto(server.url)
  await type(page, { target: TARGET, ...more })
  assert.equal(await press(page, 'Create'), 200)
  return (await address(page)) ?? ''
}

/** Leaves the page by a link, as a person does; returns whether the browser asked before. */
async function asksWhenLeft(page: Page): Promise<boolean> {
  let asked = false
  const note = (dialog: { type: () => string }) => (asked ||= dialog.type() === 'beforeunload')
  page.on('dialog', note)
  await Promise.all([
    page.waitForURL(`${server.url}/`),
    page.getByRole('link', { name: 'Create another link' }).click(),
  ])
  page.off('dialog', note)
  return asked
}

inBrowser(
  'a link that was created by hand is kept on this device: closing the tab loses nothing, and nothing asks',
  async (page) => {
    const own = await createByHand(page, { title: 'Menu' })
    await status(page, 'Kept on this device')
    assert.deepEqual(await accessibilityFaults(page), [])
    assert.equal(await asksWhenLeft(page), false)
    const row = page.getByRole('link', { name: 'Open the page of Menu' })
    assert.equal(await row.getAttribute('href'), new URL(own).pathname)
    await page.evaluate('localStorage.clear()')
  },
  scripts,
)

inBrowser(
  'once a form was refused, the page of a new link to which another site leads the tab is kept only by hand',
  async (page) => {
    await page.goto(server.url)
    await type(page, { target: 'no address' })
    assert.equal(await press(page, 'Create'), 400)
    const { token } = await create(server, { target: TARGET })
    await page.goto(`${server.url}/m/${token}?created`)
    await button(page, 'Keep on this device').waitFor()
    assert.equal(await kept(page), null)
    await page.locator('.keep-address a').waitFor()
  },
  scripts,
)

inBrowser(
  'a link without a title is named by host and path of its destination, a contact by its name',
  async (page) => {
    const named = [
      { body: { target: 'https://www.example.com/k%C3%A4se?table=4' }, name: 'example.com/käse' },
      { body: { kind: 'vcard', firstName: 'Ada', phone: '+49301234' }, name: 'Ada' },
      { body: { target: TARGET, title: 'Menu' }, name: 'Menu' },
    ]
    for (const { body, name } of named) {
      const { token } = await create(server, body)
      await page.goto(`${server.url}/m/${token}`)
      assert.equal(await page.getByRole('heading', { level: 1 }).textContent(), name)
      await page.locator('#keep > summary').click()
      await button(page, 'Keep on this device').press('Enter')
      await status(page, 'Kept on this device')
    }
    await page.goto(server.url)
    for (const { name } of named) await page.getByRole('link', { name: `Open the page of ${name}` }).waitFor()
    await page.evaluate('localStorage.clear()')
  },
  scripts,
)

inBrowser(
  'on a device that others use, one press removes it at once; leaving then asks until the address is copied',
  async (page) => {
    const own = await createByHand(page)
    await button(page, DROP).press('Enter')
    await status(page, 'No longer kept on this device')
    assert.equal(await kept(page), null)
    assert.equal(await asksWhenLeft(page), true)

    const next = await createByHand(page)
    assert.notEqual(next, own)
    await button(page, DROP).press('Enter')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await button(page, 'Copy the private address').press('Enter')
    await page.locator('[aria-live=polite].unseen', { hasText: 'Copied' }).first().waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), next)
    assert.equal(await asksWhenLeft(page), false)
  },
  scripts,
)

inBrowser(
  'the page of the link, too, has how to keep it; the way there asks while nothing keeps the private address',
  async (page) => {
    await createByHand(page)
    await button(page, DROP).press('Enter')
    let dialogs = 0
    const count = () => (dialogs += 1)
    page.on('dialog', count)
    await follow(page, page.getByRole('link', { name: 'Change, design and follow this link' }))
    assert.equal(dialogs, 1)
    await page.locator('#settings-names > summary').click()
    await page.locator('#settings-names [name=title]').fill('Menu')
    await Promise.all([page.waitForEvent('load'), page.locator('#settings-names [name=title]').press('Enter')])
    assert.equal(dialogs, 1)
    page.off('dialog', count)
    await page.locator('#keep > summary').click()
    await status(page, 'Not kept on this device.')
    await button(page, 'Keep on this device').press('Enter')
    await status(page, 'Kept on this device')
    assert.match((await kept(page)) ?? '', /"title":"Menu"/)
    await page.evaluate('localStorage.clear()')
  },
  scripts,
)

inBrowser(
  'an address that only says that a link is new is not kept: another site may have led here',
  async (page) => {
    const { token } = await create(server, { target: TARGET })
    await page.goto(`${server.url}/m/${token}?created`)
    await status(page, 'Not kept on this device.')
    assert.equal(await kept(page), null)
    assert.equal(await asksWhenLeft(page), true)
  },
  scripts,
)

inBrowser(
  'a browser whose storage is full says that it does not keep the link',
  async (page) => {
    await page.goto(server.url)
    await page.evaluate(`for (let size = 5 * 2 ** 20; size >= 1; size = Math.floor(size / 2)) {
      try { for (let at = 0; ; at += 1) localStorage.setItem(size + '-' + at, 'x'.repeat(size)) } catch {}
    }`)
    await createByHand(page)
    await status(page, 'This browser does not keep it.')
    assert.equal(await asksWhenLeft(page), true)
    await page.evaluate('localStorage.clear()')
  },
  scripts,
)

inBrowser('a browser that forbids storage says so, too', async (_page, t) => {
  const page = await openWindow(t, { scripts: true, origin: server.url })
  await page.addInitScript(`for (const name of ['localStorage', 'sessionStorage'])
    Object.defineProperty(window, name, { get() { throw new DOMException('denied', 'SecurityError') } })`)
  await createByHand(page)
  await status(page, 'This browser does not keep it.')
  assert.equal(await asksWhenLeft(page), true)
})

inBrowser('without scripts there is the address, an e-mail to oneself, and the hint of a bookmark', async (page) => {
  const own = await createByHand(page, { title: 'Käse & Brot' })
  assert.match((await page.locator('.keep noscript').textContent()) ?? '', /Save the address above as a bookmark/)
  const send = page.getByRole('link', { name: 'Send it to myself' })
  const mail = new URL((await send.getAttribute('href')) ?? '')
  assert.equal(mail.protocol, 'mailto:')
  assert.equal(mail.searchParams.get('subject'), 'Your link “Käse & Brot”')
  const shortUrl = await page.locator('.result a').getAttribute('href')
  assert.equal(
    mail.searchParams.get('body'),
    `Short link: ${shortUrl}\r\nPrivate address of its page (only for you): ${own}\r\n`,
  )
})

inBrowser('where the device can share, the address is sent by what the person chooses there', async (_page, t) => {
  const page = await openWindow(t, { scripts: true, origin: server.url })
  await page.addInitScript(`window.answers = []
    navigator.share = (content) => {
      window.shared = content
      return answers.shift() === 'closed' ? Promise.reject(new DOMException('', 'AbortError')) : Promise.resolve()
    }`)
  const send = () => page.getByRole('link', { name: 'Send it to myself' }).click()
  await createByHand(page)
  await button(page, DROP).press('Enter')
  await page.evaluate("answers.push('closed')")
  await send()
  assert.equal(await asksWhenLeft(page), true)

  const own = await createByHand(page, { title: 'Menu' })
  await button(page, DROP).press('Enter')
  await send()
  const shared = await page.evaluate<{ title: string; text: string }>('window.shared')
  assert.equal(shared.title, 'Your link “Menu”')
  assert.ok(shared.text.endsWith(`: ${own}\n`), shared.text)
  assert.equal(await asksWhenLeft(page), false)
})

inBrowser(
  'axe finds no fault in how a page is kept, in both languages, and nothing overflows at 320 pixels',
  async (page) => {
    await page.setViewportSize({ width: 320, height: 740 })
    const { token } = await create(server, { target: TARGET })
    for (const language of ['de', 'en']) {
      await page.setExtraHTTPHeaders({ 'accept-language': language })
      for (const query of ['?created', '']) {
        await page.goto(`${server.url}/m/${token}${query}`)
        await page.evaluate('for (const folded of document.querySelectorAll("details")) folded.open = true')
        await page.locator('.keep-here').waitFor()
        assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= 320, language)
        assert.deepEqual(await accessibilityFaults(page), [])
      }
    }
    await page.setExtraHTTPHeaders({})
    await page.setViewportSize({ width: 1280, height: 720 })
  },
  scripts,
)

inBrowser('a private instance asks for its access code, and a browser remembers it when asked to', async (_page, t) => {
  const { url, dataDir } = await startServer(t, { CREATE: 'token' })
  const code = (await command(dataDir, 'keys', 'add', 'shop')).stdout.trim()
  const page = await openWindow(t, { scripts: true, origin: url })
  await page.goto(url)
  const lead = (await page.locator('.home-lead').textContent()) ?? ''
  assert.match(lead, /you need the access code of this service/)
  assert.doesNotMatch(await page.content(), /No account/)
  const field = page.getByLabel('Access code of this service').first()
  const box = page.getByLabel('Remember the access code on this device')
  assert.equal(await box.isChecked(), false)
  await field.fill(code)
  await box.press('Space')
  assert.deepEqual(await accessibilityFaults(page), [])
  for (const path of ['/', '/bulk', '/domains']) {
    await page.goto(url + path)
    await box.and(page.locator(':checked')).waitFor()
    assert.equal(await field.inputValue(), code, path)
  }
  await box.press('Space')
  assert.equal(await page.evaluate('localStorage.length'), 0)
  await page.goto(url)
  await box.waitFor()
  assert.equal(await field.inputValue(), '')
})
