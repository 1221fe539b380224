// What follows a creation, and the links that a browser keeps.
import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults, press, sharedWindows, testsIn, type, untilTrue } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import { poll } from './support/poll.ts'
import {
  button,
  entry,
  exported as exportedBy,
  message,
  openWith as openKeeping,
  rows,
  saved,
  says,
  upload,
} from './support/my-links.ts'
import { create, startServer, visit, type Created, type TestServer } from './support/server.ts'

const end = endOfFile()
let server: TestServer
const inBrowser = testsIn(sharedWindows(end, () => server.url))
before(async () => {
  // Not the real time: at midnight, a visitor would count twice.
  server = await startServer(end, {}, () => Date.UTC(2026, 10, 22, 12))
})

const scripts = { scripts: true }
const EXAMPLE = 'https://example.com/'
const PHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Version/18.1 Mobile/15E148 Safari/604.1'

const key = ({ token }: Created) => `${server.url}/m/${token}`
const exported = (links: unknown[], service = server.url) => exportedBy(links, service)
const openWith = (page: Page, links: unknown[]) => openKeeping(page, server.url, links)

inBrowser(
  'without scripts a creation shows link, code and private address, and offers nothing that needs a script',
  async (page) => {
    await page.goto(server.url)
    assert.equal(await page.locator('#my-links').isVisible(), false)
    await type(page, { target: EXAMPLE })
    assert.equal(await press(page, 'Create'), 200)
    const panel = page.getByRole('region', { name: 'Your link is ready' })
    const address = page.url().replace('?created', '')
    assert.notEqual(address, page.url())
    assert.equal(
      await panel.getByRole('link', { name: address, exact: true }).getAttribute('href'),
      new URL(address).pathname,
    )
    assert.match((await panel.textContent()) ?? '', /Only the private address of this page leads back here/)
    const files = panel.getByRole('list', { name: 'Download' }).getByRole('link')
    assert.deepEqual(await files.allInnerTexts(), ['To print (A4)', 'For WhatsApp and Instagram', 'For a print shop'])
    assert.equal(await panel.getByRole('button').count(), 0)
    assert.equal(await page.locator('.keep-here').isVisible(), false)
    await page.goto(address)
    assert.equal(await panel.count(), 0)
  },
)

inBrowser(
  'a creation by keyboard: the address is clean, link and key are copied and saved, and kept until the owner takes it back',
  async (page) => {
    await page.goto(server.url)
    await type(page, { target: EXAMPLE })
    await Promise.all([
      page.waitForURL(/\/m\//),
      page.getByRole('button', { name: 'Create', exact: true }).press('Enter'),
    ])
    await page.waitForURL((url) => url.search === '')
    const address = page.url()
    const panel = page.getByRole('region', { name: 'Your link is ready' })
    const shortUrl = (await panel.locator('.result').textContent()) ?? ''
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const copied = async (name: string) => {
      await panel.getByRole('button', { name, exact: true }).press('Enter')
      await says(page.locator('[aria-live=polite].unseen'), 'Copied')
      return () => page.evaluate<string>('navigator.clipboard.readText()')
    }
    const shortLink = await copied('Copy the short link')
    assert.equal(await shortLink(), shortUrl.trim())
    // The page still says that the short link is copied.
    const key = await copied('Copy the private address')
    await poll(async () => (await key()) === address)
    const file = await saved(page, 'Save as .txt file')
    assert.match(file.name, /^private address of .+\.txt$/)
    assert.ok(file.text.includes(address) && file.text.includes(shortUrl.trim()), file.text)

    const status = page.locator('.keep [role=status]')
    await says(status, 'Kept on this device')
    assert.equal(await page.evaluate('localStorage.length'), 1)
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.reload()
    assert.equal(await panel.count(), 0)
    await page.locator('#keep > summary', { hasText: 'kept on this device' }).waitFor()
    await page.goto(server.url)
    assert.match((await rows(page).textContent()) ?? '', new RegExp(shortUrl.trim()))
    assert.equal(
      await page.getByRole('link', { name: /^Open the page of/ }).getAttribute('href'),
      new URL(address).pathname,
    )
    await page.goto(address)
    await page.locator('#keep > summary').press('Enter')
    await page.getByRole('button', { name: 'Shared device? Do not keep it' }).press('Enter')
    await says(status, 'No longer kept')
    assert.equal(await page.evaluate('localStorage.length'), 0)
  },
  scripts,
)

inBrowser(
  'who has kept links finds them from the form of the start page, and nobody else sees more than before',
  async (page) => {
    const links = await Promise.all(['', '?b'].map((query) => create(server, { target: `${EXAMPLE}${query}` })))
    const here = page.locator('.kept-here')
    await page.goto(server.url)
    await page.locator('#my-links').waitFor()
    assert.equal(await here.isVisible(), false)
    await openWith(
      page,
      links.map((link) => entry(link, link.code)),
    )
    assert.equal((await here.innerText()).trim(), 'My links on this device: 2')
    await here.getByRole('link').click()
    await untilTrue(page, "document.querySelector('#my-links').getBoundingClientRect().top < innerHeight / 2")
    await page.getByRole('button', { name: 'Forget all' }).click()
    await untilTrue(page, "document.querySelector('.kept-here').hidden")
    await page.goto('about:blank')
  },
  scripts,
)

inBrowser(
  'text is copied where the browser has no clipboard, as on plain HTTP',
  async (page) => {
    const link = await create(server, { target: EXAMPLE })
    await page.goto(`${key(link)}?created`)
    await page.evaluate(`Object.defineProperty(navigator, 'clipboard', { configurable: true, value: undefined })
    document.addEventListener('copy', () => (window.copiedText = document.activeElement.value))
    window.labels = []
    for (const button of document.querySelectorAll('button'))
      new MutationObserver(() => labels.push(button.textContent)).observe(button, { childList: true })`)
    await page.getByRole('button', { name: 'Copy the short link' }).press('Enter')
    // The button says so for two seconds.
    await untilTrue(page, 'labels.includes("Copied")')
    assert.equal(await page.evaluate('copiedText'), link.short_url)
    await page.goto('about:blank')
  },
  scripts,
)

inBrowser(
  'a kept link that was deleted a moment ago says so, and its row leads to the page that brings it back',
  async (page) => {
    const link = await create(server, { target: EXAMPLE })
    await fetch(`${server.url}/api/manage/${link.token}?undo=true`, { method: 'DELETE' })
    await openWith(page, [entry(link, 'Menu')])
    await says(rows(page), 'Deleted')
    await page.getByRole('link', { name: 'Bring Menu back' }).click()
    await page.getByRole('button', { name: 'Bring it back' }).click()
    await says(page.getByRole('status'), 'The link is back')
    await openWith(page, [entry(link, 'Menu')])
    await says(rows(page), '0 visits')
  },
  scripts,
)

inBrowser(
  'the kept links show their statistics and the sum, and which of them no longer exist',
  async (page) => {
    // A random code might contain what is searched for.
    const [menu, poster, gone] = await Promise.all(
      ['1', '2', '3'].map((alias) => create(server, { target: EXAMPLE, alias })),
    )
    assert.ok(menu && poster && gone)
    for (const link of [menu, menu, poster]) await visit(link.short_url, { 'user-agent': PHONE })
    // A bot.
    await visit(menu.short_url, { 'user-agent': 'curl/8.0' })
    await fetch(`${server.url}/api/manage/${gone.token}`, { method: 'DELETE' })
    const urls: string[] = []
    page.on('request', (request) => urls.push(request.url()))
    await openWith(page, [entry(menu, 'Menu'), entry(poster, '<img src=x onerror=alert(1)>'), entry(gone, 'Gone')])
    await says(page.locator('.kept-sum'), '3 links · 3 visits, 2 unique visitors in the last 30 days, without bots')
    const rowOf = (name: string) => rows(page).filter({ hasText: name })
    const said = (await rowOf('Menu').textContent()) ?? ''
    assert.match(said, /2 visits, 1 unique visitor/)
    assert.doesNotMatch(said, /in the last 30 days, without bots/, 'the sum says that once')
    assert.equal(await rowOf('Menu').locator('rect').count(), 30)
    assert.match((await rowOf('<img src=x').textContent()) ?? '', /1 visit,/)
    assert.match((await rowOf('Gone').textContent()) ?? '', /No longer exists, or has a new private address/)
    assert.deepEqual(
      urls.filter((url) => url.includes(menu.token)),
      [],
      'a key is in no address that is requested',
    )
    assert.deepEqual(await accessibilityFaults(page), [])

    await page.getByLabel('Search my links').fill('men')
    assert.equal(await rows(page).count(), 1)
    await page.getByLabel('Search my links').fill('nothing')
    assert.match((await rows(page).textContent()) ?? '', /No link matches/)
  },
  scripts,
)

inBrowser(
  'a link that is kept gets its new key at once, and one that is not kept stays out',
  async (page) => {
    const [menu, other] = await Promise.all([1, 2].map(() => create(server, { target: EXAMPLE })))
    assert.ok(menu && other)
    const renew = async (link: Created) => {
      await page.goto(key(link))
      await page.locator('#settings-key > summary').press('Enter')
      await page.getByLabel('I will save the new address').press('Space')
      assert.equal(await press(page, 'Get a new private address'), 200)
      return page.locator('#secret').inputValue()
    }
    await openWith(page, [entry(menu, 'Old title')])
    await renew(other)
    const address = await renew(menu)
    await page.goto(server.url)
    assert.equal(await rows(page).count(), 1)
    const link = page.getByRole('link', { name: /^Open the page of/ })
    assert.equal(await link.getAttribute('href'), new URL(address).pathname)
    await page.evaluate('localStorage.clear()')
  },
  scripts,
)

inBrowser(
  'links are exported, forgotten, restored and imported by keyboard',
  async (page) => {
    const [menu, poster] = await Promise.all([1, 2].map(() => create(server, { target: EXAMPLE })))
    assert.ok(menu && poster)
    const links = [entry(menu, 'Menu'), entry(poster, 'Poster')]
    await openWith(page, links)
    const file = await saved(page, 'Export')
    assert.deepEqual(JSON.parse(file.text), JSON.parse(exported(links)))

    await button(page, 'Forget Menu').press('Enter')
    await says(message(page), '“Menu” was forgotten')
    assert.equal(await rows(page).count(), 1)
    // The focus is on the button.
    await page.keyboard.press('Enter')
    await says(message(page), 'Restored.')
    assert.equal(await rows(page).count(), 2)

    await button(page, 'Forget all').press('Enter')
    await says(message(page), '2 links were forgotten')
    assert.equal(await page.evaluate('localStorage.length'), 0)
    assert.equal(await button(page, 'Export').isVisible(), false)
    assert.deepEqual(await accessibilityFaults(page), [])

    const chooser = page.waitForEvent('filechooser')
    await button(page, 'Import a file').press('Enter')
    const files = [{ name: file.name, mimeType: 'application/json', buffer: Buffer.from(file.text) }]
    await (await chooser).setFiles(files)
    await says(message(page), '2 links were imported.')
    assert.equal(await rows(page).count(), 2)
    await upload(page, file.text)
    await says(message(page), 'All links of this file are kept already.')
    await says(page.locator('.kept-sum'), '2 links · 0 visits')
  },
  scripts,
)

inBrowser(
  'a file that is no export of this service changes nothing, and runs nothing',
  async (page) => {
    const link = await create(server, { target: EXAMPLE })
    await openWith(page, [entry(link, 'Menu')])
    const other = { ...entry(link, 'Other'), token: 'x'.repeat(43) }
    const refused: [string, string][] = [
      ['<script>alert(1)</script>', 'it is not JSON'],
      ['{"format":"else"}', 'not an export of links'],
      [
        exported([entry(link, 'Menu'), { ...other, code: '"><script>alert(1)</script>' }]),
        'Link 2 of the file is invalid: “code” must have 1 to 64 letters',
      ],
      [' '.repeat(2_000_001), 'larger than 2 MB'],
      [exported(Array.from({ length: 2_001 }, () => other)), 'At most 2,000 links'],
    ]
    for (const [text, fault] of refused) {
      await upload(page, text)
      await says(message(page), fault)
      assert.equal(await rows(page).count(), 1, fault)
    }
    assert.deepEqual(await accessibilityFaults(page), [])

    let requests = 0
    page.on('request', (request) => (requests += Number(request.url().endsWith('/api/stats'))))
    await upload(page, exported([other], 'https://elsewhere.example'))
    await says(message(page), 'This file was exported at https://elsewhere.example.')
    await button(page, 'Cancel').press('Enter')
    assert.equal(await rows(page).count(), 1)
    assert.equal(requests, 0, 'the keys of another service were not sent')
    await upload(page, exported([other], 'https://elsewhere.example'))
    await button(page, 'Import').press('Enter')
    await says(message(page), '1 link was imported.')
    await says(rows(page), 'No longer exists')
    await page.evaluate('localStorage.clear()')
  },
  scripts,
)
