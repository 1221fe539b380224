// What strangers share is shared by network and link: one attacker with many addresses, and honest clients in another network.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { undoLater, type Ending } from './support/cleanup.ts'
import { attackers, fetchFrom, holdFrom, honest, networks, sendFrom, type Received } from './support/loopback.ts'
import { cheapScrypt } from './support/passwords.ts'
import { poll } from './support/poll.ts'
import { start, type Service } from './support/program.ts'
import { seededRandom } from './support/random.ts'
import { seedScans } from './support/seeded-scans.ts'
import { create, skipUnlessOneNode, startServer } from './support/server.ts'
import { UNLIMITED } from './support/workload.ts'

const metricOf = async ({ url }: Pick<Service, 'url'>, name: string) => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return Number(new RegExp(`^${name} (.+)$`, 'm').exec(text)?.[1])
}

/** Repeats an attack from each address, until the returned function is called; it resolves to the numbers of each status. */
function attack(
  t: Ending,
  addresses: string[],
  send: (address: string) => Promise<Received>,
): () => Promise<Map<number, number>> {
  const over = new AbortController()
  const statuses = new Map<number, number>()
  const all = addresses.map(async (address) => {
    while (!over.signal.aborted) {
      const status = await send(address).then(
        (received) => received.status,
        () => 0,
      )
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      // A client that is refused tries again: all of them many times as often as there are places, but not as fast as a machine can.
      if (status !== 200) await sleep(100)
    }
  })
  const end = async () => {
    over.abort()
    await Promise.all(all)
    return statuses
  }
  undoLater(t, async () => void (await end()))
  return end
}

const MEGABYTES = 4 * 1024 * 1024

test('half-sent bodies of one network take none of the memory that other bodies need, and each that is late is charged', async (t) => {
  const service = await start(t, undefined, [...UNLIMITED, '--limit-failures=5'])
  const link = await create(service, { target: 'https://example.com/' })
  const head = `POST /api/bulk HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${MEGABYTES}\r\n\r\n`
  // 18 of one address, and as many of others.
  const held = [...Array.from({ length: 18 }, () => '127.0.1.1'), ...attackers(18)]
  for (const address of held) holdFrom(t, address, service.url, head + ' '.repeat(MEGABYTES - 1)).resume()
  await poll(async () => (await metricOf(service, 'quirl_request_body_bytes')) > 60 * 1024 * 1024)
  const statuses = new Map<number, number>()
  for (let at = 0; at < 80; at++) {
    // More than is not counted.
    const target = `https://example.com/${at}`
    const { status } = await fetchFrom(honest(at + 1), `${service.url}/api/manage/${link.token}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ target }) + ' '.repeat(200_000),
    })
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  assert.deepEqual([...statuses], [[200, 80]])
  // The rest of the bodies does not arrive in time: their client has used up what it may do wrong.
  const createFrom = (address: string) =>
    sendFrom(address, `${service.url}/api/links`, { target: 'https://example.com/' })
  await poll(async () => (await createFrom('127.0.1.1')).status === 429)
  assert.equal((await createFrom(honest())).status, 201)
})

test('bodies behind a stream that does not end take none of the memory that other bodies need, and are answered after what ends', async (t) => {
  const service = await start(t, undefined, UNLIMITED)
  const link = await create(service, { target: 'https://example.com/' })
  const request = (head: string, body = '') =>
    `${head} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`
  const stream = `GET /api/manage/${link.token}/stream HTTP/1.1\r\nHost: a\r\n\r\n`
  const rows = JSON.stringify([{ target: 'https://example.com/' }])
  const bulk = request('POST /api/bulk', rows.padEnd(MEGABYTES))
  for (const address of attackers(18)) holdFrom(t, address, service.url, stream).resume().write(bulk)
  await poll(async () => (await metricOf(service, 'quirl_stream_listeners')) === 18)
  const put = (target: string) => request(`PUT /api/manage/${link.token}`, JSON.stringify({ target }).padEnd(200_000))
  for (let at = 0; at < 20; at++) {
    let received = ''
    holdFrom(t, honest(at + 1), service.url, put(`https://example.com/a${at}`))
      .resume()
      .on('data', (part) => (received += String(part)))
      .write(`GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n${put(`https://example.com/b${at}`)}`)
    await poll(
      () => (received.match(/HTTP\/1\.1/g) ?? []).length === 3,
      () => received,
    )
    assert.deepEqual(received.match(/HTTP\/1\.1 \d+/g), Array(3).fill('HTTP/1.1 200'))
    // The end of the text too: a code may begin as the path does.
    const first = received.indexOf(`.com/a${at}"`)
    assert.ok(first >= 0 && first < received.indexOf(`.com/b${at}"`), received)
  }
})

for (const [what, addresses, ownLinks] of [
  ['of one network', attackers(25), 25],
  ['for one link from many networks', networks(40), 1],
  ['of many networks, each for a link of its own,', networks(40), 40],
] as const) {
  test(`right passwords ${what} keep nobody out of other protected links`, { skip: skipUnlessOneNode }, async (t) => {
    // A hash takes long, so that they wait.
    const scrypt: typeof cheapScrypt = async (...args) => {
      await sleep(50)
      return cheapScrypt(...args)
    }
    const server = await startServer(t, {}, undefined, { scrypt })
    const password = 'correct horse battery'
    const createLink = () => create(server, { target: 'https://example.com/', password })
    const victim = await createLink()
    const own: string[] = []
    for (let at = 0; at < ownLinks; at++) own.push((await createLink()).code)
    const enter = (address: string, code: string) =>
      fetchFrom(address, `${server.url}/${code}`, {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ password }).toString(),
      })
    const served = new Set<string>()
    const end = attack(t, [...addresses, ...addresses], async (address) => {
      const answer = await enter(address, own[Math.floor(Math.random() * own.length)] ?? '')
      if (answer.status === 303) served.add(address)
      return answer
    })
    await poll(async () => (await metricOf(server, 'quirl_passwords_queued')) >= 15)
    // Networks that have had no turn yet have as much a claim as a newcomer.
    if (ownLinks === addresses.length) await poll(() => served.size === addresses.length)
    const statuses = new Set<number>()
    for (let at = 0; at < 20; at++) statuses.add((await enter(`127.2.${at}.1`, victim.code)).status)
    const ofAttack = await end()
    assert.deepEqual([...statuses], [303])
    assert.ok((ofAttack.get(503) ?? 0) > 0, JSON.stringify([...ofAttack]))
  })
}

test('exports that one network does not read take no slot from others', { skip: skipUnlessOneNode }, async (t) => {
  const server = await startServer(t)
  const link = await create(server, { target: 'https://example.com/' })
  const other = await create(server, { target: 'https://example.com/' })
  await seedScans(server, link, { now: Date.now(), days: 10, perDay: 8000, random: seededRandom(t) })
  const request = `GET /api/manage/${link.token}/scans.csv HTTP/1.1\r\nHost: a\r\n\r\n`
  const isRefused = (address: string) =>
    fetchFrom(address, `${server.url}/api/manage/${other.token}/scans.csv`).then(({ status }) => status === 503)
  const held = []
  for (const address of attackers(60)) held.push(holdFrom(t, address, server.url, request))
  await poll(() => isRefused('127.0.1.200'))
  for (let at = 0; at < 20; at++) assert.equal(await isRefused(honest(at + 1)), false)
})

test('a thousand streams of one network leave room for those of others', { skip: skipUnlessOneNode }, async (t) => {
  const service = await start(t, undefined, UNLIMITED)
  const own = await create(service, { target: 'https://example.com/' })
  const link = await create(service, { target: 'https://example.com/' })
  const open = (address: string, token: string) =>
    holdFrom(t, address, service.url, `GET /api/manage/${token}/stream HTTP/1.1\r\nHost: a\r\n\r\n`)
  const listeners = () => metricOf(service, 'quirl_stream_listeners')
  // On a busy machine some are refused, because they would wait for too long.
  await poll(async () => {
    for (const address of attackers(250)) open(address, own.token)
    return (await listeners()) === 1000
  })
  for (let at = 0; at < 20; at++) {
    let received = ''
    open(honest(at + 1), link.token)
      .resume()
      .on('data', (part) => (received += String(part)))
    await poll(
      () => received.includes('event: totals'),
      () => received,
    )
  }
  assert.equal(await listeners(), 1000)
})

test('connections of one address, or of one network, keep no others out', async (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux tells how many files may be open')
  const service = await start(t, undefined, UNLIMITED, { files: 300 })
  const { code } = await create(service, { target: 'https://example.com/' })
  for (const addresses of [['127.0.1.1'], attackers(200)]) {
    const held = Array.from({ length: 916 }, (_, at) =>
      holdFrom(t, addresses[at % addresses.length] ?? '', service.url, 'GET /'),
    )
    await poll(async () => (await metricOf(service, 'quirl_connections_refused_total')) > 500)
    for (let at = 0; at < 100; at++) {
      const { status } = await fetchFrom(honest(at + 1), `${service.url}/${code}`)
      assert.equal(status, 302)
    }
    for (const socket of held) socket.destroy()
  }
  assert.doesNotMatch(service.output(), /EMFILE|"level":50/)
})

test('a connection that is in use stays beside a flood of its own network', async (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux tells how many files may be open')
  const service = await start(t, undefined, UNLIMITED, { files: 300 })
  const link = await create(service, { target: 'https://example.com/' })
  const stream = holdFrom(t, honest(), service.url, `GET /api/manage/${link.token}/stream HTTP/1.1\r\nHost: a\r\n\r\n`)
  let received = ''
  stream.resume().on('data', (part) => (received += String(part)))
  await poll(() => received.includes('event: totals'))
  for (let at = 0; at < 600; at++) holdFrom(t, honest(at % 200), service.url, 'GET /')
  await poll(async () => (await metricOf(service, 'quirl_connections_refused_total')) > 200)
  assert.equal((await fetchFrom('127.0.3.1', `${service.url}/${link.code}`)).status, 302)
  await poll(() => received.includes('"scans":1'))
})

test('pages that one network asks for do not keep others waiting', { skip: skipUnlessOneNode }, async (t) => {
  const service = await start(t, undefined, UNLIMITED)
  const end = attack(
    t,
    attackers(100).flatMap((address) => [address, address, address]),
    (address) => fetchFrom(address, `${service.url}/`),
  )
  await poll(async () => (await metricOf(service, 'quirl_requests_queued{kind="pages"}')) > 20)
  for (let at = 0; at < 20; at++) assert.equal((await fetchFrom(honest(at + 1), `${service.url}/`)).status, 200)
  await end()
})
