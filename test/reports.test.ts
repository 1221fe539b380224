// Reports of harmful links, counted by the networks of their senders: what operator and owner are told, and what is kept.
import assert from 'node:assert/strict'
import { readFileSync, readdirSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { command } from './support/cli.ts'
import { startDns } from './support/dns.ts'
import { scrape } from './support/metrics.ts'
import { startTwo } from './support/nodes.ts'
import { poll } from './support/poll.ts'
import { startReceiver } from './support/receiver.ts'
import {
  create,
  post,
  runFor,
  skipUnlessSqlite,
  startServer,
  visit,
  type Created,
  type TestServer,
} from './support/server.ts'

const DAY_MS = 86_400_000
const target = 'https://example.com/offer'

const outputOf = async ({ dataDir }: TestServer, ...args: string[]) => (await command(dataDir, ...args)).stdout

/** Reports a code from an address of loopback. */
function reportFrom(
  { url }: Pick<TestServer, 'url'>,
  address: string,
  code: string,
  reason = 'phishing',
  details?: string,
) {
  const body = JSON.stringify({ code, reason, details })
  return new Promise<number>((resolve, reject) => {
    const options = { method: 'POST', localAddress: address, headers: { 'content-type': 'application/json' } }
    const sent = request(`${url}/api/reports`, options, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

interface Found {
  code: string
  notes: { details: string }[]
  networks: number
  count: number
  told_at: number | null
}

async function reportsOf({ services }: TestServer): Promise<Found[]> {
  const answer = (await services.abuse.operations['reports']?.({})) as { reports: Found[] }
  return answer.reports
}

const unhandledOf = async ({ url }: TestServer) => (await scrape(url)).values.get('quirl_reported_links')

const detailsOf = async ({ url }: Pick<TestServer, 'url'>, token: string) =>
  (await (await fetch(`${url}/api/manage/${token}`)).json()) as {
    reported?: { networks: number; reason: string; at: string }
    warned?: object
  }

const linesOf = ({ logged }: TestServer) =>
  logged
    .filter(({ msg }) => /many people/.test(String(msg)))
    .map(({ code, networks, reason }) => [code, networks, reason])

test('a network that reports a link again takes the place of no other note', async (t) => {
  const server = await startServer(t)
  const { code } = await create(server, { target })
  const notesOf = async () => (await reportsOf(server))[0]?.notes.map(({ details }) => details)
  await reportFrom(server, '127.0.5.1', code, 'phishing', 'copies the page of my bank')
  for (let at = 0; at < 15; at++) await reportFrom(server, '127.0.6.1', code, 'spam', `noise ${at}`)
  const noise = Array.from({ length: 9 }, (_, at) => `noise ${8 - at}`)
  assert.deepEqual(await notesOf(), [...noise, 'copies the page of my bank'])
  await reportFrom(server, '127.0.7.1', code, 'phishing', 'asks for a PIN')
  assert.deepEqual(await notesOf(), ['asks for a PIN', ...noise])
})

test('the command says when more links are reported than it lists', async (t) => {
  const server = await startServer(t, { LIMIT_LINKS: '0', LIMIT_REPORTS: '0' })
  const rows = Array.from({ length: 201 }, () => ({ target }))
  const { results } = (await (await post(`${server.url}/api/bulk`, rows)).json()) as { results: Created[] }
  const warningOf = async () => (await command(server.dataDir, 'reports')).stderr
  const report = ({ code }: Created, at: number) => reportFrom(server, `127.0.${1 + (at % 20)}.1`, code)
  await Promise.all(results.slice(1).map(report))
  assert.equal(await warningOf(), '')
  await report(results[0] as Created, 0)
  assert.match(await warningOf(), /more links are reported than these 200, which come first/)
})

test('reports of one network count once, and those of five networks are told to operator and owner, once', async (t) => {
  const receiver = await startReceiver(t)
  const { address: DNS_SERVERS } = await startDns(t, { 'hook.example.com': { a: ['127.0.0.1'] } })
  const webhooks = { isAllowed: (address: string) => address === '127.0.0.1', pollMs: 10 }
  const server = await startServer(t, { DNS_SERVERS }, undefined, { webhooks })
  const webhook = { url: `http://hook.example.com:${receiver.port}/`, events: ['link.reported'] }
  const { code, token, short_url: url, manage_url: page } = await create(server, { target, alias: 'Offer', webhook })
  // One household, one office, one botnet's network.
  for (const address of ['127.0.1.1', '127.0.1.2', '127.0.1.255', '127.0.2.1', '127.0.3.1', '127.0.4.1', '127.0.4.9'])
    assert.equal(await reportFrom(server, address, code), 202)
  assert.deepEqual(
    (await reportsOf(server)).map((each) => [each.networks, each.count, each.told_at]),
    [[4, 7, null]],
  )
  const handled = () => unhandledOf(server)
  assert.deepEqual([(await detailsOf(server, token)).reported, linesOf(server), await handled()], [undefined, [], 0])

  for (const address of ['127.0.5.1', '127.0.6.1', '127.0.5.1']) await reportFrom(server, address, code, 'scam')
  const { reported } = await detailsOf(server, token)
  assert.deepEqual([reported?.networks, reported?.reason], [5, 'phishing'])
  assert.deepEqual([linesOf(server), await handled()], [[['Offer', 5, 'phishing']], 1])
  assert.match(await outputOf(server, 'reports'), /Offer +6 ! +10 /)
  await poll(() => receiver.received.length > 0)
  const [{ event } = { event: undefined }] = receiver.received
  assert.equal(event?.type, 'link.reported')
  assert.deepEqual([event?.data['code'], event?.data['networks'], event?.data['reason']], ['Offer', 5, 'phishing'])
  const seen = await (await fetch(page)).text()
  assert.match(seen, /People from several networks had reported this link by .* Most say that it is phishing\./s)
  const german = await (await fetch(page, { headers: { 'accept-language': 'de' } })).text()
  assert.match(german, /Personen aus mehreren Netzen .* Die meisten nennen Phishing\./s)
  // A report changes no visit.
  const answer = await visit(url, { accept: 'text/html' })
  assert.deepEqual([answer.status, answer.headers.get('location')], [302, target])

  await outputOf(server, 'reports', 'dismiss', code)
  assert.deepEqual(
    [(await detailsOf(server, token)).reported, await handled(), await reportsOf(server)],
    [undefined, 0, []],
  )
})

test('a network is an IPv4 /24 or an IPv6 /32, of which one stranger may have all of 65,536 /48, and the threshold is a setting', async (t) => {
  const server = await startServer(t, { REPORT_THRESHOLD: '2', TRUST_PROXY: '127.0.0.1' })
  const { code, token } = await create(server, { target })
  const from = (address: string) =>
    post(`${server.url}/api/reports`, { code, reason: 'spam' }, { 'x-forwarded-for': address })
  for (const address of ['2001:db8:1::1', '2001:db8:1:ffff::1', '2001:db8:2::1', '2001:db8:ffff::1'])
    await from(address)
  assert.equal((await detailsOf(server, token)).reported, undefined)
  await from('2001:db9:1::1')
  assert.equal((await detailsOf(server, token)).reported?.networks, 2)
})

test(
  'reports count for 30 days; then nothing is kept of where they came from, and the owner can be told again',
  { skip: skipUnlessSqlite },
  async (t) => {
    let now = Date.now()
    const server = await startServer(t, { REPORT_THRESHOLD: '3' }, () => now)
    const { code, token } = await create(server, { target })
    const advance = (days: number) => runFor(server, days * DAY_MS, (ms) => (now += ms))
    await reportFrom(server, '127.0.1.1', code)
    await advance(20)
    await reportFrom(server, '127.0.2.1', code)
    // The first one again: it counts once, and from now on.
    await reportFrom(server, '127.0.1.1', code)
    await advance(11)
    assert.deepEqual(
      (await reportsOf(server)).map(({ networks }) => networks),
      [2],
    )
    await advance(20)
    await reportFrom(server, '127.0.3.1', code)
    assert.equal((await detailsOf(server, token)).reported, undefined)
    await reportFrom(server, '127.0.4.1', code)
    await reportFrom(server, '127.0.5.1', code)
    assert.equal((await detailsOf(server, token)).reported?.networks, 3)
    await advance(31)
    for (const network of [6, 7, 8]) await reportFrom(server, `127.0.${network}.1`, code)
    assert.equal(linesOf(server).length, 2)
    await advance(31)
    // It is forgotten each hour, and by a start.
    await server.stop()
    const { services } = await startServer(t, { DATA_DIR: server.dataDir }, () => now)
    const left = () =>
      Promise.all([
        services.db.read.selectFrom('reporters').selectAll().execute(),
        services.db.read.selectFrom('reporter_salts').selectAll().execute(),
      ])
    await poll(async () => (await left()).flat().length === 0)
  },
)

test('no file and no log line has the address of a reporter', { skip: skipUnlessSqlite }, async (t) => {
  const server = await startServer(t, { REPORT_THRESHOLD: '2', TRUST_PROXY: '127.0.0.1' })
  const { code } = await create(server, { target })
  const addresses = ['198.51.100.77', '203.0.113.88', '2001:db8:abcd:1::1']
  for (const address of addresses)
    await post(`${server.url}/api/reports`, { code, reason: 'scam' }, { 'x-forwarded-for': address })
  assert.equal(linesOf(server).length, 1)
  const files = readdirSync(server.dataDir, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  const kept = files.map((file) => readFileSync(join(file.parentPath, file.name)).toString('latin1')).join('\n')
  const all = kept + JSON.stringify(server.logged)
  for (const address of [...addresses, '198.51.100', '203.0.113', '2001:db8:abcd']) {
    assert.ok(!all.includes(address), address)
    if (!address.includes(':')) {
      const bytes = Buffer.from(address.split('.').map(Number)).toString('latin1')
      if (bytes.length === 4) assert.ok(!all.includes(bytes), `the bytes of ${address}`)
    }
  }
})

test('two nodes count the networks of both, and tell once', async (t) => {
  const nodes = await startTwo(t)
  if (nodes === undefined) return
  const [one, two] = nodes
  const { code, token } = await create(one, { target })
  await Promise.all(
    Array.from({ length: 12 }, (_, at) => reportFrom(at % 2 === 0 ? one : two, `127.0.${1 + (at % 6)}.1`, code)),
  )
  assert.deepEqual(
    (await reportsOf(two)).map(({ networks, count }) => [networks, count]),
    [[6, 12]],
  )
  assert.equal((await detailsOf(two, token)).reported?.networks, 5)
  assert.equal([...linesOf(one), ...linesOf(two)].length, 1)
  assert.deepEqual([await unhandledOf(one), await unhandledOf(two)], [1, 1])
})
