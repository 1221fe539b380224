import assert from 'node:assert/strict'
import { createPrivateKey } from 'node:crypto'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterEach, before, beforeEach, test } from 'node:test'
import { createServer as createTlsServer } from 'node:tls'
import { StoreUnavailable } from '../src/db/unavailable.ts'
import { MAX_ACTIVE } from '../src/domains/check-domain.ts'
import { insertDomain } from '../src/domains/store.ts'
import { MAX_WAITING } from '../src/domains/waiting-names.ts'
import { asHolder } from '../src/lib/holder.ts'
import type { ProblemCode } from '../src/http/problem.ts'
import { responseHeaders } from '../src/http/response-headers.ts'
import { works } from '../src/limits/work.ts'
import { newKey } from '../src/tls/account.ts'
import { createCsr } from '../src/tls/csr.ts'
import { issueFor } from './support/certificates.ts'
import { endOfFile } from './support/cleanup.ts'
import { command } from './support/cli.ts'
import { createContract, readOperations, type Operation } from './support/contract.ts'
import { poll } from './support/poll.ts'
import { startDns } from './support/dns.ts'
import { connectRaw } from './support/raw.ts'
import { answerTo, bytesOf, parseResponse } from './support/raw-request.ts'
import {
  createReasons,
  otherAnswers,
  PASSWORD,
  refusals,
  throughCollection,
  UNKNOWN_TOKEN,
  type Change,
  type Reasons,
} from './support/refusals.ts'
import { create, post, put, startServer, type Created, type TestServer } from './support/server.ts'
import { domain } from './support/stored-domains.ts'
import { askSecurely } from './support/tls.ts'
import { createSubjects, requestOf, validRequests, type Sent, type Valid } from './support/valid-requests.ts'

const HOST = 'go.bakery.shop'
const OWN_DOMAIN = 'own.example.com'
const QUOTAS = ['LINKS', 'CHANGES', 'BULK', 'QR', 'DOMAINS', 'REPORTS', 'FAILURES', 'MISSES']
const quotas = (most: number) => Object.fromEntries(QUOTAS.map((name) => [`LIMIT_${name}`, String(most)]))

const end = endOfFile()
const contract = createContract()
let server: TestServer
let operations: Operation[]
let reasons: Reasons
/** The valid request of each operation. */
const valid: Record<string, Valid> = {}
/** What the running test has found. */
let faults: string[] = []
/** The answers so far: operation, status and, of an error, code. */
const seen = new Set<string>()

before(async () => {
  const dns = await startDns(end, { [HOST]: { a: ['192.0.2.1'] }, [OWN_DOMAIN]: { cname: HOST } })
  const env = {
    BASE_URL: `https://${HOST}`,
    DNS_SERVERS: dns.address,
    CONTACT: 'abuse@bakery.shop',
    TRUST_PROXY: '',
    SCAN_RETENTION: '365d',
  }
  // All answers are charged, so that each shows which headers it has.
  server = await startServer(end, { ...env, ...quotas(1_000_000) })
  reasons = await createReasons(await createSubjects(server))
  operations = await readOperations(server.url)
  // As many active names as one domain may have, whose DNS is not looked at before the test ends.
  const active = { registrable: 'example.org', status: 'active', nextCheckAt: Date.now() + 3_600_000 } as const
  for (let at = 0; at < MAX_ACTIVE; at++) {
    await server.services.db.transaction((transaction) =>
      insertDomain(transaction, domain(`n${at}.example.org`, active)),
    )
  }
})

beforeEach(() => {
  faults = []
})
afterEach(() => assert.equal(faults.join('\n\n'), ''))

const portOf = ({ url }: TestServer) => Number(new URL(url).port)
const has = ({ responses }: Operation, status: number) => responses.has(String(status))

/** The codes that the document has for an operation. */
function codesOf({ responses }: Operation): ProblemCode[] {
  const ofErrors = [...responses.values()].map(({ content }) => content.get('application/problem+json'))
  return ofErrors.flatMap((schema) => schema?.allOf?.[1]?.properties?.['code']?.enum ?? []) as ProblemCode[]
}

function sentOf(operation: Operation, asked: Change = {}): Sent {
  const isThrough = /InCollection$|^leaveCollection$/.test(operation.id)
  const change = isThrough ? throughCollection(reasons, asked) : asked
  const request = requestOf(operation, { ...valid[operation.id], ...change }, reasons)
  return { ...request, headers: { ...request.headers, ...change.headers } }
}

/** Sends a request, compares the answer with the document, and notes it. */
async function ask(operation: Operation, bytes: string, port = portOf(server)): Promise<Response> {
  return note(operation, await answerTo(end, port, bytes), bytes)
}

async function note(operation: Operation, response: Response, bytes: string): Promise<Response> {
  const fault = await contract.faultOf(operation, response.clone())
  const text = await response.clone().text()
  if (fault !== undefined)
    faults.push(`${operation.id}: ${fault}: ${bytes.slice(0, 300)}\n${response.status} ${text.slice(0, 500)}`)
  const code = /"code":"(\w+)","request_id"/.exec(response.status < 400 ? '' : text)?.[1]
  seen.add(`${operation.id} ${response.status}`)
  if (code !== undefined) seen.add(`${operation.id} ${code}`)
  return response
}

async function askAll(
  bytes: (operation: Operation) => string | undefined,
  check: (response: Response, operation: Operation) => void | Promise<void>,
  on?: number,
): Promise<void> {
  await Promise.all(
    operations.map(async (operation) => {
      const sent = bytes(operation)
      if (sent !== undefined) await check(await ask(operation, sent, on), operation)
    }),
  )
}

const isStatus =
  (status: number) =>
  async (response: Response, { id }: Operation) => {
    if (response.status !== status)
      faults.push(`${id}: ${response.status} instead of ${status}: ${await response.text()}`)
  }

test('every valid request gets what the document says, and so does one for each other success', async () => {
  for (const [id, given] of Object.entries(validRequests(reasons))) {
    const operation = operations.find((each) => each.id === id) as Operation
    valid[id] = typeof given === 'function' ? await given() : given
    await ask(operation, bytesOf(sentOf(operation)))
    for (const change of otherAnswers[id] ?? []) await ask(operation, bytesOf(sentOf(operation, change)))
  }
})

test('each refusal of the catalogue happens at each operation that the document has it for', async () => {
  // A domain that is its owner's, who has shown that: no other is narrowed to codes from its first check on.
  const own = { status: 'active', checkedAt: Date.now(), nextCheckAt: Date.now() + 3_600_000 } as const
  await server.services.db.transaction((transaction) => insertDomain(transaction, domain(OWN_DOMAIN, own)))
  server.services.domains.reread([OWN_DOMAIN])
  await poll(() => server.services.domains.statusOf(OWN_DOMAIN) === 'active')
  for (const operation of operations) {
    for (const code of codesOf(operation)) {
      const change = refusals[code]?.(operation, valid[operation.id] ?? {}, reasons)
      if (change === undefined) continue
      const bytes = bytesOf(sentOf(operation, change))
      // The key belongs to the request before.
      if (code === 'idempotency_key_reused') await ask(operation, bytes)
      const response = await ask(operation, code === 'idempotency_key_reused' ? bytes.replace('?', '?again') : bytes)
      const text = await response.text()
      if (!text.includes(`"code":"${code}"`))
        faults.push(`${operation.id}: not ${code}: ${bytes.slice(0, 300)}\n${text.slice(0, 300)}`)
    }
  }
})

test('each operation refuses what is no valid HTTP, too large or too slow', async (t) => {
  await askAll((each) => bytesOf(sentOf(each), { host: undefined }), isStatus(400))
  const chunks = `1;${'x'.repeat(20_000)}\r\n`
  const headers = { 'transfer-encoding': 'chunked', 'content-type': 'application/json' }
  const chunked = (each: Operation) => {
    const { method, path, headers: own } = sentOf(each)
    return `${bytesOf({ method, path, headers: { ...own, ...headers } })}${chunks}`
  }
  await askAll(chunked, isStatus(413))
  const impatient = await startServer(t, {}, undefined, { timeouts: { headersMs: 50, requestMs: 100, checkMs: 20 } })
  await askAll((each) => bytesOf(sentOf(each)).split('\r\n\r\n')[0], isStatus(408), portOf(impatient))
})

test('each operation has a 500 for a bug, and a 503 with Retry-After while the store is away', async (t) => {
  const { domains } = server.services
  const { isEmpty } = domains
  t.after(() => Object.assign(domains, { isEmpty }))
  const failWith = (error: Error) =>
    Object.assign(domains, {
      isEmpty() {
        throw error
      },
    })
  failWith(new Error('a bug'))
  await askAll((each) => bytesOf(sentOf(each)), isStatus(500))
  failWith(new StoreUnavailable('away'))
  await askAll((each) => bytesOf(sentOf(each)), isStatus(503))
})

test('each operation that waits in a queue is refused with 503 and Retry-After when that is full', async (t) => {
  const full = Object.fromEntries(works.map((work) => [work, { waiting: 0, concurrent: 0 }]))
  const busy = await startServer(t, {}, undefined, { work: full })
  const isFree = /^(?:healthz|readyz|metrics|visit|visitCompact|download_\w+)$/
  // Forms are queued only for links with a password.
  const isForm = (id: string) => id === 'openLink' || id.startsWith('open_')
  await askAll(
    (each) => (isFree.test(each.id) || isForm(each.id) ? undefined : bytesOf(sentOf(each))),
    isStatus(503),
    portOf(busy),
  )
})

test('each operation that holds a slot is refused with 503 and Retry-After when all slots are taken', async (t) => {
  const taken = await startServer(t, {}, undefined, { slots: { streams: 0, exports: 0, stats: 0 } })
  const { link, share } = await createSubjects(taken)
  const made = await post(`${taken.url}/api/collections`, {})
  const { token: collection } = (await made.json()) as { token: string }
  await post(`${taken.url}/api/collections/${collection}/links`, { tokens: [link.token] })
  const tokenIn = ({ path }: Operation) =>
    path.startsWith('/api/share') ? share.share_token : path.startsWith('/api/collections') ? collection : link.token
  const isSlotted = ({ id }: Operation) => /^(?:follow|export|read\w*Stats)/.test(id)
  const ofTaken = (each: Operation): Change => ({
    token: () => tokenIn(each),
    path: { code: link.code },
    ...(each.id === 'readManyStats' && { body: { tokens: [link.token] } }),
  })
  await askAll(
    (each) => (isSlotted(each) ? bytesOf(sentOf(each, ofTaken(each))) : undefined),
    isStatus(503),
    portOf(taken),
  )
})

test('the registration of a name is refused with 409 when a thousand names of the network do not lead here', async (t) => {
  const dns = await startDns(t, { [HOST]: { a: ['192.0.2.1'] } })
  const full = await startServer(t, { BASE_URL: `https://${HOST}`, DNS_SERVERS: dns.address })
  const holder = asHolder('127.0.0.1')
  for (let at = 0; at < MAX_WAITING; at++) await full.services.domains.register(`n.stranger${at}.com`, holder)
  await askAll(
    (each) => (each.id === 'registerDomain' ? bytesOf(sentOf(each)) : undefined),
    isStatus(409),
    portOf(full),
  )
})

test('each operation that draws a designed image is refused with 503 and Retry-After while the service stops', async (t) => {
  const stopping = await startServer(t)
  const { link } = await createSubjects(stopping)
  await put(`${stopping.url}/api/manage/${link.token}`, { design: { shape: 'dots' } })
  await stopping.services.qr.close()
  const isDrawn = ({ id }: Operation) => /^(?:qr_|print_|designQr$|picture$)/.test(id)
  await askAll((each) => (isDrawn(each) ? bytesOf(sentOf(each)) : undefined), isStatus(503), portOf(stopping))
})

test('each operation that charges or can be guessed has a 429 with Retry-After and RateLimit', async (t) => {
  const strict = await startServer(t, { BASE_URL: `https://${HOST}`, TRUST_PROXY: '127.0.0.1', ...quotas(1) })
  for (const [at, operation] of operations.entries()) {
    // Wrong tokens in a list are errors of their rows.
    if (!has(operation, 429) || operation.id === 'readManyStats') continue
    // Each operation is tried from an address of its own.
    const bytes = bytesOf(sentOf(operation, chargedFor(operation)), { 'x-forwarded-for': `8.8.8.${at}` })
    let last = await ask(operation, bytes, portOf(strict))
    for (let tries = 1; tries < 3 && last.status !== 429; tries++) last = await ask(operation, bytes, portOf(strict))
    await isStatus(429)(last, operation)
    if (!/^"\w+";r=0;t=\d+$/.test(last.headers.get('ratelimit') ?? '')) faults.push(`${operation.id} has no RateLimit`)
  }
})

/** What a request is charged for: a guess where there is something to guess, else a refusal. */
function chargedFor(operation: Operation): Change {
  const codes = codesOf(operation)
  const isCreation = operation.method === 'POST' && valid[operation.id]?.body !== undefined
  return {
    ...(codes.includes('unknown_token') && { token: () => UNKNOWN_TOKEN }),
    ...(codes.includes('unknown_code') && { path: { code: 'nothing' } }),
    ...(isCreation && { body: operation.id === 'print' ? { links: ['nothing'], labels: 'avery-l7160' } : {} }),
  }
}

test('each operation that creates asks for a key where the operator wants one, or is closed', async (t) => {
  for (const [CREATE, status] of [
    ['token', 401],
    ['closed', 403],
  ] as const) {
    const closed = await startServer(t, { CREATE })
    await askAll((each) => (has(each, 401) ? bytesOf(sentOf(each)) : undefined), isStatus(status), portOf(closed))
  }
})

test('with HTTPS of its own, the service redirects pages to it, refuses programs without it, and other hosts', async (t) => {
  const secure = await startServer(t, {
    BASE_URL: `https://${HOST}`,
    TLS: 'on',
    HTTP_PORT: '0',
    HTTPS_PORT: '0',
    ACME_DIRECTORY: 'https://127.0.0.1:9/',
  })
  const isHealth = ({ path }: Operation) => path === '/healthz' || path === '/readyz'
  await askAll(
    (each) => (isHealth(each) ? undefined : bytesOf(sentOf(each))),
    (response, each) => isStatus(each.path.startsWith('/api/') ? 403 : 308)(response, each),
    portOf(secure),
  )
  const key = newKey()
  const cert = issueFor(createCsr(HOST, createPrivateKey(key)), HOST, { from: Date.now() - 1000, to: Date.now() + 1e9 })
  const listener = createTlsServer({ key, cert }, (socket) => void secure.app.server.emit('connection', socket))
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  t.after(() => listener.close())
  const { port } = listener.address() as AddressInfo
  for (const operation of operations) {
    const { method, path, headers } = sentOf(operation)
    const options = { method, headers: { ...headers, host: 'other.example' }, rejectUnauthorized: false }
    const { status, headers: sent, body } = await askSecurely(port, HOST, path, '', options)
    await note(operation, new Response(body, { status, headers: sent as Record<string, string> }), path)
    assert.equal(status, 421)
  }
})

/** What happens to a link while the form with its password arrives. */
const meanwhile: Record<string, (link: Created) => Promise<unknown>> = {
  unknown_code: ({ token }) => put(`${server.url}/api/manage/${token}`, { active: false }),
  code_gone: ({ token }) => fetch(`${server.url}/api/manage/${token}`, { method: 'DELETE' }),
  code_removed: ({ code }) => command(server.dataDir, 'block', code),
  code_removed_by_law: ({ code }) => command(server.dataDir, 'block', code, '--legal'),
}

test('a form with a password gets what a visit would when its link is gone before the form has arrived', async (t) => {
  for (const operation of operations.filter(({ id }) => id.startsWith('open') && id !== 'openApi')) {
    for (const [code, change] of Object.entries(meanwhile)) {
      const link = await create(server, { kind: 'vcard', firstName: 'Ada', password: PASSWORD })
      await (await fetch(link.short_url.replace(`https://${HOST}`, server.url))).text()
      const sent = sentOf(operation, { path: { code: link.code } })
      const [head, body = ''] = bytesOf(sent, { expect: '100-continue' }).split('\r\n\r\n')
      const { socket, received, closed } = connectRaw(t, portOf(server))
      socket.write(`${head}\r\n\r\n`)
      await poll(() => received().includes('100 Continue\r\n\r\n'))
      await change(link)
      socket.write(body)
      await closed
      const response = await note(
        operation,
        parseResponse(received().slice(received().indexOf('\r\n\r\n') + 4)),
        head ?? '',
      )
      assert.match(await response.text(), new RegExp(`"code":"${code}"`))
    }
  }
})

/** What no request of this test can get, with the reason. */
const unmade: [operation: RegExp, answer: RegExp, why: string][] = [
  [
    /^revertLink/,
    /^unscannable$/,
    'an earlier design was readable when it was saved, and its readers have not changed since',
  ],
  [
    /^readManyStats$/,
    /^(?:429|rate_limited)$/,
    'the wrong tokens of a list are charged, and past the quota errors of their rows',
  ],
  [/^print/, /^unscannable$/, 'a design that is saved was read then; the code of a place, which is longer, may fail'],
]

test('every status and every code that the document has was answered, or a table says why not', () => {
  const declared = operations.flatMap((each) => [
    ...[...each.responses.keys()].map((status) => `${each.id} ${status}`),
    ...codesOf(each).map((code) => `${each.id} ${code}`),
  ])
  const isUnmade = (answer: string) => {
    const [id = '', what = ''] = answer.split(' ')
    return unmade.some(([operation, which]) => operation.test(id) && which.test(what))
  }
  assert.deepEqual(
    declared.filter((answer) => !seen.has(answer) && !isUnmade(answer)),
    [],
  )
  assert.deepEqual([...seen].filter(isUnmade), [], 'the table names what was answered')
})

test('a page of another origin may read every header that the document has', async () => {
  const response = await fetch(`${server.url}/api/problems`)
  const exposed = response.headers.get('access-control-expose-headers')?.split(', ') ?? []
  assert.deepEqual(
    Object.keys(responseHeaders).filter((name) => !exposed.includes(name)),
    [],
  )
})
