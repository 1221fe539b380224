import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { undoLater } from '../../test/support/cleanup.ts'
import { freePort } from '../../test/support/ports.ts'
import { newKey } from './account.ts'
import { AcmeError, AuthorityAway, parseJson } from './acme-error.ts'
import { createAcmeClient } from './acme.ts'
import { orderCertificate } from './order.ts'

const NOW = Date.UTC(2026, 10, 21)

test('before an order, an authority that answers nothing valid is away, whatever its error is', async () => {
  const answering = (make: () => Response | Promise<Response>) =>
    createAcmeClient('https://ca/dir', async () => make(), { now: () => NOW, monotonic: () => NOW })
  const key = createPrivateKey(newKey())
  const cases: [string, () => Response | Promise<Response>][] = [
    ['malformed', () => new Response('not json')],
    ['malformed', () => new Response('{}')],
    ['malformed', () => new Response('x'.repeat(1_000_001))],
    ['malformed', () => new Response('null')],
    ['status 502', () => new Response('bad gateway', { status: 502 })],
    ['status 500', () => new Response('null', { status: 500 })],
    ['status 500', () => new Response('{"type":5,"detail":{}}', { status: 500 })],
    ['unreachable', () => Promise.reject(new TypeError('fetch failed'))],
    ['serverInternal', () => new Response('{"type":"urn:ietf:params:acme:error:serverInternal"}', { status: 500 })],
  ]
  for (const [type, make] of cases) {
    const client = answering(make)
    await assert.rejects(
      async () => client.post((await client.directory()).newOrder, { key }, {}),
      (error) => error instanceof AuthorityAway && error.type === type,
      type,
    )
  }
  const limited = answering(() => new Response('{}', { status: 429, headers: { 'retry-after': '120' } }))
  await assert.rejects(limited.directory(), (error) => error instanceof AcmeError && error.retryAfter === 120_000)
})

test('the client gives up after twenty rejected nonces', async () => {
  let tries = 0
  const refuse = JSON.stringify({ type: 'urn:ietf:params:acme:error:badNonce' })
  const directory = JSON.stringify({
    newNonce: 'https://ca/nonce',
    newAccount: 'https://ca/a',
    newOrder: 'https://ca/o',
  })
  const client = createAcmeClient(
    'https://ca/dir',
    async (url, init) => {
      if (url === 'https://ca/dir') return new Response(directory)
      const headers = { 'replay-nonce': 'x' }
      if (init?.method === 'HEAD') return new Response(null, { headers })
      tries++
      return new Response(refuse, { status: 400, headers })
    },
    { now: () => NOW, monotonic: () => NOW },
  )
  await assert.rejects(client.post('https://ca/o', { key: createPrivateKey(newKey()) }, {}), /badNonce/)
  assert.equal(tries, 20)
})

test('of an answer without end no more than a megabyte is read', async () => {
  let [sent, isCancelled] = [0, false]
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      sent += 100_000
      controller.enqueue(new Uint8Array(100_000))
    },
    cancel: () => void (isCancelled = true),
  })
  const client = createAcmeClient('https://ca/dir', async () => new Response(body), {
    now: () => NOW,
    monotonic: () => NOW,
  })
  await assert.rejects(client.directory(), /malformed: the response is too long/)
  assert.ok(isCancelled && sent < 1_500_000, String(sent))
})

test('what is no https address of an authority means that it is away, and renewal information without one is not offered', async () => {
  const key = createPrivateKey(newKey())
  const client = answeringOrders(() => assert.fail('nothing is to be sent'))
  for (const address of ['not a url', '', 'http://ca/o', 'file:///etc/passwd'])
    await assert.rejects(client.post(address, { key }, {}), (error) => error instanceof AuthorityAway, address)
  for (const renewalInfo of [null, 5, {}, ['https://ca/ri']]) {
    const addresses = { newNonce: 'https://ca/n', newAccount: 'https://ca/a', newOrder: 'https://ca/o' }
    const answer = JSON.stringify({ ...addresses, renewalInfo })
    const lying = createAcmeClient('https://ca/dir', async () => new Response(answer), {
      now: () => NOW,
      monotonic: () => NOW,
    })
    assert.deepEqual(await lying.directory(), addresses)
  }
})

test('an order, or an authorization, of another form does not blame the name', async () => {
  const signer = { key: createPrivateKey(newKey()), account: 'https://ca/1' }
  const request = { name: 'a.example', csr: Buffer.alloc(0), purpose: 'first', challenge: 'http-01' } as const
  const challenges = { put: async () => {}, remove: async () => {} }
  for (const [order, authorization] of [
    ['{}'],
    ['{"authorizations":5}'],
    ['{"authorizations":[null]}'],
    ['{"authorizations":["not a url"]}'],
    ['{"authorizations":["https://ca/z"]}', '{}'],
    ['{"authorizations":["https://ca/z"]}', '{"challenges":{}}'],
  ]) {
    const answers = [order, authorization]
    const client = answeringOrders(
      () => new Response(answers.shift(), { headers: { location: 'https://ca/1', 'replay-nonce': 'x' } }),
    )
    const ordered = orderCertificate(
      { client, challenges, sleep: async () => {} },
      signer,
      request,
      AbortSignal.any([]),
    )
    await assert.rejects(ordered, (error) => error instanceof AuthorityAway, order)
  }
})

/** A client of an authority that has a directory and nonces, and one answer to everything else. */
function answeringOrders(answer: () => Response | Promise<Response>) {
  const directory = JSON.stringify({
    newNonce: 'https://ca/nonce',
    newAccount: 'https://ca/a',
    newOrder: 'https://ca/o',
  })
  return createAcmeClient(
    'https://ca/dir',
    async (url, init) => {
      if (url === 'https://ca/dir') return new Response(directory)
      if (init?.method === 'HEAD') return new Response(null, { headers: { 'replay-nonce': 'x' } })
      return answer()
    },
    { now: () => NOW, monotonic: () => NOW },
  )
}

test('an order that is refused does not mean that the authority is away, and an answer of another server does', async () => {
  const key = createPrivateKey(newKey())
  const cases: [isAway: boolean, () => Response | Promise<Response>][] = [
    [false, () => new Response('{"type":"urn:ietf:params:acme:error:dns"}', { status: 400 })],
    [false, () => new Response('{"type":"urn:ietf:params:acme:error:serverInternal"}', { status: 500 })],
    [true, () => new Response('<html>')],
    [true, () => Promise.reject(new TypeError('fetch failed'))],
  ]
  for (const [isAway, answer] of cases) {
    await assert.rejects(
      async () => {
        const response = await answeringOrders(answer).post('https://ca/o', { key }, {})
        parseJson(response.text)
      },
      (error) => error instanceof AcmeError && error instanceof AuthorityAway === isAway,
    )
  }
})

test('the reason why an authority cannot be reached is named', async (t) => {
  const clocks = { now: () => NOW, monotonic: () => performance.now() }
  const closing = createServer((socket) => socket.destroy()).listen(0, '127.0.0.1')
  await once(closing, 'listening')
  undoLater(t, () => void closing.close())
  const { port } = closing.address() as AddressInfo
  const free = await freePort()
  for (const [host, reason] of [
    [`127.0.0.1:${free}`, /^unreachable: 127\.0\.0\.1:\d+: connect ECONNREFUSED 127\.0\.0\.1:\d+$/],
    [`localhost:${free}`, /^unreachable: localhost:\d+: connect ECONNREFUSED /],
    [`127.0.0.1:${port}`, /^unreachable: 127\.0\.0\.1:\d+: (?!fetch failed)\S/],
  ] as const) {
    await assert.rejects(createAcmeClient(`https://${host}/dir`, fetch, clocks).directory(), { message: reason })
  }
})
