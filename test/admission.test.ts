import assert from 'node:assert/strict'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import type { Work } from '../src/limits/work.ts'
import { connectRaw } from './support/raw.ts'
import { poll } from './support/poll.ts'
import { create, patientThreads, post, startServer, visit, type Created, type TestServer } from './support/server.ts'
import { scrape, valueOf } from './support/metrics.ts'
import { asHolder } from '../src/lib/holder.ts'

/** A request of each kind. */
const requests: Record<Work, (server: TestServer, link: Created) => Promise<Response>> = {
  creations: ({ url }) => post(`${url}/api/links`, { target: 'https://example.com/' }),
  batches: ({ url }, { token }) => post(`${url}/api/manage`, { changes: [{ token, title: crypto.randomUUID() }] }),
  reports: ({ url }, { code }) => post(`${url}/api/reports`, { code, reason: 'spam' }),
  images: ({ url }) => fetch(`${url}/api/qr?data=${crypto.randomUUID()}`),
  statistics: ({ url }, { token }) => fetch(`${url}/api/manage/${token}/stats`),
  pages: ({ url }) => fetch(url),
  domains: ({ url }) => fetch(`${url}/api/domains/unknown.bakery.shop`),
}
const kinds = Object.keys(requests) as Work[]

const waiting = ({ services: { limits } }: TestServer) =>
  kinds.reduce((sum, work) => sum + valueOf(limits.admission.metrics, 'quirl_requests_queued', work), 0)

/** Starts a service in which one kind of work never starts and its queue has a slot for one request. */
async function startStuck(t: TestContext, work: Work) {
  const clock = { now: Date.now() }
  const link: { created?: Created } = {}
  const bounds = { waiting: 1, concurrent: work === 'creations' ? 1 : 0 }
  // A request waits for the usual time.
  const options = { work: { [work]: bounds }, queueMs: undefined }
  const server = await startServer(t, {}, () => clock.now, options)
  link.created = await create(server, { target: 'https://example.com/' })
  // The link is created: from here on a request occupies the only slot for creations.
  if (work === 'creations')
    server.services.limits.admission.enter(work, { holder: asHolder('127.0.0.1'), start() {}, refuse() {} })
  await poll(() => waiting(server) === 0)
  return { server, link: link.created, clock }
}

test('creations of many links wait with changes of many, two of which run at a time, and not with those of one', async (t) => {
  const { server, link, clock } = await startStuck(t, 'batches')
  const late = requests.batches(server, link)
  await poll(() => waiting(server) === 1)
  const list = new URLSearchParams({ list: 'https://example.com/' })
  for (const path of ['/api/bulk', '/api/bulk?dry_run=true'])
    assert.equal((await post(server.url + path, [{ target: 'https://example.com/' }])).status, 503, path)
  assert.equal((await fetch(`${server.url}/bulk`, { method: 'POST', body: list })).status, 503)
  assert.equal((await requests.creations(server, link)).status, 201)
  clock.now += 10_000
  assert.equal((await late).status, 503)
})

for (const work of kinds) {
  test(`when the queue of ${work} is full the next is refused at once, and visits, health and other kinds go on`, async (t) => {
    const { server, link, clock } = await startStuck(t, work)
    const late = requests[work](server, link)
    await poll(() => waiting(server) === 1)
    for (const accept of ['application/json', 'text/html']) {
      for (let at = 0; at < 2; at++) {
        const refused = await (work === 'pages'
          ? fetch(server.url, { headers: { accept } })
          : requests[work](server, link))
        assert.equal(refused.status, 503)
        assert.ok(Number(refused.headers.get('retry-after')) > 0)
        assert.equal(refused.headers.get('cache-control'), 'no-store')
        if (refused.headers.get('content-type') !== 'application/problem+json') continue
        const problem = (await refused.json()) as Record<string, unknown>
        assert.deepEqual([problem['status'], problem['code']], [503, 'unavailable'])
        assert.match(String(problem['request_id']), /^[\w-]+$/)
        // Pages of other origins may read the problem.
        if (work === 'images') assert.equal(refused.headers.get('access-control-allow-origin'), '*')
      }
    }
    assert.equal((await visit(link.short_url)).status, 302)
    server.services.visits.invalidate(link.code)
    assert.equal((await visit(link.short_url)).status, 302)
    for (const path of ['/healthz', '/readyz', '/metrics']) {
      const { status, headers } = await fetch(server.url + path)
      // A cache must not go on telling of a time that is over.
      assert.deepEqual([status, headers.get('cache-control')], [200, 'no-store'], path)
    }
    for (const other of kinds) if (other !== work) assert.notEqual((await requests[other](server, link)).status, 503)
    const metrics = await (await fetch(`${server.url}/metrics`)).text()
    assert.match(metrics, new RegExp(`^quirl_requests_queued{kind="${work}"} 1$`, 'm'))
    assert.match(metrics, new RegExp(`^quirl_requests_refused_total{kind="${work}"} 4$`, 'm'))
    // A request that has waited for two seconds is refused as well, one for many links after ten.
    clock.now += work === 'batches' ? 10_000 : 2000
    assert.equal((await late).status, 503)
    assert.equal(waiting(server), 0)
  })
}

test('a request whose client disconnects leaves the queue', async (t) => {
  const { server, link } = await startStuck(t, 'images')
  const abort = new AbortController()
  const pending = fetch(`${server.url}/${link.code}/qr.png`, { signal: abort.signal }).catch(() => undefined)
  await poll(() => waiting(server) === 1)
  abort.abort()
  await pending
  await poll(() => waiting(server) === 0)
  // Its client has not received the 503: who disconnects must not raise an alarm.
  const { values } = await scrape(server.url)
  assert.equal(values.get('quirl_http_responses_total{kind="images",code="5xx"}'), 0)
  assert.equal(values.get('quirl_http_request_duration_seconds_count{kind="images"}'), 0)
  assert.deepEqual(server.logged, [])
})

test('a request holds no slot until its body has arrived', async (t) => {
  const server = await startServer(t, {}, undefined, { work: { creations: { waiting: 4, concurrent: 1 } } })
  const body = JSON.stringify({ target: 'https://example.com/' })
  const { socket, received } = connectRaw(t, Number(new URL(server.url).port))
  const head = `POST /api/links HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  socket.write(`${head}Expect: 100-continue\r\n\r\n${body.slice(0, 5)}`)
  await poll(() => received().includes('100 Continue'))
  for (let at = 0; at < 3; at++) await create(server, { target: 'https://example.com/' })
  socket.write(body.slice(5))
  await poll(() => received().includes('HTTP/1.1 201 '))
})

test('after a burst of all kinds with many disconnects, no request is left and no slot is lost', async (t) => {
  const bounds = { waiting: 2, concurrent: 1 }
  const server = await startServer(t, {}, undefined, {
    work: Object.fromEntries(kinds.map((kind) => [kind, bounds])),
  })
  const link = await create(server, { target: 'https://example.com/' })
  const port = Number(new URL(server.url).port)
  const paths = ['/', `/${link.code}/qr.png?size=999`, `/api/manage/${link.token}/stats`, `/m/${link.token}`]
  const leavers = Array.from({ length: 100 }, (_, at) => {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    socket.write(`GET ${paths[at % 4]} HTTP/1.1\r\nHost: a\r\n\r\n`.repeat(1 + (at % 3)))
    if (at % 2 === 0) socket.write('GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n')
    return new Promise((resolve) => socket.once('connect', () => setImmediate(() => resolve(socket.destroy()))))
  })
  const statuses: number[] = []
  // On a machine that is slow to send them, the requests of one burst may all find room.
  await poll(async () => {
    const burst = Array.from({ length: 100 }, (_, at) => requests[kinds[at % kinds.length] as Work](server, link))
    statuses.push(...(await Promise.all(burst)).map(({ status }) => status))
    return statuses.includes(503) && statuses.includes(200)
  })
  await Promise.all(leavers)
  for (const status of statuses) assert.ok([200, 201, 202, 404, 503].includes(status), String(status))
  await poll(() => waiting(server) === 0)
  // A slot that was not released would be missing now.
  for (const kind of kinds) {
    for (let at = 0; at < 4; at++) await poll(async () => (await requests[kind](server, link)).status !== 503)
    const answers = await Promise.all([requests[kind](server, link), requests[kind](server, link)])
    for (const { status } of answers) assert.notEqual(status, 503, kind)
  }
})

/** Requests of images, of which none is like another. */
const images: ((at: number, link: Created) => string)[] = [
  (at) => `/api/qr?data=${at}`,
  (at) => `/api/qr?data=${at}&size=4096`,
  (at) => `/api/qr?data=${at}&format=svg`,
  // Too long for the event loop: a thread draws it.
  (at) => `/api/qr?data=${String(at).padEnd(1000, 'x')}`,
  (at, link) => `/${link.code}/qr.png?size=${100 + at}`,
]

function statusOf(url: string, client: string, agent: Agent): Promise<number> {
  return new Promise((resolve, reject) => {
    get(url, { agent, headers: { 'x-forwarded-for': client } }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    }).once('error', reject)
  })
}

/** As for a quiet machine, however busy this one is: no time passes while requests wait, and the usual times are allowed. */
const quiet = { monotonic: () => 0, queueMs: undefined, drawing: patientThreads }

test('a client that asks for its images of an hour at once receives all, and beside it another client its own', async (t) => {
  const server = await startServer(t, { LIMIT_QR: '300', TRUST_PROXY: '127.0.0.0/8' }, undefined, quiet)
  const link = await create(server, { target: 'https://example.com/' })
  const ask = (client: string, at: number, agent: Agent) =>
    statusOf(`${server.url}${images[at % images.length]?.(at, link)}`, client, agent)
  // Most of them on a new connection each, the others on six that stay open.
  const [many, few] = [new Agent({ keepAlive: false }), new Agent({ keepAlive: true, maxSockets: 6 })]
  const burst = Array.from({ length: 300 }, (_, at) => ask('192.0.2.1', at, at < 250 ? many : few))
  const others = Array.from({ length: 10 }, (_, at) => ask('192.0.2.2', 1000 + at, many))
  assert.deepEqual([...new Set(await Promise.all(burst))], [200])
  assert.deepEqual([...new Set(await Promise.all(others))], [200])
  few.destroy()
  assert.equal(await ask('192.0.2.1', 0, many), 429, 'the quota alone has refused')
})

test('of a flood of images only those wait that start in time, the others are refused at once, and another client waits beside it', async (t) => {
  // None starts, and two milliseconds are expected for each.
  const options = { ...quiet, queueMs: 200, work: { images: { waiting: 2048, concurrent: 0 } } }
  const server = await startServer(t, { TRUST_PROXY: '127.0.0.0/8' }, undefined, options)
  const agent = new Agent()
  const statuses: number[] = []
  const ask = (client: string, at: number) =>
    void statusOf(`${server.url}/api/qr?data=${at}`, client, agent).then(
      (status) => statuses.push(status),
      () => undefined,
    )
  for (let at = 0; at < 300; at++) ask('192.0.2.1', at)
  await poll(() => statuses.length + waiting(server) === 300)
  assert.equal(waiting(server), 101)
  assert.deepEqual([...new Set(statuses)], [503])
  ask('192.0.2.2', 0)
  await poll(() => waiting(server) === 102)
  await server.stop()
})

test('an image that waits for a thread holds no slot of those that are drawn at once', async (t) => {
  const work = { images: { waiting: 64, concurrent: 1 } }
  const server = await startServer(t, {}, undefined, { work, drawing: { ...patientThreads, threads: 0 } })
  const stuck = fetch(`${server.url}/api/qr?data=${'x'.repeat(1000)}`).catch(() => undefined)
  await poll(() => valueOf(server.services.qr.metrics, 'quirl_drawings_queued') === 1)
  assert.equal((await fetch(`${server.url}/api/qr?data=short`)).status, 200)
  await server.stop()
  await stuck
})
