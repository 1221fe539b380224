// The start page: a new link joins a collection that this browser keeps.
import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults, press, sharedWindows, testsIn, type } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import type { CreatedCollection } from './support/collections.ts'
import { post, startServer, type TestServer } from './support/server.ts'

const end = endOfFile()
let server: TestServer
const inBrowser = testsIn(sharedWindows(end, () => server.url))
before(async () => {
  server = await startServer(end, { LIMIT_LINKS: '0' })
})

const scripts = { scripts: true }
const TARGET = 'https://example.com/menu'
const field = (page: Page) => page.getByLabel('Add to')

async function openCollection(name: string): Promise<CreatedCollection> {
  return (await (await post(`${server.url}/api/collections`, { name })).json()) as CreatedCollection
}

/** Has the browser keep collections, and opens the start page. */
async function openKeeping(page: Page, collections: CreatedCollection[]): Promise<void> {
  const kept = collections.map(({ token, name, created_at }) => ({ token, name, created_at }))
  const stored = JSON.stringify({ format: 'quirl-links', version: 1, links: [], collections: kept })
  await page.goto(server.url)
  await page.evaluate(`localStorage.setItem('quirl.collections', ${JSON.stringify(stored)})`)
  await page.goto(server.url)
}

const linksIn = async ({ token }: CreatedCollection) =>
  ((await (await fetch(`${server.url}/api/collections/${token}`)).json()) as { links: number }).links

inBrowser(
  'a link joins the collection that is chosen, which is proposed for the next one until another or none is',
  async (page) => {
    const [cafe, bar] = [await openCollection('Café'), await openCollection('Bar')]
    await openKeeping(page, [cafe, bar])
    assert.equal(await field(page).inputValue(), '', 'none is chosen by default')
    await field(page).selectOption('Café')
    assert.deepEqual(await accessibilityFaults(page), [])
    await type(page, { target: TARGET })
    assert.equal(await press(page, 'Create'), 200)
    assert.match(page.url(), new RegExp(`/c/${cafe.token}/\\w+$`))
    await page.getByRole('heading', { name: 'Your link is ready' }).waitFor()
    assert.deepEqual([await linksIn(cafe), await linksIn(bar)], [1, 0])
    assert.equal(await page.evaluate("sessionStorage.getItem('quirl-creating')"), null)

    await page.goto(server.url)
    assert.equal(await field(page).inputValue(), cafe.token)
    await field(page).selectOption('no collection')
    await type(page, { target: TARGET })
    assert.equal(await press(page, 'Create'), 200)
    assert.match(page.url(), /\/m\/[\w-]{43}$/)
    assert.equal(await linksIn(cafe), 1)
    await page.goto(server.url)
    assert.equal(await field(page).inputValue(), '')
    await page.getByRole('button', { name: 'Forget all' }).press('Enter')
    await field(page).waitFor({ state: 'hidden' })
    await page.evaluate('localStorage.clear()')
  },
  scripts,
)

inBrowser(
  'a collection that was ended is a fault at the field, and what was typed stays',
  async (page) => {
    const [gone, bar] = [await openCollection('Gone'), await openCollection('Bar')]
    await openKeeping(page, [gone, bar])
    await field(page).selectOption('Gone')
    await fetch(`${server.url}/api/collections/${gone.token}`, { method: 'DELETE' })
    await type(page, { target: TARGET })
    assert.equal(await press(page, 'Create'), 404)
    assert.equal(await field(page).inputValue(), gone.token)
    assert.match((await page.locator('#field-collection-fault').textContent()) ?? '', /no longer exists/)
    assert.equal(await field(page).evaluate((select) => select === select.ownerDocument.activeElement), true)
    assert.deepEqual(await accessibilityFaults(page), [])
    assert.equal(await page.locator('[name=target]').inputValue(), TARGET)
    await field(page).selectOption('Bar')
    assert.equal(await press(page, 'Create'), 200)
    assert.equal(await linksIn(bar), 1)
    await page.evaluate('localStorage.clear()')
  },
  scripts,
)

inBrowser(
  'who keeps no collection sees no field for one',
  async (page) => {
    await page.goto(server.url)
    await page.locator('#my-links').waitFor()
    assert.equal(await field(page).isVisible(), false)
  },
  scripts,
)

inBrowser('without scripts there is no field for a collection', async (page) => {
  await page.goto(server.url)
  assert.equal(await field(page).isVisible(), false)
  await type(page, { target: TARGET })
  assert.equal(await press(page, 'Create'), 200)
  assert.match(page.url(), /\/m\//)
})

test('the same form sent twice creates one link, and one for another collection creates another', async () => {
  const [cafe, bar] = [await openCollection('Café'), await openCollection('Bar')]
  const send = async (collection: string) => {
    const body = new URLSearchParams({
      kind: 'url',
      target: TARGET,
      idempotency_key: 'sent-twice-in-a-row',
      collection,
    })
    return (await fetch(`${server.url}/`, { method: 'POST', body, redirect: 'manual' })).headers.get('location')
  }
  assert.equal(await send(cafe.token), await send(cafe.token))
  assert.match((await send(bar.token)) ?? '', new RegExp(`^/c/${bar.token}/`))
  assert.match((await send('')) ?? '', /^\/m\//)
  assert.deepEqual([await linksIn(cafe), await linksIn(bar)], [1, 1])
})
