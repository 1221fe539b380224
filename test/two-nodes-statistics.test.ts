// What two nodes on one PostgreSQL promise about scans: each shows those of both.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from '#kysely'
import type { Stats } from '../src/scans/statistics/stats.ts'
import { startDns } from './support/dns.ts'
import { startTwo } from './support/nodes.ts'
import { PATIENCE_MS, poll } from './support/poll.ts'
import { startReceiver } from './support/receiver.ts'
import { create, post, visit, type Created, type TestServer } from './support/server.ts'

const target = 'https://example.com/'
const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'
const BOT = 'curl/8'

/** Visits a link as different people, or again and again as one robot. */
async function visitTimes(server: TestServer, { code }: Created, times: number, from = 0, agent = BROWSER) {
  for (let done = 0; done < times; done++) {
    const headers = { 'user-agent': agent, 'x-forwarded-for': `203.0.113.${from + done}` }
    await visit(`${server.url}/${code}`, headers)
  }
}

async function read<Body>(server: TestServer, { token }: Created, path: string): Promise<Body> {
  const response = await fetch(`${server.url}/api/manage/${token}${path}`)
  assert.equal(response.status, 200)
  return (await response.json()) as Body
}

/** Waits until statistics count so many scans, those of all nodes until three seconds ago, and returns them. */
async function statsWith(server: TestServer, link: Created, scans: number): Promise<Stats> {
  let stats: Stats | undefined
  await poll(
    async () => {
      stats = await read<Stats>(server, link, '/stats?days=7&previous=true')
      return stats.totals.scans === scans && stats.as_of === undefined
    },
    () => JSON.stringify(stats?.totals),
  )
  assert.ok(stats !== undefined)
  return stats
}

test('two nodes on one PostgreSQL', async (t) => {
  const receiver = await startReceiver(t)
  const { address } = await startDns(t, { 'hook.example.com': { a: ['127.0.0.1'] } })
  const isAllowed = (each: string) => each === '127.0.0.1'
  const webhooks = { isAllowed, pollMs: 10, timeoutMs: PATIENCE_MS }
  const nodes = await startTwo(t, { DNS_SERVERS: address, TRUST_PROXY: '127.0.0.0/8' }, { webhooks })
  if (nodes === undefined) return
  const [a, b] = nodes

  await t.test('both return the statistics of the visits that either has answered', async () => {
    const link = await create(a, { target })
    await visitTimes(a, link, 20)
    // Half of them have visited the other node today.
    await visitTimes(b, link, 20, 10)
    await visitTimes(b, link, 5, 0, BOT)
    const [first, second] = [await statsWith(a, link, 45), await statsWith(b, link, 45)]
    assert.deepEqual(first, second)
    const { humans, bots, unique_visitors: visitors } = first.totals
    assert.deepEqual([humans, bots], [40, 5])
    // Those who come with another program are others.
    assert.equal(visitors, 35)
    const totals = nodes.map(async (node) => (await read<{ totals: object }>(node, link, '')).totals)
    assert.deepEqual(await totals[0], await totals[1])
    const csv = await Promise.all(
      nodes.map(async ({ url }) => (await fetch(`${url}/api/manage/${link.token}/scans.csv`)).text()),
    )
    assert.equal(csv[0], csv[1])
    assert.equal(csv[0]?.trim().split('\r\n').length, 46)
    const other = await create(b, { target })
    const many = nodes.map(async ({ url }) => {
      const response = await post(`${url}/api/stats`, { tokens: [link.token, other.token, link.token], days: 2 })
      return (await response.json()) as { total: { totals: { scans: number } } }
    })
    const [one, two] = await Promise.all(many)
    assert.deepEqual(one, two)
    assert.equal(one?.total.totals.scans, 45)
  })

  await t.test('a stream on one sends the visits of the other', async () => {
    const link = await create(a, { target })
    const closing = new AbortController()
    const { body } = await fetch(`${a.url}/api/manage/${link.token}/stream`, { signal: closing.signal })
    assert.ok(body !== null)
    let received = ''
    const reading = (async () => {
      for await (const text of body.pipeThrough(new TextDecoderStream())) received += text
    })().catch(() => {})
    await poll(() => received.includes('"scans":0'))
    await visitTimes(b, link, 3)
    await poll(
      () => received.includes('"scans":3'),
      () => received,
    )
    closing.abort()
    await reading
  })

  await t.test('a rule with a number of scans counts those of both', async () => {
    const rules = [{ when: { after_scans: 10 }, then: { target: 'https://example.com/later' } }]
    const link = await create(a, { target, rules })
    const locationAt = async (server: TestServer) =>
      (await visit(`${server.url}/${link.code}`, { 'user-agent': BOT })).headers.get('location')
    // In the memory of both.
    for (const node of nodes) assert.equal(await locationAt(node), target)
    await visitTimes(b, link, 10)
    assert.equal(await locationAt(b), rules[0]?.then.target)
    await poll(async () => (await locationAt(a)) === rules[0]?.then.target)
  })

  await t.test('a rule with a number of people counts those of both, and who visits both once', async () => {
    const rules = [{ when: { after_visitors: 10 }, then: { target: 'https://example.com/later' } }]
    const link = await create(a, { target, rules })
    const locationOf = async (server: TestServer, person: number) => {
      const headers = {
        'user-agent': 'Mozilla/5.0 (Windows NT 10.0) Firefox/140.0',
        'x-forwarded-for': `198.51.100.${person}`,
      }
      return (await visit(`${server.url}/${link.code}`, headers)).headers.get('location')
    }
    for (let round = 0; round < 3; round++)
      for (let person = 0; person < 9; person++)
        for (const node of nodes) assert.equal(await locationOf(node, person), target)
    assert.equal(await locationOf(b, 9), target)
    assert.equal(await locationOf(b, 3), rules[0]?.then.target)
    await poll(async () => (await locationOf(a, 3)) === rules[0]?.then.target)
  })

  await t.test('a milestone that both reach together is sent once', async () => {
    const webhook = { url: `http://hook.example.com:${receiver.port}/`, events: ['scans.milestone'] }
    const links = await Promise.all(Array.from({ length: 3 }, () => create(a, { target, webhook })))
    for (const link of links) {
      await Promise.all([visitTimes(a, link, 50), visitTimes(b, link, 50, 50)])
      await Promise.all(nodes.map(({ services }) => services.scans.fold()))
    }
    await poll(() => receiver.received.length >= 6)
    for (const link of links) {
      const ofLink = receiver.received.filter(({ event }) => event.data['code'] === link.code)
      assert.deepEqual(ofLink.map(({ event }) => event.data['milestone']).sort(), [10, 100])
    }
    assert.equal(receiver.received.length, 6)
  })

  await t.test('as_of says until when scans are included while another node has not folded', async () => {
    const link = await create(a, { target })
    const behind = async (seconds: number) => {
      await sql`insert into quirl_scans.folds values ('a third node', now() - make_interval(secs => ${seconds}))
        on conflict (folder) do update set folded_until = excluded.folded_until`.execute(a.services.db.write)
      return read<Stats>(b, link, '/stats')
    }
    const { as_of: asOf = '' } = await behind(60)
    const age = Date.now() - Date.parse(asOf)
    assert.ok(age >= 60_000 && age < 60_000 + PATIENCE_MS, asOf)
    const many = await post(`${b.url}/api/stats`, { tokens: [link.token] })
    assert.ok('as_of' in ((await many.json()) as object))
    const owned = `${b.url}/api/manage/${link.token}`
    const details = (await (await fetch(owned)).json()) as { as_of?: string }
    const stated = [details.as_of]
    for (const path of ['scans.csv', 'bundle'])
      stated.push((await fetch(`${owned}/${path}`)).headers.get('quirl-as-of') ?? undefined)
    for (const time of stated) assert.ok(Math.abs(Date.parse(time ?? '') - Date.parse(asOf)) < PATIENCE_MS, `${time}`)
    // One that is gone holds nothing up.
    for (const seconds of [2 * 3600, 0]) await poll(async () => (await behind(seconds)).as_of === undefined)
  })

  await t.test('the pages of the owner and of a share show the visits of both', async () => {
    const link = await create(a, { target, title: 'Ours' })
    await visitTimes(a, link, 4)
    await visitTimes(b, link, 3, 4)
    await statsWith(a, link, 7)
    const response = await post(`${a.url}/api/manage/${link.token}/share`, {})
    const { share_url: share } = (await response.json()) as { share_url: string }
    for (const { url } of nodes) {
      for (const path of [`/m/${link.token}`, new URL(share).pathname]) {
        const page = await (await fetch(url + path, { headers: { accept: 'text/html' } })).text()
        assert.match(page, /<dt>Visits by people<\/dt>\s*<dd>\s*<b>7<\/b>/, path)
      }
    }
  })
})
