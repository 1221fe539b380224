import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { hashToken } from '../src/lib/token.ts'
import { MAX_SHARES } from '../src/shares/bounds.ts'
import { createDatabase } from './support/drivers.ts'
import { urlOf } from './support/postgres.ts'
import { requireProgram } from './support/programs.ts'
import { post, put, startServer, visit, type Created } from './support/server.ts'

interface Share {
  id: string
  share_url: string
  share_token: string
  name: string | null
  campaign: string | null
  csv: boolean
  destination: boolean
}
interface SharedStats {
  links: number
  totals: { scans: number }
  breakdowns: {
    link: { code: string; title: string | null; scans: number; destinations?: string[] }[]
    campaign: { value: string | null; scans: number }[]
  }
}

const PERSON = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:148.0) Gecko/20100101 Firefox/148.0' }

const stores = [
  { name: 'SQLite', env: async (): Promise<Record<string, string> | undefined> => ({}) },
  {
    name: 'PostgreSQL',
    env: async (t: TestContext) =>
      requireProgram(t, 'initdb', 'postgresql') ? { DATABASE_URL: urlOf(await createDatabase()) } : undefined,
  },
]

/** A collection of three links, two of them of the campaign `spring`, with one, two and three visits. */
async function startCollection(t: TestContext, env: Record<string, string> = {}) {
  const server = await startServer(t, { ...env, LIMIT_LINKS: '0' })
  const { token } = (await (await post(`${server.url}/api/collections`, { name: 'Shop' })).json()) as { token: string }
  const links: Created[] = []
  const bodies = [
    { alias: 'door', title: 'The <door>', campaign: 'spring', target: 'https://example.com/door' },
    { alias: 'till', campaign: 'spring', target: 'https://example.com/till', password: 'correct-horse' },
    { alias: 'card', target: 'https://example.com/card' },
  ]
  for (const body of bodies) {
    const created = await post(`${server.url}/api/links`, body, { 'quirl-collection': token })
    links.push((await created.json()) as Created)
  }
  for (const [at, { code }] of links.entries()) {
    for (let count = 0; count <= at; count++)
      if (code === 'till')
        await fetch(`${server.url}/till`, {
          method: 'POST',
          redirect: 'manual',
          headers: { ...PERSON, 'content-type': 'application/x-www-form-urlencoded' },
          body: 'password=correct-horse',
        })
      else await visit(`${server.url}/${code}`, PERSON)
  }
  const api = (path: string, of = token) => `${server.url}/api/collections/${of}${path}`
  const share = async (body: object = {}): Promise<Share> => {
    const response = await post(api('/share'), body)
    assert.equal(response.status, 201, await response.clone().text())
    return (await response.json()) as Share
  }
  const shared = (of: Share, path: string) => fetch(`${server.url}/api/share/${of.share_token}${path}`)
  const stats = async (of: Share, query = ''): Promise<SharedStats> => {
    const response = await shared(of, `/stats${query}`)
    assert.equal(response.status, 200, await response.clone().text())
    return (await response.json()) as SharedStats
  }
  return { server, token, links, api, share, shared, stats }
}

const codeOf = async (response: Response) => ((await response.json()) as { code: string }).code

for (const { name, env } of stores) {
  test(`on ${name}, a share reads the statistics of all links of a collection, or of one campaign, and never a token`, async (t) => {
    const given = await env(t)
    if (given === undefined) return
    const { token, links, share, shared, stats, api } = await startCollection(t, given)
    const all = await share({ name: 'boss' })
    const spring = await share({ campaign: 'spring' })
    const none = await share({ campaign: '~' })
    assert.deepEqual([all.campaign, spring.campaign, none.campaign], [null, 'spring', '~'])
    const read = await stats(all)
    assert.deepEqual([read.links, read.totals.scans], [3, 6])
    assert.deepEqual(
      read.breakdowns.link.map(({ code, title, scans }) => [code, title, scans]),
      [
        ['card', null, 3],
        ['till', null, 2],
        ['door', 'The <door>', 1],
      ],
    )
    assert.deepEqual(
      read.breakdowns.campaign.map(({ value, scans }) => [value, scans]),
      [
        ['spring', 3],
        [null, 3],
      ],
    )
    const ofSpring = await stats(spring)
    assert.deepEqual([ofSpring.links, ofSpring.totals.scans], [2, 3])
    assert.equal((await stats(none)).links, 1)
    assert.equal((await stats(all, '?campaign=spring')).totals.scans, 3)
    const other = await shared(spring, '/stats?campaign=~')
    assert.deepEqual([other.status, await codeOf(other)], [400, 'invalid_request'])
    for (const each of [all, spring]) {
      const text = await (await shared(each, '/stats')).text()
      for (const secret of [token, each.share_token, ...links.map((link) => link.token)])
        assert.ok(!text.includes(secret))
    }
    const { shares } = (await (await fetch(api('/shares'))).json()) as { shares: object[] }
    assert.deepEqual(shares[0], {
      id: all.id,
      name: 'boss',
      campaign: null,
      csv: false,
      destination: false,
      created_at: (shares[0] as { created_at: string }).created_at,
    })
    assert.equal(shares.length, 3)
  })

  test(`on ${name}, a share ends with its revocation and with the collection, and outlives a new key`, async (t) => {
    const given = await env(t)
    if (given === undefined) return
    const { server, token, links, share, shared, stats, api } = await startCollection(t, given)
    const [revoked, kept] = [await share(), await share()]
    assert.equal((await fetch(api(`/shares/${revoked.id}`), { method: 'DELETE' })).status, 200)
    assert.equal(await codeOf(await fetch(api(`/shares/${revoked.id}`), { method: 'DELETE' })), 'unknown_share')
    assert.equal((await shared(revoked, '/stats')).status, 404)
    const rotated = (await (await post(api('/rotate'), {})).json()) as { token: string }
    assert.equal((await fetch(api('/shares', rotated.token))).status, 200)
    assert.equal((await fetch(api('/shares'))).status, 404, 'the new key replaces the old one')
    assert.equal((await stats(kept)).links, 3)
    await fetch(api(`/links/${links[0]?.code}`, rotated.token), { method: 'DELETE' })
    const left = await stats(kept)
    assert.deepEqual([left.links, left.totals.scans], [2, 5], 'a link that left is not counted')
    const stored = () => server.services.db.read.selectFrom('collection_shares').selectAll().execute()
    assert.deepEqual(
      (await stored()).map((row) => row.token_hash),
      [hashToken(kept.share_token)],
    )
    assert.equal((await fetch(api('', rotated.token), { method: 'DELETE' })).status, 200)
    assert.equal((await shared(kept, '/stats')).status, 404)
    assert.deepEqual(await stored(), [])
    assert.equal((await fetch(api('/shares', token))).status, 404)
  })

  test(`on ${name}, concurrent creations do not exceed the bound of a collection, and none outlives its end`, async (t) => {
    const given = await env(t)
    if (given === undefined) return
    const { server, api } = await startCollection(t, given)
    const statuses = await Promise.all(
      Array.from({ length: MAX_SHARES + 5 }, async () => (await post(api('/share'), {})).status),
    )
    assert.equal(statuses.filter((status) => status === 201).length, MAX_SHARES)
    assert.equal(await codeOf(await post(api('/share'), {})), 'too_many_shares')
    await Promise.all([
      fetch(api(''), { method: 'DELETE' }),
      ...Array.from({ length: 5 }, () => post(api('/share'), {})),
    ])
    assert.deepEqual(await server.services.db.read.selectFrom('collection_shares').selectAll().execute(), [])
  })

  test(`on ${name}, targets are in a share whose owner included them, but for links with a password`, async (t) => {
    const given = await env(t)
    if (given === undefined) return
    const { share, shared, stats } = await startCollection(t, given)
    const bare = await share()
    assert.doesNotMatch(await (await shared(bare, '/stats')).text(), /example\.com/)
    const { breakdowns } = await stats(await share({ destination: true }))
    const destinations = Object.fromEntries(breakdowns.link.map((row) => [row.code, row.destinations]))
    assert.deepEqual(destinations, {
      card: ['https://example.com/card'],
      till: undefined,
      door: ['https://example.com/door'],
    })
  })
}

test('however many long addresses the links of a share have, its statistics and its page stay small, and say where others lead', async (t) => {
  const { server, token, share, shared, stats } = await startCollection(t)
  const headers = { 'quirl-collection': token }
  const path = 'a'.repeat(2000)
  for (let page = 0; page < 4; page++) {
    const links = Array.from({ length: 100 }, (_, at) => ({
      label: 'Menu',
      url: `https://example.com/${path}${page}/${at}`,
    }))
    const created = await post(`${server.url}/api/links`, { kind: 'page', headline: 'Bakery', links }, headers)
    const { code } = (await created.json()) as Created
    for (let count = 0; count < 5; count++) await visit(`${server.url}/${code}`, PERSON)
  }
  const given = await share({ destination: true })
  const { breakdowns } = await stats(given)
  assert.equal(breakdowns.link.length, 7)
  assert.deepEqual(breakdowns.link.find(({ code }) => code === 'card')?.destinations, ['https://example.com/card'])
  const characters = breakdowns.link.flatMap(({ destinations = [] }) => destinations).join('').length
  assert.ok(characters > 200_000 && characters <= 256 * 1024, String(characters))
  for (const response of [await shared(given, '/stats'), await fetch(given.share_url)])
    assert.ok((await response.text()).length < 2 ** 20)
})

test('without the single visits, a share refuses what comes close to them; with them, it exports each with its code', async (t) => {
  const { share, shared } = await startCollection(t)
  const bare = await share({ campaign: 'spring' })
  for (const query of ['interval=hour', 'heat=true', 'limit=100', 'compare=year', 'country=DE'])
    assert.equal((await shared(bare, `/stats?${query}`)).status, 403, query)
  for (const query of ['days=7', 'interval=week', 'placement=~', 'previous=true'])
    assert.equal((await shared(bare, `/stats?${query}`)).status, 200, query)
  assert.equal((await shared(bare, '/scans.csv')).status, 403)
  const full = await share({ campaign: 'spring', csv: true })
  assert.equal((await shared(full, '/stats?heat=true')).status, 200)
  const lines = (await (await shared(full, '/scans.csv')).text()).trim().split('\r\n')
  const [head, ...codes] = lines.map((line) => line.split(',')[0])
  assert.deepEqual([head, ...codes.toSorted()], ['code', 'door', 'till', 'till'])
  const rows = (await (await shared(full, '/scans.ndjson')).text()).trim().split('\n')
  assert.equal(rows.length, 3)
  assert.equal((await shared(full, '/scans.csv?campaign=other')).status, 400)
})

test('a retry with the same key returns the same share, also with the new key of the collection', async (t) => {
  const { api } = await startCollection(t)
  const key = { 'idempotency-key': 'a-key-that-is-long-enough' }
  const create = async (url: string) => (await (await post(url, { name: 'boss' }, key)).json()) as Share
  const first = await create(api('/share'))
  assert.deepEqual(await create(api('/share')), first)
  const reused = await post(api('/share'), { name: 'other' }, key)
  assert.equal(reused.status, 422)
})

test('tokens of shares, collections and links never stand in for each other', async (t) => {
  const { server, token, links, share, api } = await startCollection(t)
  const { share_token: own } = await share({ csv: true })
  for (const path of ['', '/stats', '/shares', '/links', '/scans.csv'])
    assert.equal((await fetch(api(path, own))).status, 404, path)
  assert.equal((await post(api('/share', own), {})).status, 404)
  assert.equal((await post(api('/share', links[0]?.token), {})).status, 404)
  for (const path of ['', '/stats', '/shares'])
    assert.equal((await fetch(`${server.url}/api/manage/${own}${path}`)).status, 404, path)
  for (const secret of [token, links[0]?.token])
    assert.equal((await fetch(`${server.url}/api/share/${secret}/stats`)).status, 404)
})

test('what a share has no field for is refused by name', async (t) => {
  const { api, links, server } = await startCollection(t)
  const fault = async (body: object) => {
    const response = await post(api('/share'), body)
    const { errors } = (await response.json()) as { errors: { pointer: string }[] }
    return [response.status, errors.map(({ pointer }) => pointer)]
  }
  assert.deepEqual(await fault({ name: 'x'.repeat(101) }), [400, ['/name']])
  assert.deepEqual(await fault({ campaign: '' }), [400, ['/campaign']])
  assert.deepEqual(await fault({ campaign: 'x'.repeat(201) }), [400, ['/campaign']])
  assert.deepEqual(await fault({ csv: 'yes' }), [400, ['/csv']])
  const ofLink = (await (await post(`${server.url}/api/manage/${links[0]?.token}/share`, {})).json()) as Share
  assert.equal((await fetch(`${server.url}/api/share/${ofLink.share_token}/stats?campaign=spring`)).status, 400)
})

test('the page of a share is a report of the links without a token, also as files', async (t) => {
  const { server, token, links, share, api } = await startCollection(t)
  const page = async (of: Share, path = '', language = 'en') => {
    const response = await fetch(`${server.url}/s/${of.share_token}${path}`, {
      headers: { 'accept-language': language },
    })
    assert.equal(response.status, 200, await response.clone().text())
    return response.text()
  }
  const all = await share()
  const text = await page(all)
  assert.match(text, /<h1 lang="" dir="auto">Shop<\/h1>/)
  assert.match(text, /3 links/)
  assert.match(text, /The &lt;door&gt;/)
  assert.match(text, /id="list-campaign"/)
  for (const secret of [token, ...links.map((link) => link.token)]) assert.ok(!text.includes(secret))
  const spring = await share({ campaign: 'spring', destination: true, csv: true })
  const german = await page(spring, '?campaign=~', 'de')
  assert.match(german, /Kampagne: spring · 2 Links/)
  assert.match(german, /https:\/\/example\.com\/door/)
  assert.doesNotMatch(german, /id="list-campaign"/)
  assert.match(await page(spring, '/statistics/link.csv'), /^code,title,scans,unique_visitors\r\ntill,,2,1\r\ndoor/)
  await put(api(''), { name: null })
  assert.match(await page(all), /<h1 lang="" dir="auto">Links<\/h1>/)
})
