import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import type { Page } from 'playwright-core'
import { accessibilityFaults, follow, sharedWindows, testsIn } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import type { Collection, CreatedCollection } from './support/collections.ts'
import { create, details, post, put, startServer, visit, type Created, type TestServer } from './support/server.ts'

const TARGET = 'https://example.com/menu'
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
const end = endOfFile()
let server: TestServer
const inBrowser = testsIn(sharedWindows(end, () => server.url))
before(async () => {
  server = await startServer(end, { LIMIT_LINKS: '5000', LIMIT_CHANGES: '5000', LIMIT_BULK: '500' })
})

/** Opens a collection with links of these bodies. */
async function collect(bodies: object[], name?: string): Promise<{ token: string; links: Created[] }> {
  const opened = await post(`${server.url}/api/collections`, name === undefined ? {} : { name })
  const { token } = (await opened.json()) as CreatedCollection
  const links: Created[] = []
  for (const body of bodies)
    links.push(await create(server, { target: TARGET, ...body }, { 'quirl-collection': token }))
  return { token, links }
}

const pageOf = (token: string, path = '') => `${server.url}/c/${token}${path}`
const listed = (page: Page) => page.locator('.collection-name').allTextContents()
const send = (token: string, form: ConstructorParameters<typeof URLSearchParams>[0], path = '') =>
  fetch(pageOf(token, path), { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' })
const said = (page: Page, at: string) => page.locator(at).getByRole('status').textContent()

inBrowser(
  'a person without scripts makes links in a collection, finds one, and changes it with its key alone',
  async (page) => {
    const { token } = await collect([], 'Café')
    await page.goto(pageOf(token))
    assert.equal(await page.locator('h1').textContent(), 'Café')
    assert.match((await page.locator('#keep').textContent()) ?? '', new RegExp(`/c/${token}`))
    await page.getByLabel('Where should it lead?').fill('example.com/menu')
    await page.getByLabel('Name (only for you)').fill('Menu, table 1')
    await page.locator('#create-campaign').fill('Tables')
    await page.getByRole('button', { name: 'Create', exact: true }).click()
    assert.match(page.url(), new RegExp(`/c/${token}/\\w+\\?created`))
    await page.getByRole('link', { name: '← The collection' }).click()
    assert.deepEqual(await listed(page), ['Menu, table 1'])
    await page.getByRole('link', { name: 'Menu, table 1' }).click()
    await page.getByText('Change', { exact: true }).first().click()
    await page.locator('#owner-address').fill('example.com/new')
    await page.getByRole('button', { name: 'Save' }).first().click()
    assert.match(page.url(), new RegExp(`/c/${token}/`), 'the page stays below that of the collection')
    assert.match((await page.locator('.owner-target').textContent()) ?? '', /example\.com\/new/)
    assert.equal(await page.locator('#keep').count(), 0, 'the link has no address of its own here')
  },
)

inBrowser('a list is searched, narrowed and sorted by a form without scripts, and by the address', async (page) => {
  const { token, links } = await collect([
    { title: 'Table 10', campaign: 'Tables' },
    { title: 'Table 2', campaign: 'Tables' },
    { title: 'Door' },
  ])
  await visit(links[0]?.short_url ?? '', BROWSER)
  await page.goto(pageOf(token))
  assert.deepEqual(await listed(page), ['Door', 'Table 2', 'Table 10'])
  await page.getByLabel('Search').first().fill('table')
  await page.getByLabel('Sort by').selectOption('Name')
  await page.getByRole('button', { name: 'Search' }).click()
  assert.deepEqual(await listed(page), ['Table 2', 'Table 10'])
  await page.goto(pageOf(token))
  await page.locator('.collection-search select[name=campaign]').selectOption('Without a campaign')
  await page.getByRole('button', { name: 'Search' }).click()
  assert.deepEqual(await listed(page), ['Door'])
  await page.locator('#campaigns').getByRole('link', { name: 'Tables' }).click()
  assert.deepEqual(await listed(page), ['Table 2', 'Table 10'])
  await page.goto(pageOf(token, '?sort=scans'))
  assert.equal((await listed(page))[0], 'Table 10')
  await page.goto(pageOf(token, '?q=no-such-link'))
  await page.getByRole('link', { name: 'Show all links' }).click()
  assert.equal((await listed(page)).length, 3)
})

inBrowser('selected links get a campaign, pause, go on and leave together', async (page) => {
  const { token, links } = await collect([{ title: 'A' }, { title: 'B' }, { title: 'C' }])
  const [a, b, c] = links as [Created, Created, Created]
  const select = async (...names: string[]) => {
    await page.goto(pageOf(token))
    for (const name of names) await page.getByLabel(`Select ${name}`, { exact: true }).check()
    await page.locator('.collection-selected > summary').click()
  }
  await select('A', 'B')
  await page.locator('#selected-campaign').fill('Summer')
  await page.getByRole('button', { name: 'Set the campaign' }).click()
  assert.match((await said(page, '#links')) ?? '', /were changed/)
  const campaigns = await Promise.all([a, b, c].map(async (link) => (await details(server, link)).campaign))
  assert.deepEqual(campaigns, ['Summer', 'Summer', null])
  await select('B')
  await page.getByRole('button', { name: 'Pause' }).click()
  assert.equal((await visit(b.short_url)).status, 404)
  await select('B')
  await page.getByRole('button', { name: 'Resume' }).click()
  assert.equal((await visit(b.short_url)).status, 302)
  await select('A', 'C')
  await page.getByRole('button', { name: 'Take out of the collection' }).click()
  assert.deepEqual(await listed(page), ['B'])
  assert.equal((await details(server, a)).campaign, 'Summer', 'it stays')
  await select('B')
  await page.getByText('Delete…').click()
  await page.getByLabel(/Yes, delete/).check()
  await page.getByRole('button', { name: 'Delete the links' }).click()
  assert.equal((await visit(b.short_url)).status, 410)
  await page.getByRole('button', { name: 'Bring them back' }).click()
  assert.match((await said(page, '#links')) ?? '', /are back/)
  assert.deepEqual(await listed(page), ['B'])
  assert.equal((await visit(b.short_url)).status, 302)
})

inBrowser(
  'links that exist are added by their private addresses; one that is none stays in the field',
  async (page) => {
    const { token } = await collect([])
    const [one, other] = [
      await create(server, { target: TARGET, title: 'One' }),
      await create(server, { target: TARGET }),
    ]
    await page.goto(pageOf(token))
    await page.locator('#join > summary').click()
    await page.locator('#join-tokens').fill(`${one.manage_url}\n${other.token}\nhttps://example.com/m/wrong`)
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    assert.match((await page.locator('#join [role=alert]').textContent()) ?? '', /^1 address is not that of a link/)
    assert.equal(await page.locator('#join-tokens').inputValue(), 'https://example.com/m/wrong')
    assert.equal((await listed(page)).length, 2)
  },
)

inBrowser('a collection is renamed, gets a new key, and ends', async (page) => {
  const { token, links } = await collect([{ title: 'Kept' }], 'Old')
  await page.goto(pageOf(token))
  await page.locator('#settings > summary').click()
  await page.getByLabel('Name of the collection').fill('New')
  await page.getByRole('button', { name: 'Save' }).click()
  assert.equal(await page.locator('h1').textContent(), 'New')
  await page.locator('#settings > summary').click()
  await page.getByRole('button', { name: 'Get a new address' }).click()
  const address = await page.locator('#secret').inputValue()
  assert.equal((await fetch(pageOf(token))).status, 200, 'until the new one is used')
  await page.getByRole('link', { name: 'Open it' }).click()
  assert.equal(page.url(), address)
  assert.equal((await fetch(pageOf(token))).status, 404)
  await page.locator('#settings > summary').click()
  await page.getByLabel(/Yes, end the collection/).check()
  await page.getByRole('button', { name: 'End the collection' }).click()
  assert.equal(await page.locator('h1').textContent(), 'The collection has ended')
  assert.equal((await fetch(address)).status, 404)
  assert.equal((await visit(links[0]?.short_url ?? '')).status, 302)
})

inBrowser(
  'all links of a page are selected by one box, and how many are is said beside what can be done with them',
  async (page) => {
    const { token, links } = await collect([{ title: 'A' }, { title: 'B' }, { title: 'C' }])
    await page.goto(pageOf(token))
    const all = page.getByLabel('Select all on this page')
    const said = page.locator('.collection-selected [aria-live]')
    await said.filter({ hasText: 'none selected' }).waitFor()
    await page.getByLabel('Select B').check()
    await said.filter({ hasText: 'selected: 1' }).waitFor()
    assert.equal(await page.evaluate("document.querySelector('.collection-all input').indeterminate"), true)
    await all.press('Space')
    await said.filter({ hasText: 'selected: 3' }).waitFor()
    assert.deepEqual(await accessibilityFaults(page), [])
    await page.locator('.collection-selected > summary').click()
    await follow(page, page.getByRole('button', { name: 'Pause' }))
    const states = await Promise.all(links.map(async (link) => (await details(server, link)).active))
    assert.deepEqual(states, [false, false, false])
  },
  { scripts: true },
)

inBrowser('without scripts no box selects all links', async (page) => {
  const { token } = await collect([{ title: 'A' }])
  await page.goto(pageOf(token))
  assert.equal(await page.getByLabel('Select all on this page').isVisible(), false)
})

inBrowser(
  'a browser keeps a collection when its owner says so, takes over its new name and key, and drops it again',
  async (page) => {
    const { token } = await collect([{ title: 'A' }], 'Café')
    const status = (text: string) => page.locator('.keep [role=status]', { hasText: text }).waitFor()
    const kept = () => page.evaluate<string | null>("localStorage.getItem('quirl.collections')")
    await page.goto(pageOf(token, '?created'))
    assert.equal(new URL(page.url()).search, '', 'a bookmark has the address alone')
    await status('Not kept on this device.')
    assert.equal(await kept(), null, 'another site may have led here')
    await page.getByRole('button', { name: 'Keep on this device' }).press('Enter')
    await status('Kept on this device')
    assert.match((await kept()) ?? '', new RegExp(`"${token}","name":"Café"`))
    await page.locator('#settings > summary').click()
    await page.getByLabel('Name of the collection').fill('Bar')
    await follow(page, page.getByRole('button', { name: 'Save', exact: true }))
    await page.locator('#keep > summary', { hasText: 'kept on this device' }).waitFor()
    assert.match((await kept()) ?? '', /"name":"Bar"/)
    await page.locator('#settings > summary').click()
    await follow(page, page.getByRole('button', { name: 'Get a new address' }))
    const address = await page.locator('#secret').inputValue()
    await page.goto(server.url)
    const open = page.getByRole('link', { name: 'Open the page of Bar' })
    assert.equal(await open.getAttribute('href'), new URL(address).pathname)
    await follow(page, open)
    await page.locator('#keep > summary').click()
    await page.getByRole('button', { name: 'Shared device? Do not keep it' }).press('Enter')
    await status('No longer kept on this device')
    assert.equal(await kept(), null)
  },
  { scripts: true },
)

inBrowser('3,000 links are read by pages, on a phone', async (page) => {
  const { token } = await collect([], 'Three thousand')
  const rows = Array.from({ length: 3000 }, (_, at) => ({ target: TARGET, title: `Room ${at + 1}` }))
  for (let from = 0; from < rows.length; from += 500)
    await post(`${server.url}/api/bulk`, rows.slice(from, from + 500), { 'quirl-collection': token })
  await page.setViewportSize({ width: 360, height: 740 })
  await page.goto(pageOf(token, '?sort=title'))
  assert.match((await page.locator('header p').textContent()) ?? '', /^3,000 links/)
  assert.deepEqual((await listed(page)).slice(0, 2), ['Room 1', 'Room 2'])
  const shown = (await listed(page)).length
  await page.getByRole('link', { name: 'Further links' }).click()
  assert.equal((await listed(page))[0], `Room ${shown + 1}`)
  await page.getByRole('link', { name: 'From the beginning' }).click()
  assert.equal((await listed(page))[0], 'Room 1')
  await page.goto(pageOf(token, '?q=room%201'))
  await page.locator('.collection-selected > summary').click()
  await page.getByLabel(/for all links that the list finds/).check()
  await page.locator('#selected-campaign').fill('First floor')
  await page.getByRole('button', { name: 'Set the campaign' }).click()
  assert.match((await said(page, '#links')) ?? '', /were changed/)
  const { campaigns } = (await (await fetch(`${server.url}/api/collections/${token}`)).json()) as Collection
  const found = rows.filter(({ title }) => title.startsWith('Room 1')).length
  assert.deepEqual(campaigns.find(({ value }) => value === 'First floor')?.links, found)
})

inBrowser(
  'the page fits a phone and a desk, with and without links, and has no fault of accessibility',
  async (page) => {
    const filled = await collect([
      { title: 'Long '.repeat(30).trim(), campaign: 'x'.repeat(90) },
      { kind: 'page', headline: 'Page', links: [] },
    ])
    for (const { token } of [filled, await collect([])])
      for (const width of [360, 1440]) {
        await page.setViewportSize({ width, height: 740 })
        await page.goto(pageOf(token))
        for (const summary of await page.locator('main summary').all()) await summary.press('Enter')
        assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= width, String(width))
        assert.deepEqual(await accessibilityFaults(page), [])
      }
  },
  { scripts: true },
)

test('a link whose own fields are too long for a list is named by its title, else by its code', async () => {
  const long = {
    description: 'Ä'.repeat(2000),
    links: Array.from({ length: 60 }, () => ({ label: 'ä'.repeat(100), url: TARGET })),
  }
  const kinds = [
    { kind: 'page', target: undefined, headline: 'Page', ...long },
    {
      kind: 'event',
      target: undefined,
      summary: '🎪'.repeat(200),
      start: '2027-06-12T14:00Z',
      description: '🎪'.repeat(2000),
    },
  ]
  for (const { kind, ...body } of kinds) {
    const { token, links } = await collect([
      { kind, ...body },
      { kind, ...body, title: 'Titled' },
    ])
    for (const [path, codes] of [
      ['', links],
      ['?q=Titled', links.slice(1)],
    ] as const) {
      const response = await fetch(pageOf(token, path), { headers: BROWSER })
      const names = [...(await response.text()).matchAll(/class="collection-name"[^>]*>([^<]*)</g)].map(
        ([, name]) => name,
      )
      const expected = codes.map(({ code }) => (code === links[0]?.code ? code : 'Titled'))
      assert.deepEqual([response.status, names.toSorted()], [200, expected.toSorted()], `${kind} ${path}`)
    }
    assert.equal(
      (await send(token, { action: 'rename', name: 'x'.repeat(101) })).status,
      400,
      'the page of a refused form',
    )
  }
})

test('what a form says wrongly is said in its part, and changes nothing', async () => {
  const { token, links } = await collect([{ title: 'Kept' }], 'Kept')
  const [link] = links as [Created]
  const refused: [form: Record<string, string>, said: RegExp][] = [
    [{ action: 'create', target: 'http://127.0.0.1/' }, /id="create-target-fault"/],
    [{ action: 'rename', name: 'x'.repeat(101) }, /id="setting-name-fault"/],
    [{ action: 'delete', code: link.code }, /Please tick that you are sure/],
    [{ action: 'delete', sure: 'yes' }, /Please select at least one link/],
    [{ action: 'end' }, /Please tick that you are sure/],
  ]
  for (const [form, said] of refused) {
    const response = await send(token, form)
    assert.equal(response.status, 400, String(said))
    assert.match(await response.text(), said)
  }
  assert.equal((await visit(link.short_url)).status, 302)
  assert.match(await (await fetch(pageOf(token))).text(), /<h1[^>]*>Kept</)
})

test('with selected links of which one is gone, the others are changed, and the page says so', async () => {
  const { token, links } = await collect([{ title: 'There' }])
  const response = await send(
    token,
    new URLSearchParams([
      ['action', 'pause'],
      ['code', String(links[0]?.code)],
      ['code', 'never-was'],
    ]),
  )
  assert.match(await response.text(), /Some of the links could not be changed[^]*<code>never-was<\/code>/)
  assert.equal((await details(server, links[0] as Created)).active, false)
})

test('the second press of a button creates no second link', async () => {
  const { token } = await collect([])
  const form = { action: 'create', target: TARGET, idempotency_key: 'pressed-twice-in-a-row' }
  const [first, second] = await Promise.all([send(token, form), send(token, form)])
  assert.equal(first.headers.get('location'), second.headers.get('location'))
  const { links } = (await (await fetch(`${server.url}/api/collections/${token}`)).json()) as { links: number }
  assert.equal(links, 1)
})

test('the page of a link below a collection ends with the membership, and no other token opens it', async () => {
  const { token, links } = await collect([{ title: 'Mine' }])
  const [link] = links as [Created]
  const other = await collect([])
  const page = `/${link.code}`
  assert.equal((await fetch(pageOf(token, page))).status, 200)
  assert.equal((await fetch(pageOf(token, `${page}/statistics/series.csv`))).status, 200)
  assert.equal((await fetch(pageOf(other.token, page))).status, 404)
  assert.equal((await fetch(`${server.url}/c/${link.token}${page}`)).status, 404)
  assert.equal((await fetch(`${server.url}/m/${token}`)).status, 404)
  await fetch(`${server.url}/api/collections/${token}/links/${link.code}`, { method: 'DELETE' })
  assert.equal((await fetch(pageOf(token, page))).status, 404)
  assert.equal((await send(token, { action: 'pause', active: '0' }, page)).status, 404)
})

test('a link may have the alias c, and its images are there', async () => {
  await create(server, { target: TARGET, alias: 'c' })
  assert.equal((await visit(`${server.url}/c`)).status, 302)
  assert.equal((await fetch(`${server.url}/c/qr.svg`)).status, 200)
})

inBrowser('the design of one link is kept as a look, shown, given to selected links, and removed', async (page) => {
  const { token, links } = await collect([{ title: 'Designed' }, { title: 'Plain' }])
  const [designed, plain] = links as [Created, Created]
  await page.setViewportSize({ width: 1440, height: 900 })
  const saved = await put(`${server.url}/api/manage/${designed.token}`, { design: { fg: '#7a1f3d' } })
  assert.equal(saved.status, 200)
  await page.goto(pageOf(token, `/${designed.code}`))
  await page.getByLabel('Name of the look').fill('House: red')
  await page.getByRole('button', { name: 'Keep it' }).click()
  assert.match(
    (await page.locator('#looks [role=alert]').textContent()) ?? '',
    /letters, digits/,
    'a colon is in no name',
  )
  await page.goto(pageOf(token, `/${designed.code}`))
  await page.getByLabel('Name of the look').fill('House red')
  await page.getByRole('button', { name: 'Keep it' }).click()
  assert.match((await said(page, '#looks')) ?? '', /is kept/)
  const image = await fetch(pageOf(token, '/looks/House%20red'))
  assert.match(await image.text(), /^<svg[^]*7a1f3d/)
  assert.equal((await fetch(pageOf(token, '/looks/none'))).status, 404)
  await page.getByLabel('Select Plain').check()
  await page.locator('.collection-selected > summary').click()
  await page.getByRole('button', { name: 'Apply the look' }).click()
  assert.deepEqual((await details(server, plain)).design, { fg: '#7a1f3d' })
  await page.locator('#looks > summary').click()
  await page.getByRole('button', { name: 'Remove the look House red' }).click()
  assert.equal((await fetch(pageOf(token, '/looks/House%20red'))).status, 404)
  assert.deepEqual((await details(server, plain)).design, { fg: '#7a1f3d' }, 'it was copied')
})

inBrowser('the page counts all links together, by link and campaign, and leads to each', async (page) => {
  const { token, links } = await collect([
    { title: 'Door', campaign: 'Summer' },
    { title: 'Window', campaign: 'Summer' },
    { title: 'Car' },
  ])
  for (const at of [0, 0, 1, 2, 2, 2]) await visit(String(links[at]?.short_url), BROWSER)
  await page.goto(pageOf(token))
  const panel = (name: string) => page.locator(`#list-${name}`)
  assert.match((await page.locator('#statistics').textContent()) ?? '', /Visits by people\s*6/)
  assert.match((await panel('link').textContent()) ?? '', /Car[^]*3[^]*Door[^]*2[^]*Window[^]*1/)
  await panel('campaign').getByRole('link', { name: 'Summer' }).click()
  assert.match((await page.locator('#statistics').textContent()) ?? '', /Visits by people\s*3/)
  assert.deepEqual(await listed(page), ['Window', 'Door'], 'the list is of the same campaign')
  await panel('link').getByRole('link', { name: 'Door' }).click()
  assert.equal(await page.locator('h1').textContent(), 'Door')
  const file = await fetch(pageOf(token, '/statistics/link.csv?view=detail&campaign=Summer'))
  assert.match(await file.text(), /^code,title,scans,unique_visitors\r?\n\S+,Door,2,1\r?\n\S+,Window,1,1\r?\n$/)
})

inBrowser(
  'a report of a campaign is shared with others, who read it and nothing else, until it is revoked',
  async (page) => {
    const { token, links } = await collect([{ title: 'Door', campaign: 'Summer' }, { title: 'Parking' }])
    for (const link of links) await visit(link.short_url, BROWSER)
    await page.goto(pageOf(token))
    await page.locator('#shares > summary').click()
    await page.locator('#share-name').fill('For the boss')
    await page.locator('#share-campaign').selectOption('Summer')
    await page.getByRole('button', { name: 'Create shared view' }).click()
    const address = await page.locator('#secret').inputValue()
    const report = await (await fetch(address)).text()
    assert.match(report, /Door/)
    assert.doesNotMatch(report, /Parking|collection_/)
    await page.locator('.settings-back a').click()
    await page.getByRole('button', { name: 'Revoke: For the boss' }).click()
    assert.match((await said(page, '#shares')) ?? '', /is revoked/)
    assert.equal((await fetch(address)).status, 404)
  },
)
