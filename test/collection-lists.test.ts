import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { START, startWithLinks } from './support/collections.ts'
import { create, post, put, visit, type Created } from './support/server.ts'

interface Listed {
  code: string
  title: string | null
  campaign: string | null
  totals: { scans: number; humans: number; last_scan_at: string | null }
}
interface Page {
  links: Listed[]
  next: string | null
}

const HOUR = 3_600_000
const problemOf = async (response: Response) => {
  const { code, errors } = (await response.json()) as { code: string; errors?: { pointer: string }[] }
  return [response.status, code, ...(errors ?? []).map(({ pointer }) => pointer)]
}
const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0' }
const kept = { alias: 'menu', title: 'Table 10', campaign: 'Summer', target: 'https://example.com/speisekarte' }

/** A collection with some links. Each was created a minute after the one before. */
async function startWithCollection(t: TestContext) {
  const server = await startWithLinks(t, 0)
  const { token } = await server.collect({ name: 'Shop' })
  const add = async (body: object): Promise<Created> => {
    server.pass(60_000)
    return create(server, body, { 'quirl-collection': token })
  }
  const list = async (query = '', from = token): Promise<Page> => {
    const response = await fetch(server.api(from, `/links${query}`))
    assert.equal(response.status, 200, await response.clone().text())
    return (await response.json()) as Page
  }
  return { ...server, token, add, list, codes: async (query = '') => (await list(query)).links.map(({ code }) => code) }
}

type Server = Awaited<ReturnType<typeof startWithCollection>>

/** Adds links that differ in everything by which a list is sorted and searched. */
async function addAll({ add, token, api }: Pick<Server, 'add' | 'token' | 'api'>): Promise<void> {
  await add(kept)
  await add({ alias: 'drinks', title: 'Table 2', campaign: 'Summer', target: 'https://example.com/drinks' })
  await add({ alias: 'untitled', target: 'https://example.com/a%62c' })
  await put(api(token, '/links/untitled'), { active: false })
  await add({
    alias: 'card',
    kind: 'vcard',
    title: 'Äpfel',
    firstName: 'Zoë',
    lastName: 'Müller',
    campaign: 'Winter',
  })
}

test('a list says of each link what one looks for, the newest first', async (t) => {
  const server = await startWithCollection(t)
  const { url, list, codes } = server
  await addAll(server)
  await visit(`${url}/drinks`, browser)
  const { links, next } = await list()
  assert.equal(next, null)
  assert.deepEqual(
    links.map(({ code }) => code),
    ['card', 'untitled', 'drinks', 'menu'],
  )
  const at = new Date(START + 60_000).toISOString()
  assert.deepEqual(links.at(-1), {
    code: 'menu',
    kind: 'url',
    title: 'Table 10',
    campaign: 'Summer',
    short_url: `${url}/menu`,
    target: 'https://example.com/speisekarte',
    active: true,
    created_at: at,
    updated_at: at,
    removed: null,
    totals: { scans: 0, humans: 0, last_scan_at: null },
  })
  assert.deepEqual([links[2]?.totals.scans, links[2]?.totals.humans], [1, 1])
  assert.equal(links[0]?.title, 'Äpfel')
  assert.deepEqual(await codes('?order=asc'), ['menu', 'drinks', 'untitled', 'card'])
  assert.deepEqual(await codes('?sort=title'), ['card', 'drinks', 'menu', 'untitled'], 'numbers in titles count')
  assert.deepEqual(await codes('?sort=title&order=desc'), ['untitled', 'menu', 'drinks', 'card'])
  assert.equal((await codes('?sort=scans'))[0], 'drinks')
  assert.equal((await codes('?sort=scans&order=asc')).at(-1), 'drinks')
})

test('a list has the links that meet every condition', async (t) => {
  const server = await startWithCollection(t)
  const { services, codes, url } = server
  await addAll(server)
  await services.db.write
    .updateTable('links')
    .set({ removed_at: 5, removed_source: 'list' })
    .where('code', '=', 'drinks')
    .execute()
  await create(
    { url },
    { target: 'https://example.com/', alias: 'menu-elsewhere', title: 'Table 10', campaign: 'Summer' },
  )
  const found: [string, string[]][] = [
    ['?campaign=Summer', ['drinks', 'menu']],
    ['?campaign=summer', []],
    ['?campaign=', ['untitled']],
    ['?kind=vcard', ['card']],
    ['?state=active', ['card', 'menu']],
    ['?state=paused', ['untitled']],
    ['?state=removed', ['drinks']],
    ['?state=active&campaign=Summer', ['menu']],
    ['?q=TABLE', ['drinks', 'menu']],
    ['?q=speisekarte', ['menu']],
    ['?q=m%C3%9CLLER', ['card']],
    ['?q=winter', ['card']],
    ['?q=UNTITL', ['untitled']],
    ['?q=firstName', []],
    ['?q=%2562', ['untitled']],
    ['?q=table&kind=url&state=removed', ['drinks']],
    ['?q=', ['card', 'untitled', 'drinks', 'menu']],
    ['?q=nothing', []],
  ]
  for (const [query, expected] of found) assert.deepEqual(await codes(query), expected, query)
})

test('the pages of a list have each link once, in every order, also those that are equal', async (t) => {
  const { url, token, pass, list } = await startWithCollection(t)
  const rows = Array.from({ length: 230 }, (_, at) => ({
    target: 'https://example.com/',
    alias: `r${String(at).padStart(3, '0')}`,
    ...(at % 3 > 0 && { title: `Room ${at % 7}` }),
  }))
  for (const from of [0, 100]) {
    const links = rows.slice(from, from + (from === 0 ? 100 : 130))
    await post(`${url}/api/bulk`, links, { 'quirl-collection': token })
    pass(HOUR)
  }
  for (const scanned of ['r007', 'r100', 'r007']) await visit(`${url}/${scanned}`)
  for (const sort of ['created', 'title', 'scans'])
    for (const order of ['asc', 'desc']) {
      const query = `?sort=${sort}&order=${order}`
      const all = (await list(`${query}&limit=200`)).links
      const pages: Listed[] = []
      for (let next: string | null = ''; next !== null;) {
        const page: Page = await list(`${query}&limit=37${next && `&cursor=${next}`}`)
        pages.push(...page.links)
        next = page.next
      }
      assert.equal(new Set(pages.map(({ code }) => code)).size, 230, query)
      assert.deepEqual(pages.slice(0, 200), all, query)
    }
})

test('a page goes on where the one before ended, also when its last link has gone or changed', async (t) => {
  const { url, token, api, add, list } = await startWithCollection(t)
  for (const title of ['A', 'B', 'C', 'D']) await add({ alias: `t-${title}`, title, target: 'https://example.com/' })
  const first = await list('?sort=title&limit=2')
  assert.deepEqual(
    first.links.map(({ title }) => title),
    ['A', 'B'],
  )
  await fetch(api(token, '/links/t-B'), { method: 'DELETE' })
  await put(api(token, '/links/t-A'), { title: 'Z' })
  const second = await list(`?sort=title&cursor=${first.next}`)
  assert.deepEqual(
    second.links.map(({ title }) => title),
    ['C', 'D', 'Z'],
  )
  assert.equal((await fetch(`${url}/t-B`, { redirect: 'manual' })).status, 302, 'it left the collection only')
})

test('a parameter that is wrong, and the cursor of another list, are refused by their name', async (t) => {
  const server = await startWithCollection(t)
  const { token, api, list, collect } = server
  await addAll(server)
  const { next } = await list('?limit=1&sort=title')
  assert.ok(next)
  const other = (await collect()).token
  const refused: [string, string][] = [
    ['?limit=0', '/limit'],
    ['?limit=201', '/limit'],
    ['?sort=size', '/sort'],
    ['?order=up', '/order'],
    ['?state=gone', '/state'],
    ['?kind=film', '/kind'],
    [`?q=${'x'.repeat(201)}`, '/q'],
    [`?sort=title&campaign=Summer&cursor=${next}`, '/cursor'],
    [`?cursor=${next}`, '/cursor'],
    [`?sort=title&order=desc&cursor=${next}`, '/cursor'],
    ['?cursor=nonsense', '/cursor'],
    [`?cursor=${Buffer.from('[1,{},2]').toString('base64url')}`, '/cursor'],
  ]
  for (const [query, pointer] of refused)
    assert.deepEqual(
      await problemOf(await fetch(api(token, `/links${query}`))),
      [400, 'invalid_request', pointer],
      query,
    )
  const foreign = await fetch(api(other, `/links?sort=title&cursor=${next}`))
  assert.deepEqual(await problemOf(foreign), [400, 'invalid_request', '/cursor'])
})

test('an overview counts campaigns and scans of its links, and of no others', async (t) => {
  const server = await startWithCollection(t)
  const { url, token, read } = server
  await addAll(server)
  await create({ url }, { target: 'https://example.com/', alias: 'elsewhere', campaign: 'Summer' })
  for (const code of ['menu', 'menu', 'drinks', 'elsewhere']) await visit(`${url}/${code}`, browser)
  await fetch(`${url}/menu`, { redirect: 'manual', headers: { 'user-agent': 'curl/8' } })
  const { links, campaigns, totals } = await read(token)
  assert.equal(links, 4)
  assert.deepEqual(campaigns.slice(0, 1), [{ value: 'Summer', links: 2, scans: 4 }])
  assert.deepEqual(new Set(campaigns.slice(1).map(({ value }) => value)), new Set([null, 'Winter']))
  assert.deepEqual([totals.scans, totals.humans], [4, 3])
  assert.ok(totals.last_scan_at)
})

test("a collection's token is replaced: the old one works until the new one is used, or for an hour", async (t) => {
  const { url, token, api, pass, add, list } = await startWithCollection(t)
  await add(kept)
  const rotate = (from: string, headers: Record<string, string> = {}) =>
    fetch(api(from, '/rotate'), { method: 'POST', headers })
  const statusOf = async (of: string) => (await fetch(api(of, '/links/menu'))).status
  const first = (await (await rotate(token)).json()) as Created
  assert.match(first.token, /^collection_[\w-]{43}$/)
  assert.equal(first.manage_url, `${url}/c/${first.token}`)
  const { token: second } = (await (await rotate(token)).json()) as Created
  assert.deepEqual([await statusOf(first.token), await statusOf(token)], [404, 200], 'one that was not used is void')
  assert.equal(await statusOf(second), 200)
  assert.equal(await statusOf(token), 404, 'the new one was used')
  assert.deepEqual(await problemOf(await fetch(api(token))), [404, 'collection_not_found'])
  assert.equal((await list('', second)).links.length, 1)

  const key = { 'idempotency-key': 'rotates-it-just-once' }
  const { token: third } = (await (await rotate(second, key)).json()) as Created
  assert.equal(((await (await rotate(second, key)).json()) as Created).token, third)
  assert.equal(await statusOf(third), 200)
  assert.equal(((await (await rotate(second, key)).json()) as Created).token, third, 'a retry with the old token')
  assert.equal(((await (await rotate(third, key)).json()) as Created).token, third, 'and with the new one')

  const { token: fourth } = (await (await rotate(third)).json()) as Created
  pass(HOUR - 1)
  assert.equal(await statusOf(third), 200)
  pass(1)
  assert.equal(await statusOf(third), 404)
  const header = { headers: { authorization: `Bearer ${fourth}` } }
  assert.equal((await fetch(`${url}/api/collections/links`, header)).status, 200)
  assert.deepEqual(await problemOf(await rotate(third)), [404, 'collection_not_found'])
})

test('links are created into a collection by its next token, which then is its only one', async (t) => {
  const { url, token, api } = await startWithCollection(t)
  const { token: next } = (await (await fetch(api(token, '/rotate'), { method: 'POST' })).json()) as Created
  await create({ url }, kept, { 'quirl-collection': next })
  assert.deepEqual(await problemOf(await fetch(api(token))), [404, 'collection_not_found'])
  assert.equal((await fetch(api(next, '/links/menu'))).status, 200)
})

test('a collection that ends with its links deletes them all, and no others', async (t) => {
  const { url, token, api, join, links: _none, collect } = await startWithCollection(t)
  const rows = Array.from({ length: 120 }, (_, at) => ({ target: 'https://example.com/', alias: `gone-${at}` }))
  await post(`${url}/api/bulk`, rows, { 'quirl-collection': token })
  const other = await create({ url }, { alias: 'stays', target: 'https://example.com/' })
  const { token: second } = await collect()
  await join(second, [other.token])
  const ended = await fetch(api(token, '?links=true'), { method: 'DELETE' })
  assert.deepEqual(await ended.json(), { deleted: true, links: 120 })
  for (const code of ['gone-0', 'gone-119']) assert.equal((await fetch(`${url}/${code}`)).status, 410)
  assert.equal((await fetch(`${url}/stays`, { redirect: 'manual' })).status, 302)
  assert.deepEqual(await problemOf(await fetch(api(token))), [404, 'collection_not_found'])
  const again = await fetch(api(token, '?links=true'), { method: 'DELETE' })
  assert.deepEqual(await problemOf(again), [404, 'collection_not_found'])
})
