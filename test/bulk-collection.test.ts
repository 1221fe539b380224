// The page that creates many links keeps them together in a collection.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults, sharedWindows, testsIn } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import type { CreatedCollection } from './support/collections.ts'
import { poll } from './support/poll.ts'
import { create, post, startServer, type TestServer } from './support/server.ts'

const end = endOfFile()
const inBrowser = testsIn(sharedWindows(end, () => server.url))
let server: TestServer
before(async () => {
  server = await startServer(end)
})

const CSV = 'Download links and private addresses (CSV)'

async function savedText(page: Page, button: string): Promise<string> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: button }).click(),
  ])
  return readFile(await download.path(), 'utf8')
}

const collectionsOf = async ({ services }: TestServer) =>
  (await services.db.read.selectFrom('collections').select('id').execute()).length
const linksIn = async (address: string) => {
  const { links } = (await (await fetch(address.replace('/c/', '/api/collections/'))).json()) as { links: number }
  return links
}

/** Opens the page with typed rows, checked. @param before called before they are */
async function openChecked(page: Page, rows: string[], before = async () => {}): Promise<void> {
  await page.goto(`${server.url}/bulk`)
  await page.locator('textarea').fill(rows.join('\n'))
  await page.locator('.bulk-actions [type=submit]').click()
  await before()
  await page.getByRole('button', { name: 'Check the rows' }).click()
  await page.getByText(rows.length === 1 ? 'One row is ready.' : `All ${rows.length} rows are ready.`).waitFor()
}

const urls = (n: number) => Array.from({ length: n }, (_, at) => `https://example.com/${at}`)

inBrowser(
  'a list becomes a collection, whose one address is saved in place of those of its links, and kept once it is opened',
  async (page) => {
    const before = await collectionsOf(server)
    await openChecked(page, urls(3), async () => assert.deepEqual(await accessibilityFaults(page), []))
    await page.getByLabel('Name of the collection').fill('Tables')
    await page.getByRole('button', { name: 'Create 3 links' }).click()
    await page.getByRole('heading', { name: 'Keep this one address' }).waitFor()
    assert.deepEqual(await accessibilityFaults(page), [])
    const address = (await page.locator('.keep-address a').textContent()) ?? ''
    assert.deepEqual([await linksIn(address), await collectionsOf(server)], [3, before + 1])
    const table = await savedText(page, CSV)
    assert.equal(table.match(/\/m\/[\w-]{43},/g)?.length, 3, 'the table has the address of each link')
    assert.ok((await savedText(page, 'Save as .txt file')).includes(address))
    await page.getByRole('link', { name: 'Open the collection' }).click()
    await page.locator('.keep [role=status]', { hasText: 'Kept on this device' }).waitFor()
    assert.equal(await page.locator('h1').textContent(), 'Tables')

    await openChecked(page, urls(1))
    await page.getByLabel('Collection', { exact: true }).selectOption('Tables')
    await page.getByRole('button', { name: 'Create one link' }).click()
    await page.getByRole('heading', { name: 'One link is ready' }).waitFor()
    assert.deepEqual([await linksIn(address), await collectionsOf(server)], [4, before + 1], 'it joins the kept one')
    await page.evaluate('localStorage.clear(); sessionStorage.clear()')
  },
  { scripts: true },
)

inBrowser(
  'a list of one link, and one of which nothing is created, leave no collection behind',
  async (page) => {
    const before = await collectionsOf(server)
    await openChecked(page, urls(1))
    assert.equal(await page.getByLabel('Keep them together in a collection').count(), 0)
    await page.getByRole('button', { name: 'Create one link' }).click()
    await page.getByRole('heading', { name: 'Save the private addresses now' }).waitFor()
    assert.equal(await collectionsOf(server), before)
    await savedText(page, CSV)
    await page.getByRole('button', { name: 'Start over' }).click()

    await page.goto('about:blank')
    await page.goto(`${server.url}/bulk`)
    await page
      .locator('textarea')
      .fill(['target,alias', ...urls(2).map((url, at) => `${url},meanwhile-${at}`)].join('\n'))
    await page.locator('.bulk-actions [type=submit]').click()
    await page.getByRole('button', { name: 'Check the rows' }).click()
    await page.getByText('All 2 rows are ready.').waitFor()
    for (const at of [0, 1]) await create(server, { target: 'https://example.com/', alias: `meanwhile-${at}` })
    await page.getByRole('button', { name: 'Create 2 links' }).click()
    await page.getByText('2 rows need a correction.').waitFor()
    await poll(async () => (await collectionsOf(server)) === before)
    await page.evaluate('sessionStorage.clear()')
  },
  { scripts: true },
)

inBrowser(
  'a collection that has no room says so, and the links are created without it',
  async (page) => {
    const opened = await post(`${server.url}/api/collections`, { name: 'Full' })
    const { token, name, created_at } = (await opened.json()) as CreatedCollection
    const kept = { format: 'quirl-links', version: 1, links: [], collections: [{ token, name, created_at }] }
    await page.goto(`${server.url}/bulk`)
    await page.evaluate(`localStorage.setItem('quirl.collections', ${JSON.stringify(JSON.stringify(kept))})`)
    await page.route('**/api/bulk', (route) =>
      route.request().headers()['quirl-collection'] === token
        ? route.fulfill({
            status: 409,
            json: { code: 'collection_full', detail: 'a collection has at most 10000 links' },
          })
        : route.continue(),
    )
    await openChecked(page, urls(2))
    await page.getByLabel('Collection', { exact: true }).selectOption('Full')
    await page.getByRole('button', { name: 'Create 2 links' }).click()
    await page.getByText('The collection has no room for these links: it holds at most 10,000.').waitFor()
    await page.getByRole('button', { name: 'Discard' }).click()
    await page.getByLabel('Put them into the collection “Full”').uncheck()
    await page.getByRole('button', { name: 'Create 2 links' }).click()
    await page.getByRole('heading', { name: '2 links are ready' }).waitFor()
    await page.unroute('**/api/bulk')
    assert.equal(await linksIn(`${server.url}/c/${token}`), 0)
    await page.evaluate('localStorage.clear(); sessionStorage.clear()')
  },
  { scripts: true },
)

const sendList = (form: Record<string, string>, { url }: TestServer = server) =>
  fetch(`${url}/bulk`, { method: 'POST', body: new URLSearchParams({ action: 'create', ...form }) })
const addressIn = async (response: Response) =>
  /class="keep-address"><a href="(\/c\/collection_[\w-]{43})"/.exec(await response.text())?.[1]

test('a list that is sent twice has one collection; another list joins it by its address', async () => {
  const form = {
    together: 'yes',
    collection_name: 'Once',
    list: urls(3).join('\n'),
    idempotency_key: 'sent-twice-in-a-row',
  }
  const before = await collectionsOf(server)
  const address = await addressIn(await sendList(form))
  assert.equal(await addressIn(await sendList(form)), address)
  assert.deepEqual([await linksIn(`${server.url}${address}`), await collectionsOf(server)], [3, before + 1])
  const mended = { ...form, list: 'https://example.com/mended', collection: address?.slice('/c/'.length) ?? '' }
  assert.equal(await addressIn(await sendList(mended)), address)
  assert.equal(await linksIn(`${server.url}${address}`), 4)
})

test('a list without the box, of one link, or of which no link is created has no collection', async () => {
  const before = await collectionsOf(server)
  await create(server, { target: 'https://example.com/', alias: 'already-there' })
  const lists: [form: Record<string, string>, status: number][] = [
    [{ list: urls(2).join('\n') }, 200],
    [{ together: 'yes', list: urls(1).join('\n') }, 200],
    [{ together: 'yes', list: 'https://example.com/1\nhttp://127.0.0.1/' }, 200],
    [
      {
        together: 'yes',
        list: 'target,alias\nhttps://example.com/1,already-there\nhttps://example.com/2,already-there',
      },
      400,
    ],
    [{ together: 'yes', list: urls(2).join('\n'), action: 'check' }, 200],
    [{ together: 'yes', list: urls(2).join('\n'), collection_name: 'x'.repeat(101) }, 400],
    [{ together: 'yes', list: urls(2).join('\n'), collection: `collection_${'x'.repeat(43)}` }, 404],
  ]
  for (const [form, status] of lists) assert.equal((await sendList(form)).status, status, JSON.stringify(form))
  assert.equal(await collectionsOf(server), before)
})

test('the collection of a list is charged as one link, and given back when there is none', async (t) => {
  const limited = await startServer(t, { LIMIT_LINKS: '1' })
  const together = (list: string[]) => sendList({ together: 'yes', list: list.join('\n') }, limited)
  assert.equal((await together(urls(1))).status, 200)
  await create(limited, { target: 'https://example.com/', alias: 'taken' }).then((link) =>
    fetch(`${limited.url}/api/manage/${link.token}`, { method: 'DELETE' }),
  )
  assert.equal((await together(urls(2))).status, 429, 'the one link of this hour was created')
  assert.equal(await collectionsOf(limited), 0)
})
