import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CampaignCount, LinkCount } from '../src/collections/breakdowns.ts'
import type { Stats } from '../src/scans/statistics/stats.ts'
import { createDatabase } from './support/drivers.ts'
import { urlOf } from './support/postgres.ts'
import { requireProgram } from './support/programs.ts'
import { create, manage, post, startServer, visit, type Created } from './support/server.ts'
import type { TestContext } from 'node:test'

type CollectionStats = Stats & {
  links: number
  breakdowns: Stats['breakdowns'] & { link: LinkCount[]; campaign: CampaignCount[] }
}

const PERSON = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0' }
const UNKNOWN = `collection_${'x'.repeat(43)}`
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

const stores = [
  { name: 'SQLite', env: async (): Promise<Record<string, string> | undefined> => ({}) },
  {
    name: 'PostgreSQL',
    env: async (t: TestContext) =>
      requireProgram(t, 'initdb', 'postgresql') ? { DATABASE_URL: urlOf(await createDatabase()) } : undefined,
  },
]

/** A collection of five links, of two campaigns and none, with visits. */
async function startCollection(t: TestContext, env: Record<string, string>) {
  const server = await startServer(t, { ...env, LIMIT_LINKS: '0' })
  const { token } = (await (await post(`${server.url}/api/collections`, {})).json()) as { token: string }
  const inCollection = { 'quirl-collection': token }
  const links: Created[] = []
  for (const [alias, title, campaign] of [
    ['menu', 'The menu', 'summer'],
    ['poster', null, 'summer'],
    ['card', 'Card', 'winter'],
    ['door', null, null],
    ['quiet', null, 'autumn'],
  ]) {
    const body = { target: 'https://example.com/', alias, title, campaign }
    const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null))
    links.push((await (await post(`${server.url}/api/links`, given, inCollection)).json()) as Created)
  }
  for (const [at, link] of links.slice(0, 4).entries())
    for (let count = 0; count <= at; count++)
      await visit(`${link.short_url}${count === 1 ? '?qr=1' : ''}`, count % 2 === 0 ? PERSON : {})
  const api = (path: string, of = token) => `${server.url}/api/collections/${of}${path}`
  const read = async (query = ''): Promise<CollectionStats> => {
    const response = await fetch(api(`/stats${query}`))
    assert.equal(response.status, 200, await response.clone().text())
    return (await response.json()) as CollectionStats
  }
  const own = async (link: Created, query = '') =>
    (await (await fetch(manage(server, link, `/stats${query}`))).json()) as Stats
  return { server, token, links, api, read, own }
}

/** Whether the totals of a collection are the sums of those of links. */
async function assertSum(
  { read, own }: Awaited<ReturnType<typeof startCollection>>,
  links: Created[],
  query = '',
  campaign = '',
): Promise<void> {
  const stats = await read(`${query}${campaign}`)
  const each: Stats[] = []
  for (const link of links) each.push(await own(link, query))
  const sum = (of: (stats: Stats) => number) => each.reduce((total, one) => total + of(one), 0)
  assert.equal(stats.links, links.length)
  for (const name of ['scans', 'unique_visitors', 'humans', 'bots', 'qr', 'link'] as const)
    assert.equal(
      stats.totals[name],
      sum(({ totals }) => totals[name]),
      name,
    )
  for (const [at, { scans }] of stats.series.entries())
    assert.equal(
      scans,
      sum(({ series }) => series[at]?.scans ?? 0),
    )
  for (const { value, scans } of stats.breakdowns.browser)
    assert.equal(
      scans,
      sum(({ breakdowns }) => breakdowns.browser.find((row) => row.value === value)?.scans ?? 0),
    )
}

for (const { name, env } of stores) {
  test(`${name}: the statistics of a collection are the sums of its links, also when some join, leave and are deleted`, async (t) => {
    const variables = await env(t)
    if (variables === undefined) return
    const started = await startCollection(t, variables)
    const { server, links, api, read, token } = started
    const [menu, poster, card, door, quiet] = links as [Created, Created, Created, Created, Created]
    await assertSum(started, links, '?days=30')
    await assertSum(started, links, '?days=7&tz=Asia/Kolkata&compare=previous&heat=true&interval=hour')
    await assertSum(started, links, '?audience=human&source=link')
    await assertSum(started, [menu, poster], '?days=30', '&campaign=summer')
    await assertSum(started, [door], '?days=30', '&campaign=~')
    await visit(menu.short_url, PERSON)
    await assertSum(started, links, '?days=30')
    await fetch(api(`/links/${poster.code}`), { method: 'DELETE' })
    await assertSum(started, [menu, card, door, quiet], '?days=30')
    await fetch(api(`/links/${card.code}?link=true`), { method: 'DELETE' })
    await assertSum(started, [menu, door, quiet], '?days=30')
    const late = await create(server, { target: 'https://example.com/' })
    await visit(late.short_url, PERSON)
    await post(api('/links'), { tokens: [late.token, poster.token] })
    await assertSum(started, [menu, poster, door, quiet, late], '?days=30')
    const rotated = await post(manage(server, menu, '/rotate'), undefined)
    const { token: next } = (await rotated.json()) as { token: string }
    await fetch(manage(server, { ...menu, token: next }))
    const left = await read()
    assert.deepEqual(
      left.breakdowns.link.map(({ code }) => code).toSorted(),
      [door.code, late.code, poster.code].toSorted(),
    )
    assert.ok(!JSON.stringify(left).includes(token))
  })
}

test('statistics of a collection list its links and its campaigns, and those of a campaign its links', async (t) => {
  const { read } = await startCollection(t, {})
  const { breakdowns } = await read()
  assert.deepEqual(
    breakdowns.link.map(({ code, title, scans }) => [code, title, scans]),
    [
      ['door', null, 4],
      ['card', 'Card', 3],
      ['poster', null, 2],
      ['menu', 'The menu', 1],
    ],
  )
  assert.deepEqual(
    breakdowns.campaign.map(({ value, scans }) => [value, scans]),
    [
      [null, 4],
      ['summer', 3],
      ['winter', 3],
    ],
  )
  const { breakdowns: of, links } = await read('?campaign=summer&limit=1')
  assert.equal(links, 2)
  assert.deepEqual([of.link.map(({ code }) => code), of.campaign.map(({ value }) => value)], [['poster'], ['summer']])
  assert.equal((await read('?campaign=nothing')).totals.scans, 0)
  const { breakdowns: filtered } = await read('?source=qr')
  assert.deepEqual(
    filtered.link.map(({ code, scans }) => [code, scans]),
    [
      ['card', 1],
      ['door', 1],
      ['poster', 1],
    ],
  )
})

test('statistics and exports of a collection need its token, and refuse what those of a link refuse', async (t) => {
  const { server, api, token, links } = await startCollection(t, {})
  for (const path of ['/stats', '/scans.csv', '/scans.ndjson']) {
    for (const other of [UNKNOWN, links[0]?.token ?? '']) {
      const response = await fetch(api(path, other))
      assert.deepEqual(
        [response.status, ((await response.json()) as { code: string }).code],
        [404, 'collection_not_found'],
      )
    }
    const byHeader = await fetch(`${server.url}/api/collections${path}`, { headers: bearer(token) })
    const byPath = await fetch(api(path))
    assert.deepEqual([byHeader.status, await byHeader.text()], [200, await byPath.text()])
    assert.equal(byPath.headers.get('cache-control'), 'no-store')
  }
  for (const [query, pointer] of [
    ['days=0', '/days'],
    ['tz=Mars', '/tz'],
    ['campaign=', '/campaign'],
    [`campaign=${'x'.repeat(201)}`, '/campaign'],
  ]) {
    const response = await fetch(api(`/stats?${query}`))
    const { errors } = (await response.json()) as { errors: { pointer: string }[] }
    assert.deepEqual([response.status, errors.map((each) => each.pointer)], [400, [pointer]])
  }
})

test('an export of a collection has the scans of each link, with its code in the first column', async (t) => {
  const { server, api, links } = await startCollection(t, {})
  const [menu, poster, card, door] = links as [Created, Created, Created, Created]
  const csvOf = async (link: Created) => (await (await fetch(manage(server, link, '/scans.csv'))).text()).trim()
  const codeOf = (row: string) => row.slice(0, row.indexOf(','))
  const expected: string[] = []
  for (const link of [menu, poster, card, door]) {
    const [, ...rows] = (await csvOf(link)).split('\r\n')
    expected.push(...rows.map((row) => `${link.code},${row}`))
  }
  const response = await fetch(api('/scans.csv'))
  assert.match(response.headers.get('content-type') ?? '', /^text\/csv/)
  assert.equal(response.headers.get('quirl-raw-missing'), '0')
  const [head, ...rows] = (await response.text()).trim().split('\r\n')
  assert.equal(head, `code,${(await csvOf(menu)).split('\r\n')[0]}`)
  // The order of the links is none; that of the scans of each is.
  const byLink = (all: string[]) =>
    all.toSorted((one, other) => (codeOf(one) < codeOf(other) ? -1 : Number(codeOf(one) > codeOf(other))))
  assert.deepEqual(byLink(rows), byLink(expected))
  const lines = (await (await fetch(api('/scans.ndjson?campaign=summer'))).text()).trim().split('\n')
  const codes = lines.map((line) => (JSON.parse(line) as { code: string }).code)
  assert.deepEqual(codes.toSorted(), [menu.code, poster.code, poster.code].toSorted())
  const without = (await (await fetch(api('/scans.csv?campaign=~'))).text()).trim().split('\r\n')
  assert.deepEqual(
    without.slice(1).map((row) => row.split(',')[0]),
    Array.from({ length: 4 }, () => door.code),
  )
  const empty = await fetch(api('/scans.csv?campaign=nothing'))
  assert.deepEqual([empty.status, (await empty.text()).trim()], [200, head])
  const headOnly = await fetch(api('/scans.csv'), { method: 'HEAD' })
  assert.equal(headOnly.headers.get('content-disposition'), 'attachment; filename="collection-scans.csv"')
})
