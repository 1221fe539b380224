// The collections that a browser keeps, and the one that it makes of its links.
import assert from 'node:assert/strict'
import { before } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults, sharedWindows, testsIn } from './support/browser.ts'
import { command } from './support/cli.ts'
import { endOfFile } from './support/cleanup.ts'
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
import { create, post, startServer, type TestServer } from './support/server.ts'

const end = endOfFile()
let server: TestServer
const openWindow = sharedWindows(end, () => server.url)
const inBrowser = testsIn(openWindow)
before(async () => {
  // Not the real time: at midnight, a visitor would count twice.
  server = await startServer(end, {}, () => Date.UTC(2026, 10, 22, 12))
})

const scripts = { scripts: true }
const EXAMPLE = 'https://example.com/'

const exported = (links: unknown[], service = server.url) => exportedBy(links, service)
const openWith = (page: Page, links: unknown[]) => openKeeping(page, server.url, links)
const collections = (page: Page) => page.locator('#my-links .kept-collections li')
const every = (page: Page) => page.locator('.kept-every')

/** Makes a collection of the kept links. */
async function keepEverywhere(page: Page, name: string): Promise<void> {
  await every(page).locator('summary').press('Enter')
  await page.getByLabel('Name of the collection').fill(name)
  await button(page, 'Create the collection').click()
}

inBrowser(
  'all kept links become a collection by one button, which the browser keeps beside them and shows with its number of links',
  async (page) => {
    const [menu, poster] = await Promise.all([1, 2].map(() => create(server, { target: EXAMPLE })))
    assert.ok(menu && poster)
    await openWith(page, [entry(menu, 'Menu'), entry(poster, 'Poster')])
    await keepEverywhere(page, 'Café')
    await page.waitForURL(/\/c\/collection_/)
    const address = new URL(page.url()).pathname
    await says(page.locator('.keep [role=status]'), 'Kept on this device')
    assert.equal(await page.locator('h1').textContent(), 'Café')
    assert.equal(await page.locator('.collection-name').count(), 2)
    const urls: string[] = []
    const note = (request: { url: () => string }) => urls.push(request.url())
    await page.goto(`${server.url}/#my-links`)
    page.on('request', note)
    await page.reload()
    assert.equal(await rows(page).count(), 2, 'the links stay kept')
    await says(collections(page), '2 links')
    assert.deepEqual(
      urls.filter((url) => url.includes('collection_')),
      [],
      'a key is in no address that is requested',
    )
    page.off('request', note)
    assert.match(await page.locator('.kept-here').innerText(), /: 2 links, 1 collection$/)
    assert.deepEqual(await accessibilityFaults(page), [])
    assert.equal(await page.getByRole('link', { name: 'Open the page of Café' }).getAttribute('href'), address)
    await page.evaluate('localStorage.clear()')
  },
  scripts,
)

inBrowser(
  'links that no longer exist are named, and the collection has the others',
  async (page) => {
    const [menu, gone] = await Promise.all([1, 2].map(() => create(server, { target: EXAMPLE })))
    assert.ok(menu && gone)
    await fetch(`${server.url}/api/manage/${gone.token}`, { method: 'DELETE' })
    await openWith(page, [entry(menu, 'Menu'), entry(gone, 'Gone')])
    await keepEverywhere(page, '')
    await says(every(page), '1 link is not in the collection')
    assert.match((await every(page).getByRole('status').textContent()) ?? '', /: Gone\./)
    await page.getByRole('link', { name: 'Open the collection' }).press('Enter')
    await page.waitForURL(/\/c\/collection_/)
    assert.equal(await page.locator('.collection-name').count(), 1)
    await page.evaluate('localStorage.clear()')
  },
  scripts,
)

inBrowser('a limit keeps no key from the person: another press goes on where it ended', async (_page, t) => {
  const limited = await startServer(t, { LIMIT_CHANGES: '20' })
  const page = await openWindow(t, { scripts: true, origin: limited.url })
  const links = await Promise.all(Array.from({ length: 40 }, () => create(limited, { target: EXAMPLE })))
  await page.goto(limited.url)
  const file = exported(links.map((link) => entry(link, 'Menu')))
  await page.evaluate(`localStorage.setItem('quirl.links', ${JSON.stringify(file)})`)
  await page.goto(`${limited.url}/?kind=url#my-links`)
  await keepEverywhere(page, 'Café')
  await says(every(page), '20 of 40 links are in the collection, and nothing is lost')
  const kept = await page.evaluate<string>("localStorage.getItem('quirl.collections')")
  const [collection] = (JSON.parse(kept) as { collections: { token: string }[] }).collections
  assert.ok(collection)
  const joined: number[] = []
  await page.route('**/api/collections/links', async (route) => {
    const { tokens } = route.request().postDataJSON() as { tokens: string[] }
    joined.push(tokens.length)
    await route.fulfill({ json: { added: tokens.length, failed: 0, results: tokens.map(() => ({ added: true })) } })
  })
  await button(page, 'Create the collection').click()
  await page.waitForURL(`${limited.url}/c/${collection.token}`)
  assert.deepEqual(joined, [20], 'in the same collection')
})

inBrowser(
  'where creation needs an access code, the collection does, and where it is closed there is none',
  async (_page, t) => {
    const { url, dataDir } = await startServer(t, { CREATE: 'token' })
    const code = (await command(dataDir, 'keys', 'add', 'shop')).stdout.trim()
    const page = await openWindow(t, { scripts: true, origin: url })
    await page.goto(url)
    const kept = exported([{ token: 'x'.repeat(43), code: 'x', title: 'X', created_at: '2026-11-22T12:00:00.000Z' }])
    await page.evaluate(`localStorage.setItem('quirl.links', ${JSON.stringify(kept)})`)
    await page.reload()
    await every(page).locator('summary').press('Enter')
    const field = every(page).getByLabel('Access code of this service')
    await field.fill('wrong')
    await button(page, 'Create the collection').click()
    await says(every(page), 'This is not an access code of this service.')
    await field.fill(code)
    assert.deepEqual(await accessibilityFaults(page), [])
    await button(page, 'Create the collection').click()
    await says(every(page), '1 link is not in the collection')
    await page.goto('about:blank')

    const closed = await startServer(t, { CREATE: 'closed' })
    assert.doesNotMatch(await (await fetch(closed.url)).text(), /kept-every/)
  },
)

inBrowser(
  'collections are exported, forgotten, restored and imported with the links; one that ended says so',
  async (page) => {
    const menu = await create(server, { target: EXAMPLE })
    const opened = await post(`${server.url}/api/collections`, { name: 'Café' })
    const { token } = (await opened.json()) as { token: string }
    const collection = { token, name: 'Café', created_at: '2026-11-22T12:00:00.000Z' }
    const file = JSON.stringify({
      ...(JSON.parse(exported([entry(menu, 'Menu')])) as object),
      collections: [collection],
    })
    await page.goto(`${server.url}/#my-links`)
    await upload(page, file)
    await says(message(page), 'Imported: 1 link, 1 collection.')
    assert.deepEqual(JSON.parse((await saved(page, 'Export')).text), JSON.parse(file))
    await button(page, 'Forget Café').press('Enter')
    await says(message(page), 'The collection “Café” was forgotten')
    assert.equal(await collections(page).count(), 0)
    await page.keyboard.press('Enter')
    await says(message(page), 'Restored.')
    await button(page, 'Forget all').press('Enter')
    await says(message(page), 'All links and collections were forgotten')
    assert.equal(await page.evaluate('localStorage.length'), 0)
    await page.keyboard.press('Enter')
    await says(message(page), 'Restored.')
    await upload(page, file)
    await says(message(page), 'All links and collections of this file are kept already.')
    const invalid = { ...collection, token: menu.token }
    await upload(page, file.replace(JSON.stringify(collection), JSON.stringify(invalid)))
    await says(message(page), 'Collection 1 of the file is invalid: “token” must be “collection_”')
    await fetch(`${server.url}/api/collections/${token}`, { method: 'DELETE' })
    await page.goto(`${server.url}/?kind=url#my-links`)
    await says(collections(page), 'No longer exists')
    await page.getByLabel('Search my links').fill('caf')
    assert.equal(await collections(page).count(), 1)
    await says(rows(page), 'No link matches.')
    await page.getByLabel('Search my links').fill('menu')
    await says(collections(page), 'No collection matches.')
    await page.getByLabel('Search my links').fill('')
    await button(page, 'Forget Menu').press('Enter')
    assert.equal(await every(page).isVisible(), false, 'without links there is nothing to put into one')
    assert.equal(await collections(page).count(), 1)
    await page.evaluate('localStorage.clear()')
  },
  scripts,
)
