import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MAX_COLLECTIONS, MAX_LINKS } from '../src/collections/bounds.ts'
import { START, startWithLinks, type Collection, type CreatedCollection } from './support/collections.ts'
import { details, manage, post, put, visit, type Created } from './support/server.ts'

const HOUR = 3_600_000
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })
const problemOf = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code]
const UNKNOWN = `collection_${'x'.repeat(43)}`

test('a collection is made without an account, and its token is returned once', async (t) => {
  const { url, collect, read, api } = await startWithLinks(t, 0)
  const response = await post(`${url}/api/collections`, { name: 'Summer' })
  assert.equal(response.headers.get('cache-control'), 'no-store')
  const { token, manage_url: page, name: given, created_at: at } = (await response.json()) as CreatedCollection
  assert.match(token, /^collection_[\w-]{43}$/)
  assert.equal(page, `${url}/c/${token}`)
  const created = { name: 'Summer', created_at: new Date(START).toISOString() }
  assert.deepEqual({ name: given, created_at: at }, created)
  const counted = {
    links: 0,
    campaigns: [],
    looks: {},
    webhook: null,
    totals: { scans: 0, humans: 0, last_scan_at: null },
  }
  assert.deepEqual(await read(token), { ...created, ...counted })
  const empty = await fetch(`${url}/api/collections`, { method: 'POST' })
  const { token: second, name } = (await empty.json()) as CreatedCollection
  assert.equal(name, null)
  assert.notEqual(second, token)
  // Many clients name the type of a body that they do not send.
  const json = { 'content-type': 'application/json' }
  assert.equal((await fetch(`${url}/api/collections`, { method: 'POST', headers: json })).status, 201)
  assert.deepEqual(await (await fetch(`${url}/api/collections`, { headers: bearer(token) })).json(), await read(token))
  const renamed = await put(api(token), { name: 'Sommer' })
  assert.deepEqual(await renamed.json(), { ...created, name: 'Sommer', ...counted })
  assert.deepEqual(await (await put(api(token), {})).json(), { ...created, name: 'Sommer', ...counted })
  await put(`${url}/api/collections`, { name: null }, bearer(token))
  assert.equal((await read(token)).name, null)
  assert.ok((await collect()).token)
})

test('a wrong body is refused by its field, and changes nothing', async (t) => {
  const { url, collect, api, links } = await startWithLinks(t, 1)
  const { token } = await collect({ name: 'kept' })
  const pointerOf = async (response: Response) => {
    assert.equal(response.status, 400)
    return ((await response.json()) as { errors: { pointer: string }[] }).errors.map(({ pointer }) => pointer)
  }
  assert.deepEqual(await pointerOf(await post(`${url}/api/collections`, { name: 'x'.repeat(101) })), ['/name'])
  assert.deepEqual(await pointerOf(await post(`${url}/api/collections`, null)), [''])
  assert.deepEqual(await pointerOf(await put(api(token), { name: 7 })), ['/name'])
  assert.deepEqual(await pointerOf(await post(api(token, '/links'), {})), ['/tokens'])
  assert.deepEqual(await pointerOf(await post(api(token, '/links'), { tokens: [] })), ['/tokens'])
  const many = Array.from({ length: 501 }, () => links[0]?.token)
  assert.deepEqual(await pointerOf(await post(api(token, '/links'), { tokens: many })), ['/tokens'])
  assert.deepEqual(await pointerOf(await post(api(token, '/links'), { tokens: [1] })), ['/tokens/0'])
  const { name, links: count } = (await (await fetch(api(token))).json()) as Collection
  assert.deepEqual([name, count], ['kept', 0])
})

test('links join by their tokens, each once, and leave by their codes; nothing of them changes', async (t) => {
  const { collect, join, read, api, url, links, ...server } = await startWithLinks(t, 3)
  const [menu, poster, card] = links as [Created, Created, Created]
  const { token } = await collect()
  const before = await Promise.all(links.map((link) => details({ url }, link)))
  assert.deepEqual(await join(token, [menu.token, poster.token, menu.token]), {
    added: 2,
    failed: 0,
    results: [menu, poster, menu].map(({ code }, index) => ({ index, code, added: true })),
  })
  assert.deepEqual((await join(token, [menu.token, card.token])).results, [
    { index: 0, code: menu.code, added: false },
    { index: 1, code: card.code, added: true },
  ])
  assert.equal((await read(token)).links, 3)
  assert.deepEqual(await Promise.all(links.map((link) => details({ url }, link))), before)

  const left = await fetch(api(token, `/links/${poster.code.toUpperCase()}`), { method: 'DELETE' })
  assert.deepEqual(await left.json(), { removed: true, code: poster.code.toUpperCase() })
  const again = await fetch(api(token, `/links/${poster.code}`), { method: 'DELETE' })
  assert.deepEqual(await problemOf(again), [404, 'unknown_code'])
  const byHeader = await fetch(`${url}/api/collections/links/${card.code}`, {
    method: 'DELETE',
    headers: bearer(token),
  })
  assert.equal(byHeader.status, 200)
  assert.equal((await read(token)).links, 1)
  assert.equal((await visit(poster.short_url)).status, 302)
  assert.ok(server.services)
})

test('a token that is unknown, of a share, or of a collection fails alone', async (t) => {
  const { collect, join, url, links } = await startWithLinks(t, 1)
  const [menu] = links as [Created]
  const { token } = await collect()
  const { share_token: share } = (await (await post(manage({ url }, menu, '/share'), {})).json()) as {
    share_token: string
  }
  const { added, failed, results } = await join(token, ['nonsense', share, token, menu.token, 'A'.repeat(43)])
  assert.deepEqual([added, failed], [1, 4])
  const codes = results.map((row) => ('error' in row ? row.error.code : row.code))
  assert.deepEqual(codes, ['unknown_token', 'unknown_token', 'unknown_token', menu.code, 'unknown_token'])
})

test('tokens of links, shares and collections never stand in for each other', async (t) => {
  const { collect, join, api, url, links } = await startWithLinks(t, 1)
  const [menu] = links as [Created]
  const { token } = await collect()
  await join(token, [menu.token])
  const { share_token: share } = (await (await post(manage({ url }, menu, '/share'), {})).json()) as {
    share_token: string
  }
  for (const other of [menu.token, share, UNKNOWN, `collection_${menu.token}`, 'collection_']) {
    for (const response of [
      await fetch(api(other)),
      await put(api(other), { name: 'stolen' }),
      await fetch(api(other), { method: 'DELETE' }),
      await post(api(other, '/links'), { tokens: [menu.token] }),
      await fetch(api(other, `/links/${menu.code}`), { method: 'DELETE' }),
      await fetch(`${url}/api/collections`, { headers: bearer(other) }),
    ])
      assert.deepEqual(await problemOf(response), [404, 'collection_not_found'], other)
  }
  const both = `${token}%2F${menu.code}`
  for (const path of [
    `/api/manage/${both}`,
    `/m/${both}`,
    `/api/manage/${both}/stats`,
    `/api/manage/${token}`,
    `/api/manage/${token}/stats`,
    `/m/${token}`,
  ])
    assert.equal((await fetch(url + path)).status, 404, path)
  assert.equal((await fetch(`${url}/api/share/${token}/stats`)).status, 404)
  assert.equal((await fetch(api(token))).status, 200)
})

test('a link that joins one collection too many leaves the one that it has been in for longest', async (t) => {
  const { collect, join, read, pass, links } = await startWithLinks(t, 2)
  const [menu, other] = links as [Created, Created]
  const tokens: string[] = []
  for (let count = 0; count <= MAX_COLLECTIONS; count++) {
    const { token } = await collect()
    tokens.push(token)
    pass(1000)
    await join(token, [menu.token, ...(count === 0 ? [other.token] : [])])
  }
  const counts = await Promise.all(tokens.map(async (token) => (await read(token)).links))
  assert.deepEqual(counts, [1, ...Array.from({ length: MAX_COLLECTIONS }, () => 1)])
  // Those who join at the same moment do not push out what they join.
  const { token } = await collect()
  assert.equal((await join(token, [menu.token])).added, 1)
  assert.equal((await read(token)).links, 1)
  assert.equal((await read(tokens[1] ?? '')).links, 0)
})

test('a link that joins many collections at the same moment is in as many as it may be afterwards', async (t) => {
  const { collect, join, services, links } = await startWithLinks(t, 1)
  const [menu] = links as [Created]
  const tokens = await Promise.all(Array.from({ length: MAX_COLLECTIONS + 20 }, async () => (await collect()).token))
  const joined = await Promise.all(tokens.map((token) => join(token, [menu.token])))
  assert.ok(joined.every(({ added }) => added === 1))
  const stored = await services.db.read.selectFrom('memberships').select('collection_id').execute()
  assert.equal(stored.length, MAX_COLLECTIONS)
})

test('a collection that ends leaves its links, and a link that is deleted leaves its collections', async (t) => {
  const { collect, join, read, api, url, links, services } = await startWithLinks(t, 2)
  const [menu, other] = links as [Created, Created]
  const [first, second] = [await collect(), await collect()]
  for (const { token } of [first, second]) await join(token, [menu.token, other.token])
  assert.deepEqual(await (await fetch(api(first.token), { method: 'DELETE' })).json(), { deleted: true })
  assert.deepEqual(await problemOf(await fetch(api(first.token))), [404, 'collection_not_found'])
  assert.equal((await fetch(manage({ url }, menu))).status, 200)
  await fetch(manage({ url }, menu), { method: 'DELETE' })
  assert.equal((await read(second.token)).links, 1)
  await fetch(api(second.token), { method: 'DELETE' })
  const { db } = services
  for (const table of ['collections', 'memberships'] as const)
    assert.deepEqual(await db.read.selectFrom(table).selectAll().execute(), [], table)
})

test('a retry of a creation returns the first collection', async (t) => {
  const { url } = await startWithLinks(t, 0)
  const key = { 'idempotency-key': 'a-key-of-16-characters' }
  const first = await (await post(`${url}/api/collections`, { name: 'once' }, key)).json()
  assert.deepEqual(await (await post(`${url}/api/collections`, { name: 'once' }, key)).json(), first)
  const other = await post(`${url}/api/collections`, { name: 'twice' }, key)
  assert.deepEqual(await problemOf(other), [422, 'idempotency_key_reused'])
})

test('a collection is charged as a link, and joining as a change of each; guesses of tokens end as for links', async (t) => {
  const env = { LIMIT_LINKS: '3', LIMIT_CHANGES: '3', LIMIT_MISSES: '5' }
  const { url, collect, join, links, api } = await startWithLinks(t, 2, env)
  const tokens = links.map(({ token }) => token)
  const { token } = await collect()
  assert.equal((await post(`${url}/api/collections`, {})).status, 429)
  assert.equal((await join(token, tokens)).added, 2)
  const refused = await post(api(token, '/links'), { tokens })
  assert.deepEqual(await problemOf(refused), [429, 'rate_limited'])
  const statuses: number[] = []
  for (let count = 0; count < 7; count++) statuses.push((await fetch(api(UNKNOWN))).status)
  assert.deepEqual(statuses, [404, 404, 404, 404, 404, 429, 429])
})

test('what is created with the header Quirl-Collection is in the collection from the beginning', async (t) => {
  const { url, collect, read, api } = await startWithLinks(t, 0)
  const { token } = await collect()
  const inCollection = { 'quirl-collection': token }
  const row = { target: 'https://example.com/menu' }
  const created = await post(`${url}/api/links`, row, inCollection)
  assert.equal(created.status, 201)
  assert.equal((await read(token)).links, 1)
  const bulk = await post(`${url}/api/bulk`, [row, { target: 'nothing' }, row], inCollection)
  assert.equal(bulk.status, 201)
  assert.equal((await read(token)).links, 3)
  assert.equal((await post(`${url}/api/bulk?dry_run=true`, [row], inCollection)).status, 200)
  assert.equal((await read(token)).links, 3)
  const retry = { ...inCollection, 'idempotency-key': 'a-key-of-16-characters' }
  const first = await (await post(`${url}/api/links`, row, retry)).json()
  assert.deepEqual(await (await post(`${url}/api/links`, row, retry)).json(), first)
  assert.equal((await read(token)).links, 4)
  const elsewhere = await post(`${url}/api/links`, row, { 'idempotency-key': 'a-key-of-16-characters' })
  assert.deepEqual(await problemOf(elsewhere), [422, 'idempotency_key_reused'])
  const { code } = (await created.json()) as Created
  assert.equal((await fetch(api(token, `/links/${code}`), { method: 'DELETE' })).status, 200)
})

test('with a collection that does not exist, nothing is created', async (t) => {
  const { url, services, links } = await startWithLinks(t, 1)
  const row = { target: 'https://example.com/menu', alias: 'menu' }
  for (const other of [UNKNOWN, '', 'collection_', links[0]?.token ?? '']) {
    const header = { 'quirl-collection': other }
    assert.deepEqual(await problemOf(await post(`${url}/api/links`, row, header)), [404, 'collection_not_found'])
    assert.deepEqual(await problemOf(await post(`${url}/api/bulk`, [row], header)), [404, 'collection_not_found'])
  }
  const stored = await services.db.read.selectFrom('links').select('code').execute()
  assert.deepEqual(
    stored.map(({ code }) => code),
    links.map(({ code }) => code),
  )
})

test('a collection takes no more links than it may have, and what does not fit is not created', async (t) => {
  const { url, collect, join, read, links, services } = await startWithLinks(t, 2)
  const [first, second] = links as [Created, Created]
  const { token } = await collect()
  const { id } = await services.db.read.selectFrom('collections').select('id').executeTakeFirstOrThrow()
  const rows = Array.from({ length: MAX_LINKS - 1 }, (_, at) => ({
    collection_id: id,
    link_id: -1 - at,
    joined_at: at,
  }))
  for (let from = 0; from < rows.length; from += 1000)
    await services.db.write
      .insertInto('memberships')
      .values(rows.slice(from, from + 1000))
      .execute()
  const { added, failed, results } = await join(token, [first.token, second.token, first.token])
  assert.deepEqual([added, failed], [1, 1])
  assert.deepEqual(
    results.map((row) => 'error' in row && row.error.code),
    [false, 'collection_full', false],
  )
  const header = { 'quirl-collection': token }
  const row = { target: 'https://example.com/menu' }
  assert.deepEqual(await problemOf(await post(`${url}/api/links`, row, header)), [409, 'collection_full'])
  assert.deepEqual(await problemOf(await post(`${url}/api/bulk`, [row], header)), [409, 'collection_full'])
  assert.equal((await read(token)).links, 1)
  const stored = await services.db.read.selectFrom('links').select('id').execute()
  assert.equal(stored.length, 2)
})

/** What the owner of a link reads through a collection. */
const paths = ['', '/history', '/stats', '/scans.csv', '/scans.ndjson', '/bundle', '/shares']

test("a collection's token is an owner's for each link in it: every path answers as the link's own does", async (t) => {
  const { url, collect, join, api, links } = await startWithLinks(t, 2)
  const [menu, other] = links as [Created, Created]
  await visit(menu.short_url)
  const { token } = await collect()
  await join(token, [menu.token])
  const pathOf = (path: string) => api(token, `/links/${menu.code}${path}`)
  for (const path of paths) {
    const [own, through, byHeader] = await Promise.all([
      fetch(manage({ url }, menu, path)),
      fetch(pathOf(path)),
      fetch(`${url}/api/collections/links/${menu.code}${path}`, { headers: bearer(token) }),
    ])
    const text = await through.text()
    assert.ok(!text.includes(menu.token), path)
    const expected = (await own.text()).replaceAll(`/m/${menu.token}`, `/c/${token}`)
    assert.deepEqual(
      [through.status, text, through.headers.get('etag')],
      [200, expected, own.headers.get('etag')],
      path,
    )
    assert.deepEqual([byHeader.status, await byHeader.text()], [200, expected], path)
    assert.deepEqual(await problemOf(await fetch(api(token, `/links/${other.code}${path}`))), [
      404,
      'collection_not_found',
    ])
    assert.deepEqual(await problemOf(await fetch(api(UNKNOWN, `/links/${menu.code}${path}`))), [
      404,
      'collection_not_found',
    ])
  }
  assert.equal((await put(pathOf(''), { title: 'Through it' }, { 'if-match': '"9"' })).status, 412)
  assert.equal((await put(pathOf(''), { title: 'Through it' }, { 'if-match': '"1"' })).status, 200)
  assert.equal((await details({ url }, menu))['title'], 'Through it')
  assert.equal((await post(pathOf('/revert'), { revision: 1 })).status, 200)
  assert.equal((await details({ url }, menu))['title'], null)
  const share = (await (await post(pathOf('/share'), { name: 'agency' })).json()) as { id: string; share_token: string }
  assert.equal((await fetch(`${url}/api/share/${share.share_token}/stats`)).status, 200)
  assert.equal((await fetch(pathOf(`/shares/${share.id}`), { method: 'DELETE' })).status, 200)
  const stream = await fetch(pathOf('/stream'))
  assert.equal(stream.headers.get('content-type'), 'text/event-stream')
  await stream.body?.cancel()
  const deleted = await fetch(`${pathOf('')}?link=true`, { method: 'DELETE' })
  assert.deepEqual(await deleted.json(), { deleted: true, code: menu.code })
  assert.equal((await fetch(manage({ url }, menu))).status, 404)
})

test('a stream through a collection ends when the link leaves it', async (t) => {
  const { collect, join, api, links } = await startWithLinks(t, 1)
  const [menu] = links as [Created]
  const { token } = await collect()
  await join(token, [menu.token])
  const stream = await fetch(api(token, `/links/${menu.code}/stream`))
  await fetch(api(token, `/links/${menu.code}`), { method: 'DELETE' })
  // The body ends, or the test is timed out.
  await stream.text()
})

/** Which of some collections own a link. */
const owning = async (api: (token: string, path: string) => string, tokens: string[], { code }: Created) => {
  const statuses: number[] = []
  for (const token of tokens) statuses.push((await fetch(api(token, `/links/${code}/history`))).status)
  return statuses
}

test("when the link's own token is replaced, its collections end with the first use of the new one", async (t) => {
  const { collect, join, api, url, read, links } = await startWithLinks(t, 1)
  const [menu] = links as [Created]
  const { token } = await collect()
  await join(token, [menu.token])
  const rotated = await post(manage({ url }, menu, '/rotate'), undefined)
  const { token: next } = (await rotated.json()) as { token: string }
  assert.deepEqual(await owning(api, [token], menu), [200])
  assert.equal((await fetch(manage({ url }, { token: next }))).status, 200)
  assert.deepEqual(await owning(api, [token], menu), [404])
  assert.equal((await read(token)).links, 0)
})

test("when the link's own token is replaced and nobody uses the new one, its collections end after the hour", async (t) => {
  const { collect, join, api, url, read, links, pass } = await startWithLinks(t, 1)
  const [menu] = links as [Created]
  const { token } = await collect()
  await join(token, [menu.token])
  await post(manage({ url }, menu, '/rotate'), undefined)
  pass(HOUR - 1)
  assert.deepEqual(await owning(api, [token], menu), [200])
  pass(1)
  assert.deepEqual(await owning(api, [token], menu), [404])
  assert.equal((await read(token)).links, 0)
})

test('a token that is replaced through a collection ends the other collections, and the old token', async (t) => {
  for (const isUsed of [true, false]) {
    const { collect, join, api, url, read, links, pass } = await startWithLinks(t, 1)
    const [menu] = links as [Created]
    const [mine, other] = [await collect(), await collect()]
    const tokens = [mine.token, other.token]
    for (const token of tokens) await join(token, [menu.token])
    const rotated = await fetch(api(mine.token, `/links/${menu.code}/rotate`), { method: 'POST' })
    const { token: next, manage_url: page } = (await rotated.json()) as { token: string; manage_url: string }
    assert.equal(page, `${url}/m/${next}`)
    assert.deepEqual(await owning(api, tokens, menu), [200, 200])
    if (isUsed) assert.equal((await fetch(manage({ url }, { token: next }))).status, 200)
    else pass(HOUR)
    assert.deepEqual(await owning(api, tokens, menu), [200, 404])
    assert.deepEqual([(await read(mine.token)).links, (await read(other.token)).links], [1, 0])
    assert.equal((await fetch(manage({ url }, menu))).status, 404)
    assert.equal((await fetch(manage({ url }, { token: next }))).status, 200)
  }
})

test('who has a leaked token can fill the collections of a link, but neither keep its owner out nor keep the link', async (t) => {
  const { collect, join, api, url, pass, links } = await startWithLinks(t, 1)
  const [menu] = links as [Created]
  const { token: mine } = await collect()
  await join(mine, [menu.token])
  const fill = async () => {
    const junk: string[] = []
    while (junk.length < MAX_COLLECTIONS) {
      const { token } = await collect()
      pass(1000)
      await join(token, [menu.token])
      junk.push(token)
    }
    return junk
  }
  const junk = await fill()
  assert.deepEqual(await owning(api, [mine], menu), [404])
  assert.deepEqual((await join(mine, [menu.token])).results, [{ index: 0, code: menu.code, added: true }])
  assert.deepEqual(await owning(api, [mine], menu), [200])
  const { token: next } = (await (await post(manage({ url }, menu, '/rotate'), undefined)).json()) as Created
  await join(mine, [next])
  assert.deepEqual(await owning(api, [mine, ...junk], menu), [200, ...junk.map(() => 404)])
  const [thief] = await fill()
  assert.deepEqual(await owning(api, [mine, thief ?? ''], menu), [200, 404])
})

test('where creation needs an access code, so does a collection', async (t) => {
  const { url } = await startWithLinks(t, 0, { CREATE: 'closed' })
  assert.deepEqual(await problemOf(await post(`${url}/api/collections`, {})), [403, 'creation_closed'])
})
