import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { startWithLinks, type Changed } from './support/collections.ts'
import { create, post, put, type Created } from './support/server.ts'

/** A collection with two links, and a link that is in none. */
async function startCollected(t: TestContext, env: Record<string, string> = {}) {
  const server = await startWithLinks(t, 0, env)
  const { token } = await server.collect({ name: 'Shop' })
  const add = (body: object): Promise<Created> => create(server, body, { 'quirl-collection': token })
  await add({ alias: 'Menu', target: 'https://example.com/menu', title: 'Menu' })
  await add({ alias: 'drinks', target: 'https://example.com/drinks' })
  await create(server, { alias: 'other', target: 'https://example.com/other' })
  const change = async (changes: unknown, query = '', status = 200): Promise<Changed> => {
    const response = await post(server.api(token, `/changes${query}`), { changes })
    const text = await response.text()
    assert.equal(response.status, status, text)
    return JSON.parse(text) as Changed
  }
  const detailsOf = async (code: string) =>
    (await (await fetch(server.api(token, `/links/${code}`))).json()) as Record<string, unknown>
  return { ...server, token, add, change, detailsOf }
}

const codesOf = ({ results }: Changed) => results.map(({ error, changed, valid }) => error?.code ?? changed ?? valid)

test('rows name links of the collection by their codes in any case, and no link that is not in it', async (t) => {
  const { change, detailsOf, url } = await startCollected(t)
  const result = await change([
    { code: 'menu', title: 'Card' },
    { code: 'DRINKS', active: false },
    { code: 'other', title: 'Mine now' },
    { code: 'nothing', title: 'x' },
    { code: 'no code', title: 'x' },
    { code: 'Menu', title: 'Again' },
    { token: 'x', title: 'x' },
    { code: 7 },
  ])
  const { length } = result.results
  assert.deepEqual(codesOf(result).slice(0, 6), [
    true,
    true,
    'unknown_code',
    'unknown_code',
    'unknown_code',
    'invalid_request',
  ])
  assert.deepEqual([length, result.changed, result.unchanged, result.failed], [8, 2, 0, 6])
  assert.deepEqual(
    result.results.slice(5).map(({ error }) => error?.errors[0]?.pointer),
    ['/code', '/code', '/code'],
  )
  assert.equal((await detailsOf('menu'))['title'], 'Card')
  assert.equal((await detailsOf('drinks'))['active'], false)
  assert.equal((await fetch(`${url}/other`, { redirect: 'manual' })).status, 302)
  assert.doesNotMatch(JSON.stringify(result), /"token"/)
})

test('the token may stand in the header, and a token of a link or of nobody opens nothing', async (t) => {
  const { token, url, api, detailsOf, links } = await startCollected(t)
  const { token: own } = await create({ url }, { target: 'https://example.com/own' })
  const changes = [{ code: 'menu', title: 'By header' }]
  const response = await post(`${url}/api/collections/changes`, { changes }, { authorization: `Bearer ${token}` })
  assert.equal(response.status, 200)
  assert.equal((await detailsOf('menu'))['title'], 'By header')
  for (const wrong of [own, `collection_${'A'.repeat(43)}`]) {
    const refused = await post(api(wrong, '/changes'), { changes })
    assert.deepEqual([refused.status, ((await refused.json()) as { code: string }).code], [404, 'collection_not_found'])
  }
  assert.equal(links.length, 0)
})

test('a dry run names the fields that would change, and changes nothing; if_match takes the ETag of its row', async (t) => {
  const { change, detailsOf } = await startCollected(t)
  const rows = [
    { code: 'menu', title: 'Card', utm: { utm_source: 'x' }, target: 'https://example.com/menu' },
    { code: 'drinks', title: null },
  ]
  const { results, changed } = await change(rows, '?dry_run=true')
  assert.equal(changed, 0)
  assert.deepEqual(results, [
    { index: 0, valid: true, code: 'Menu', etag: '"1"', fields: ['title', 'utm'] },
    { index: 1, valid: true, code: 'drinks', etag: '"1"', fields: [] },
  ])
  assert.equal((await detailsOf('menu'))['title'], 'Menu')
  const etag = results[0]?.etag
  assert.deepEqual(codesOf(await change([{ code: 'menu', title: 'Card', if_match: etag }])), [true])
  const again = await change([{ code: 'menu', title: 'Other', if_match: etag }, { code: 'drinks' }])
  assert.deepEqual(codesOf(again), ['precondition_failed', false])
})

test('an atomic request changes all rows or none', async (t) => {
  const { change, detailsOf } = await startCollected(t)
  const rows = [
    { code: 'menu', title: 'Card' },
    { code: 'nothing', title: 'x' },
  ]
  assert.equal((await change(rows, '?atomic=true', 400)).failed, 2)
  assert.equal((await detailsOf('menu'))['title'], 'Menu')
})

test('rows take the looks of their own collection, not those of one in the header', async (t) => {
  const { token, api, collect, change, detailsOf } = await startCollected(t)
  const { token: other } = await collect()
  await put(api(token), { looks: { blue: { fg: '#123456' } } })
  await put(api(other), { looks: { red: { fg: '#800000' } } })
  const design = (look: string) => ({ changes: [{ code: 'menu', design: { look } }] })
  const headers = { 'quirl-collection': other }
  assert.equal((await post(api(token, '/changes'), design('red'), headers)).status, 400)
  assert.deepEqual(codesOf(await change(design('blue').changes)), [true])
  assert.equal(((await detailsOf('menu'))['design'] as { fg: string }).fg, '#123456')
})

test('changes are charged as others, rows that change nothing and unknown codes are not', async (t) => {
  const { change } = await startCollected(t, { LIMIT_CHANGES: '2' })
  await change([{ code: 'menu', title: 'Menu' }, { code: 'nothing' }])
  await change([{ code: 'menu', title: 'A' }])
  await change([{ code: 'menu', title: 'B' }])
  const refused = await change([{ code: 'menu', title: 'C' }], '', 429)
  assert.equal(refused.code, 'rate_limited')
})

test('a link that was deleted with a way back is said to be that', async (t) => {
  const { change, api, token } = await startCollected(t)
  await fetch(api(token, '/links/menu?link=true&undo=true'), { method: 'DELETE' })
  assert.deepEqual(codesOf(await change([{ code: 'menu', title: 'x' }, { code: 'drinks' }])), ['link_deleted', false])
})
