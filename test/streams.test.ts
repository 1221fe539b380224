import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { test, type TestContext } from 'node:test'
import { textOf } from '../src/scans/api/routes.ts'
import { undoLater } from './support/cleanup.ts'
import { poll } from './support/poll.ts'
import { create, post, skipUnlessOneNode, startServer, visit, type Created, type TestServer } from './support/server.ts'

const env = { TRUST_PROXY: '127.0.0.0/8', BASE_URL: 'https://qr.bakery.shop' }

async function start(t: TestContext, slots = {}): Promise<{ server: TestServer; link: Created }> {
  const server = await startServer(t, env, undefined, { slots })
  return { server, link: await create(server, { target: 'https://example.com/' }) }
}

const listeners = async (server: TestServer) => {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Number(/^quirl_stream_listeners (.+)$/m.exec(text)?.[1])
}

/** Opens a connection, pipelines requests, and collects the responses. */
function send(t: TestContext, server: TestServer, path: string, from: string, { method = 'GET', times = 1 } = {}) {
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1')
  undoLater(t, () => void socket.destroy())
  let received = ''
  socket.on('data', (data) => (received += String(data)))
  socket.on('error', () => {})
  socket.write(`${method} ${path} HTTP/1.1\r\nhost: x\r\nx-forwarded-for: ${from}\r\n\r\n`.repeat(times))
  return { socket, received: () => received, status: () => Number(received.slice(9, 12)) }
}

async function assertRefused(response: { received: () => string }, status: number, code: string): Promise<void> {
  await poll(() => response.received().includes('\r\n\r\n{') && response.received().endsWith('}'), response.received)
  const text = response.received()
  assert.match(text, new RegExp(`^HTTP/1.1 ${status} `))
  assert.match(text, /\r\nretry-after: \d+\r\n/i)
  assert.match(text, /\r\ncontent-type: application\/problem\+json/i)
  assert.equal((JSON.parse(text.slice(text.indexOf('\r\n\r\n'))) as { code: string }).code, code)
}

// Each node counts its own streams.
test(
  'past the bound, the latest streams of the largest holder end for a newcomer, until both have as many',
  { skip: skipUnlessOneNode },
  async (t) => {
    const { server, link } = await start(t, { streams: 10 })
    const other = await create(server, { target: 'https://example.com/' })
    const open = (token: string, from: string) => send(t, server, `/api/manage/${token}/stream`, from)
    // Four /64 of one /59, as one customer has them.
    const ten = Array.from({ length: 10 }, (_, at) => open(link.token, `2001:4860:1:${at % 4}::${at + 1}`))
    await poll(async () => (await listeners(server)) === 10)
    await assertRefused(open(link.token, '2001:4860:1::99'), 503, 'unavailable')
    const newcomers = []
    for (let at = 0; at < 5; at++) {
      const newcomer = open(other.token, '8.8.8.8')
      await poll(() => newcomer.received().includes('event: totals'))
      newcomers.push(newcomer)
    }
    assert.equal(await listeners(server), 10)
    await poll(() => ten.filter(({ received }) => received().endsWith('\r\n0\r\n\r\n')).length === 5)
    await assertRefused(open(other.token, '8.8.8.8'), 503, 'unavailable')
    assert.deepEqual(
      server.logged.filter(({ level }) => level === 50),
      [],
    )
    newcomers[3]?.socket.destroy()
    await poll(async () => (await listeners(server)) === 9)
    const next = open(other.token, '8.8.8.9')
    await poll(() => next.received().includes('event: totals'))
  },
)

// Each node counts its own streams.
test(
  'streams of one link from many networks leave room for those of other links',
  { skip: skipUnlessOneNode },
  async (t) => {
    const { server, link } = await start(t, { streams: 4 })
    const other = await create(server, { target: 'https://example.com/' })
    const open = (token: string, from: string) => send(t, server, `/api/manage/${token}/stream`, from)
    for (let at = 0; at < 4; at++) open(link.token, `8.8.${at}.8`)
    await poll(async () => (await listeners(server)) === 4)
    const newcomer = open(other.token, '9.9.9.9')
    await poll(() => newcomer.received().includes('event: totals'))
    await assertRefused(open(link.token, '9.9.8.9'), 503, 'unavailable')
  },
)

// Each node counts its own streams.
test('pipelined streams free their slots when their connection closes', { skip: skipUnlessOneNode }, async (t) => {
  const { server, link } = await start(t)
  const path = `/api/manage/${link.token}/stream`
  for (let round = 0; round < 3; round++) {
    const { socket } = send(t, server, path, '8.8.8.8', { times: 3 })
    await poll(async () => (await listeners(server)) === 3)
    socket.destroy()
    await poll(async () => (await listeners(server)) === 0)
  }
})

test('an unknown token gets a 404 and takes no slot', async (t) => {
  const { server } = await start(t, { streams: 0, stats: 0 })
  for (const name of ['stream', 'stats', 'scans.csv', 'bundle'])
    assert.equal((await fetch(`${server.url}/api/manage/unknown/${name}`)).status, 404)
})

test('statistics and exports are bounded too, and every response frees its slot', async (t) => {
  const { server, link } = await start(t, { stats: 1, exports: 1 })
  await visit(`${server.url}/${link.code}`)
  for (const name of ['stats', 'scans.csv']) {
    const path = `/api/manage/${link.token}/${name}`
    // Pipelined requests overlap unless the machine pauses in between: then they are sent again.
    await poll(async () => {
      const { received } = send(t, server, path, '8.8.8.8', { times: 3 })
      await poll(() => (received().match(/HTTP\/1\.1 /g) ?? []).length === 3 && /[}\n]$/.test(received()), received)
      const statuses: string[] = received().match(/(?<=HTTP\/1\.1 )\d+/g) ?? []
      assert.ok(statuses.includes('200'))
      return statuses.filter((status) => status === '503').length === 2
    })
    for (let again = 0; again < 3; again++) {
      const response = await fetch(server.url + path)
      assert.equal(response.status, 200)
      await response.text()
    }
    const refused = await fetch(`${server.url}${path}${name === 'stats' ? '?tz=Nowhere' : ''}`)
    assert.equal(refused.status, name === 'stats' ? 400 : 200)
    await refused.text()
    assert.equal((await fetch(server.url + path, { method: 'HEAD' })).status, 200)
  }
})

test('an export reads at most one page ahead of a client that does not read, and stops when it disconnects', async () => {
  let read = 0
  let ended = false
  async function* pages() {
    try {
      for (;;) yield String(read++)
    } finally {
      ended = true
    }
  }
  const text = textOf(pages())
  const turn = () => new Promise((resolve) => setImmediate(resolve))
  text.once('readable', () => {})
  for (let at = 0; at < 20; at++) await turn()
  assert.ok(read <= 2, `${read} pages`)
  text.destroy()
  await turn()
  assert.ok(ended)
})

test('a stream ends when its link is deleted, and when its token is replaced, but not before', async (t) => {
  let now = Date.UTC(2026, 5, 21)
  const server = await startServer(t, env, () => now)
  const [deleted, rotated, late, kept] = await Promise.all(
    Array.from({ length: 4 }, () => create(server, { target: 'https://example.com/' })),
  )
  assert.ok(deleted && rotated && late && kept)
  const open = async ({ token }: { token: string }) => {
    const { body } = await fetch(`${server.url}/api/manage/${token}/stream`)
    const state = { isOpen: true }
    const ended = () => (state.isOpen = false)
    // The end of the service ends the others.
    void body?.pipeTo(new WritableStream()).then(ended, ended)
    return state
  }
  const rotate = async ({ token }: Created) =>
    (await (await post(`${server.url}/api/manage/${token}/rotate`, undefined)).json()) as { token: string }
  const streams = await Promise.all([deleted, rotated, late, kept].map(open))
  const states = () => streams.map(({ isOpen }) => isOpen)
  const [next] = [await rotate(rotated), await rotate(late)]
  await fetch(`${server.url}/api/manage/${deleted.token}`, { method: 'DELETE' })
  await poll(
    () => !states()[0],
    () => String(states()),
  )
  // Neither new token was used.
  assert.deepEqual(states(), [false, true, true, true])
  const following = await open(next)
  await poll(
    () => !states()[1],
    () => String(states()),
  )
  assert.deepEqual([...states(), following.isOpen], [false, false, true, true, true])
  now += 60 * 60 * 1000
  await poll(
    () => !states()[2],
    () => String(states()),
  )
  assert.deepEqual([...states(), following.isOpen], [false, false, false, true, true])
})
