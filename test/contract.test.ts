import assert from 'node:assert/strict'
import { before, test } from 'node:test'
import { endOfFile } from './support/cleanup.ts'
import { createContract, readOperations, requestsOf, type Contract, type Operation } from './support/contract.ts'
import { startDns } from './support/dns.ts'
import { fc } from './support/fast-check.ts'
import { create, post, startServer, type Created, type TestServer } from './support/server.ts'

const HOST = 'go.bakery.shop'
const end = endOfFile()
let server: TestServer
let operations: Operation[]
let contract: Contract
let link: Created
let share: { id: string; share_token: string }
before(async () => {
  const dns = await startDns(end, { [HOST]: { a: ['192.0.2.1'] } })
  server = await startServer(end, {
    BASE_URL: `https://${HOST}`,
    DNS_SERVERS: dns.address,
    CONTACT: 'abuse@bakery.shop',
  })
  link = await create(server, { kind: 'vcard', firstName: 'Ada', alias: 'contract' })
  share = (await (await post(`${server.url}/api/manage/${link.token}/share`, { csv: true })).json()) as typeof share
  operations = await readOperations(server.url)
  const problem = operations
    .find(({ id }) => id === 'readLink')
    ?.responses.get('404')
    ?.get(PROBLEM)
  assert.ok(problem)
  contract = createContract(problem)
})

const PROBLEM = 'application/problem+json'

/** What a valid request of an operation has; the rest is the same for all. */
interface Valid {
  /** Whose token is in the path or in the Authorization header; by default that of the link. */
  token?: () => string
  path?: Record<string, string>
  query?: string
  body?: unknown
  form?: string
  /** The status of its response, 200 by default. */
  status?: number
}

const target = 'https://example.com/menu'
const ofShare: Valid = { token: () => share.share_token }
const protectedLink: Valid = { path: { code: 'locked' }, form: 'password=correct-horse' }

/** One valid request of each operation, in an order in which each succeeds. */
const validRequests: Record<string, Valid | (() => Promise<Valid>)> = {
  healthz: {},
  readyz: {},
  metrics: {},
  securityTxt: {},
  openApi: {},
  problems: {},
  createLink: {
    body: { target, alias: 'locked', password: 'correct-horse', utm: { utm_source: 'poster' } },
    status: 201,
  },
  createLinks: { body: [{ target }, { target: 'nothing' }], status: 201 },
  readAvailability: {},
  readLink: {},
  readLinkByHeader: {},
  visit: {},
  visitCompact: {},
  openLink: { ...protectedLink, status: 303 },
  open_vcf: async () => {
    await create(server, { kind: 'vcard', firstName: 'Ada', alias: 'locked-card', password: 'correct-horse' })
    return { ...protectedLink, path: { code: 'locked-card' } }
  },
  preview: {},
  download_vcf: {},
  qr_png: {},
  qr_svg: { query: 'size=200' },
  qr_pdf: { query: 'width_mm=40' },
  print_pdf: { query: 'paper=letter&title=Menu' },
  picture: {},
  makeQr: { query: 'data=contract' },
  designQr: { query: 'report=true', body: { data: 'contract', design: { shape: 'dots' } } },
  changeLink: { body: { title: 'Card' } },
  changeLinkByHeader: { body: { title: 'A card' } },
  changeLinks: async () => ({
    body: {
      changes: [
        { token: link.token, title: 'My card' },
        { token: 'x', title: 'y' },
      ],
    },
  }),
  readHistory: {},
  readHistoryByHeader: {},
  revertLink: { body: { revision: 1 } },
  revertLinkByHeader: { body: { revision: 2 } },
  followTotals: {},
  followTotalsByHeader: {},
  readStats: { query: 'days=7&tz=Europe/Berlin&previous=true' },
  readStatsByHeader: { query: 'audience=human' },
  exportScans: {},
  exportScansByHeader: {},
  exportBundle: {},
  exportBundleByHeader: {},
  readManyStats: async () => ({ body: { tokens: [link.token] } }),
  createShare: { body: { name: 'Printer' }, status: 201 },
  createShareByHeader: { body: {}, status: 201 },
  listShares: {},
  listSharesByHeader: {},
  readSharedStats: ofShare,
  readSharedStatsByHeader: ofShare,
  exportSharedScans: ofShare,
  exportSharedScansByHeader: ofShare,
  revokeShare: async () => ({ path: { id: share.id } }),
  report: { body: { code: 'contract', reason: 'phishing', details: 'It asks for a card number' }, status: 202 },
  registerDomain: { body: { domain: 'qr.example.com' }, status: 201 },
  readDomain: { path: { domain: 'qr.example.com' } },
  removeDomain: async () => {
    const registered = (await (
      await post(`${server.url}/api/domains`, { domain: 'menu.example.com' })
    ).json()) as Created
    return { token: () => registered.token, path: { domain: 'menu.example.com' } }
  },
  rotateToken: async () => ({ token: await tokenOfNew() }),
  rotateTokenByHeader: async () => ({ token: await tokenOfNew() }),
  deleteLink: async () => ({ token: await tokenOfNew() }),
  deleteLinkByHeader: async () => ({ token: await tokenOfNew() }),
}

async function tokenOfNew(): Promise<() => string> {
  const { token } = await create(server, { target })
  return () => token
}

test('each operation accepts a valid request, and its response is as the OpenAPI document describes it', async () => {
  const ids = operations.map(({ id }) => id)
  assert.deepEqual(Object.keys(validRequests).sort(), ids.sort())
  for (const [id, given] of Object.entries(validRequests)) {
    const operation = operations.find((each) => each.id === id) as Operation
    const valid = typeof given === 'function' ? await given() : given
    const response = await request(operation, valid)
    if (response.status !== (valid.status ?? 200)) assert.fail(`${id}: ${response.status} ${await response.text()}`)
    // An event stream does not end by itself; test/streams.test.ts covers it.
    if (id.startsWith('followTotals')) await response.body?.cancel()
    else assert.equal(await contract.faultOf(operation, response), undefined, id)
  }
})

function request({ method, path }: Operation, valid: Valid): Promise<Response> {
  const token = valid.token?.() ?? link.token
  const values: Record<string, string> = { code: 'contract', token, ...valid.path }
  const filled = path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => values[name] ?? 'x')
  const headers: Record<string, string> = { authorization: `Bearer ${token}` }
  const body = valid.form ?? (valid.body === undefined ? undefined : JSON.stringify(valid.body))
  if (body !== undefined)
    headers['content-type'] = valid.form === undefined ? 'application/json' : 'application/x-www-form-urlencoded'
  const init = { method, headers, redirect: 'manual' as const, ...(body !== undefined && { body }) }
  return fetch(`${server.url}${filled}?${valid.query ?? ''}`, init)
}

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

test('the comparison finds a status, a media type, a property and a type that the document does not describe', async () => {
  const operation = operations.find(({ id }) => id === 'readAvailability') as Operation
  const faultOf = (body: unknown, status = 200, type = 'application/json') =>
    contract.faultOf(operation, new Response(JSON.stringify(body), { status, headers: { 'content-type': type } }))
  assert.equal(await faultOf({ available: true }), undefined)
  assert.match((await faultOf({ available: true }, 202)) ?? '', /status 202 is not described/)
  assert.match((await faultOf({ available: true }, 200, 'text/html')) ?? '', /text\/html is not described/)
  assert.match((await faultOf({ available: true, secret: 1 })) ?? '', /unevaluated properties/)
  assert.match((await faultOf({ available: 'yes' })) ?? '', /must be boolean/)
  assert.match((await faultOf({ code: 'nothing' }, 404, PROBLEM)) ?? '', /required property/)
})
