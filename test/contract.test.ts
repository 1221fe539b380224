import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { endOfFile } from './support/cleanup.ts'
import { createContract, readOperations, requestsOf, type Operation } from './support/contract.ts'
import { startDns } from './support/dns.ts'
import { fc } from './support/fast-check.ts'
import { create, startServer, type TestServer } from './support/server.ts'
import { createSubjects, requestOf, validRequests, type Subjects } from './support/valid-requests.ts'

const HOST = 'go.bakery.shop'
const end = endOfFile()
const contract = createContract()
let server: TestServer
let operations: Operation[]
let subjects: Subjects
before(async () => {
  const dns = await startDns(end, { [HOST]: { a: ['192.0.2.1'] } })
  server = await startServer(end, {
    BASE_URL: `https://${HOST}`,
    DNS_SERVERS: dns.address,
    CONTACT: 'abuse@bakery.shop',
  })
  subjects = await createSubjects(server)
  operations = await readOperations(server.url)
})

const PROBLEM = 'application/problem+json'

const target = 'https://example.com/menu'

test('each operation accepts a valid request, and its response is as the OpenAPI document describes it', async () => {
  const requests = validRequests(subjects)
  const ids = operations.map(({ id }) => id)
  assert.deepEqual(Object.keys(requests).sort(), ids.sort())
  for (const [id, given] of Object.entries(requests)) {
    const operation = operations.find((each) => each.id === id) as Operation
    const valid = typeof given === 'function' ? await given() : given
    const { path, ...init } = requestOf(operation, valid, subjects)
    const response = await fetch(server.url + path, { ...init, redirect: 'manual' })
    if (response.status !== (valid.status ?? 200)) assert.fail(`${id}: ${response.status} ${await response.text()}`)
    // An event stream does not end by itself; test/streams.test.ts covers it.
    if (id.startsWith('followTotals')) await response.body?.cancel()
    else assert.equal(await contract.faultOf(operation, response), undefined, id)
  }
})

/** `npm run test:faults` sends more. */
const REQUESTS = Number(process.env['FUZZ_REQUESTS'] ?? 2000)

test(`${REQUESTS} requests generated from the OpenAPI document get only responses that it describes, and never a 500`, async () => {
  const victim = await create(server, { target, alias: 'generated' })
  // A deletion or a new token would leave little to find for what follows.
  const ends = (path: string) => /rotate$|stream$/.test(path)
  const all = operations.filter(({ method, path }) => method !== 'DELETE' && !ends(path))
  const seen = new Set<number>()
  for (const operation of all) {
    const byHeader = operation.id.endsWith('ByHeader') ? { authorization: `Bearer ${victim.token}` } : {}
    const known = { code: victim.code, token: victim.token }
    await fc.assert(
      fc.asyncProperty(requestsOf(operation, known), async ({ path, init }) => {
        const response = await fetch(server.url + path, { ...init, headers: { ...byHeader, ...init.headers } })
        seen.add(response.status)
        assert.ok(response.status < 500, `${init.method} ${path} ${init.body ?? ''}: ${response.status}`)
        const copy = response.clone()
        const fault = await contract.faultOf(operation, response)
        if (fault !== undefined)
          assert.fail(`${init.method} ${path} ${init.body ?? ''}: ${fault}: ${await copy.text()}`)
      }),
      { numRuns: Math.ceil(REQUESTS / all.length) },
    )
  }
  for (const status of [200, 201, 302, 400, 404]) assert.ok(seen.has(status), `no response had status ${status}`)
})

test('the comparison finds a header that the document does not describe, and one that is missing', async () => {
  const operation = operations.find(({ id }) => id === 'createLink') as Operation
  const faultOf = (status: number, headers: Record<string, string>) =>
    contract.faultOf(operation, new Response('', { status, headers }))
  const location = 'https://go.bakery.shop/menu'
  assert.match((await faultOf(201, {})) ?? '', /the header location is missing in a 201/)
  assert.match((await faultOf(201, { location, etag: '"1"' })) ?? '', /the header etag is not described for 201/)
  assert.match((await faultOf(201, { location, ratelimit: '"links";r=1;t=1' })) ?? '', /the body is missing/)
  assert.match((await faultOf(429, {})) ?? '', /the header retry-after is missing in a 429/)
})

test('the comparison finds a status, a media type, a property and a type that the document does not describe', async () => {
  const operation = operations.find(({ id }) => id === 'readAvailability') as Operation
  const faultOf = (body: unknown, status = 200, type = 'application/json') =>
    contract.faultOf(operation, new Response(JSON.stringify(body), { status, headers: { 'content-type': type } }))
  assert.equal(await faultOf({ available: true }), undefined)
  assert.match((await faultOf({ available: true }, 202)) ?? '', /status 202 is not described/)
  assert.match((await faultOf({ available: true }, 200, 'text/html')) ?? '', /text\/html is not described/)
  assert.match((await faultOf({ available: true, secret: 1 })) ?? '', /unevaluated properties/)
  assert.match((await faultOf({ available: 'yes' })) ?? '', /must be boolean/)
  assert.match((await faultOf({ code: 'not_found' }, 404, PROBLEM)) ?? '', /required property/)
  const problem = { type: '', title: '', status: 404, detail: '', request_id: '' }
  assert.equal(await faultOf({ ...problem, code: 'not_found' }, 404, PROBLEM), undefined)
  assert.match((await faultOf({ ...problem, code: 'unknown_code' }, 404, PROBLEM)) ?? '', /allowed values/)
})
