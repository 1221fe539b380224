import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { suite, test, type TestContext } from 'node:test'
import { endOfFile, temporaryFolder } from './support/cleanup.ts'
import type { Schema } from './support/from-schema.ts'
import { probeEnvironment, readHolds } from './support/holds.ts'
import {
  BOUNDARY,
  csvBodies,
  fieldNames,
  fieldPosition,
  fill,
  formBodies,
  headerValues,
  jsonBodies,
  multipartBodies,
  pageBodies,
  paths,
  queries,
  type Body,
  type Position,
} from './support/hostile.ts'
import { ask } from './support/http.ts'
import { parseDocument } from './support/openapi.ts'
import { start } from './support/program.ts'
import { create } from './support/server.ts'

const MIB = 1024 * 1024
const KIB = 1024
/** The most memory for one request. */
const MAX_GROWTH = 64 * MIB
/** The largest response that is neither an image nor an export. */
const MAX_RESPONSE = MIB
/** How much longer than /healthz a request may block the event loop: in units of the probe's fixed work, about 10 ms each. */
const MAX_HOLD = 5
/** The share of Node's 16 KiB that is left for one header. */
const MAX_HEADER = 14 * KIB

const end = endOfFile()
const folder = temporaryFolder(end)
const probe = probeEnvironment(folder)
const unlimited = ['links', 'changes', 'bulk', 'aliases', 'qr', 'domains', 'reports', 'failures', 'misses'].map(
  (name) => `--limit-${name}=0`,
)
const service = await start(end, undefined, [...unlimited, '--dns-servers=127.0.0.1:9'], { env: probe })

type Operations = Record<string, { operationId: string; requestBody?: { content: Record<string, { schema: Schema }> } }>
const document = parseDocument((await ask(`${service.url}/api/openapi.json`)).body) as {
  paths: Record<string, Operations>
}
const own = await create(service, { kind: 'page', headline: 'x' })

// With "Connection: close", the client would not read a response that arrives before it has sent the body.
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
end.after(() => agent.destroy())

/** Fills in the parameters of a path with those of existing data. */
const real = (path: string) =>
  path.replace('{token}', own.token).replace('{code}', own.code).replace('{domain}', 'qr.example.com')

interface Request {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string | Buffer
}

/** The cost of requests: the longest block of the event loop in units, the memory, the largest response but images and exports. */
interface Cost {
  hold: number
  growth: number
  bytes: number
  statuses: number[]
}

const status = () => readFileSync(`/proc/${service.process.pid}/status`, 'utf8')
const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status())?.[1]) * KIB
const exported = /^(?:image\/|text\/csv|application\/(?:zip|pdf))/

/** Sends requests one after the other, and measures their cost together. */
async function costOf(requests: Request[]): Promise<Cost> {
  // Resets the high-water mark of the memory (proc(5), clear_refs).
  writeFileSync(`/proc/${service.process.pid}/clear_refs`, '5')
  const before = kilobytes('VmRSS')
  let bytes = 0
  const statuses: number[] = []
  for (const { method, path, headers = {}, body: text } of requests) {
    const body = typeof text === 'string' ? Buffer.from(text) : text
    const response = await ask(service.url + path, {
      method,
      agent,
      headers: { ...(body && { 'content-length': body.length }), ...headers },
      ...(body && { body }),
    })
    statuses.push(response.status)
    if (!exported.test(response.headers['content-type'] ?? ''))
      bytes = Math.max(bytes, Buffer.byteLength(response.body))
  }
  const growth = kilobytes('VmHWM') - before
  const { longest, calibrated } = await readHolds(service.process, probe.HOLD_FILE)
  return { hold: longest / calibrated, growth, bytes, statuses }
}

function isTooMuch({ hold: held, growth, bytes, statuses }: Cost): boolean {
  const isFault = statuses.some((each) => each >= 500)
  return held - usual.hold > MAX_HOLD || growth > MAX_GROWTH || bytes > MAX_RESPONSE || isFault
}

function describeCost({ hold: held, growth, bytes, statuses }: Cost): string {
  const counts = Object.fromEntries([...Map.groupBy(statuses, String)].map(([each, all]) => [each, all.length]))
  return `${held.toFixed(1)} units, ${(growth / MIB).toFixed(0)} MiB, ${bytes} bytes, ${JSON.stringify(counts)}`
}

// The service loads modules for the first request, which is not measured.
await costOf([{ method: 'GET', path: '/healthz' }])
/** The cost of a request without work. */
const usual = await costOf([{ method: 'GET', path: '/healthz' }])

/** A busy machine adds to what is measured, and never takes away. */
const MEASUREMENTS = 3

/** The cost of requests that cost too much each time that they are measured. */
async function costTooMuch(requests: Request[], first: Cost): Promise<Cost | undefined> {
  let cost = first
  for (let at = 1; isTooMuch(cost) && at < MEASUREMENTS; at++) cost = await costOf(requests)
  return isTooMuch(cost) ? cost : undefined
}

interface Labelled extends Request {
  label: string
}

/** What is wrong with those of the requests that cost too much, found by halves. */
async function faultsOf(requests: Labelled[], first: Cost): Promise<string[]> {
  const cost = await costTooMuch(requests, first)
  if (cost === undefined) return []
  const [only] = requests
  if (requests.length === 1 && only !== undefined) return [`${only.label}: ${describeCost(cost)}`]
  const middle = Math.ceil(requests.length / 2)
  const faults: string[] = []
  for (const half of [requests.slice(0, middle), requests.slice(middle)])
    faults.push(...(await faultsOf(half, await costOf(half))))
  return faults
}

/** Requests that are measured together: with more, their garbage would count as the memory of one. */
const TOGETHER = 50
/** Bytes of requests that are measured together. */
const BYTES_TOGETHER = 32 * MIB

/** Checks the cost of requests against the bounds: of many together, and of fewer where these cost too much. */
async function checkCost(t: TestContext, requests: Labelled[]): Promise<void> {
  const most: Cost = { hold: 0, growth: 0, bytes: 0, statuses: [] }
  const faults: string[] = []
  const largest = Math.max(...requests.map(({ body = '' }) => body.length))
  const count = Math.min(TOGETHER, Math.floor(BYTES_TOGETHER / (largest + 1)))
  for (let from = 0; from < requests.length; from += count) {
    const some = requests.slice(from, from + count)
    const together = await costOf(some)
    for (const name of ['hold', 'growth', 'bytes'] as const) most[name] = Math.max(most[name], together[name])
    most.statuses.push(...together.statuses)
    faults.push(...(await faultsOf(some, together)))
  }
  t.diagnostic(`${requests.length} requests: ${describeCost(most)}; one without work: ${usual.hold.toFixed(1)} units`)
  assert.deepEqual(faults, [])
}

/** The bounds of bodies in bytes, where they are not 256 KiB. */
const limits: Record<string, number> = {
  'POST /api/bulk': 4 * MIB,
  'POST /api/manage': 4 * MIB,
  'POST /api/qr': 512 * KIB,
  'PUT /api/manage': 512 * KIB,
  'PUT /api/manage/{token}': 512 * KIB,
}

const whole = (size: number): Position => ({ label: 'as the body', size, write: (value) => value })

/** Each field of a body with each costly value, and such values as the whole body. */
function bodiesOf(size: number, names: string[]): Body[] {
  return [
    ...jsonBodies([whole(size)]),
    ...jsonBodies(names.map((name) => fieldPosition(name, size))),
    ...names.map((name) => inPayload(size, name)),
  ]
}

function inPayload(size: number, name: string): Body {
  const list = fill(size - 100, '{"label":1,"url":2},').slice(0, -1)
  return { label: `as payload.${name}`, body: `{"payload":{"${name}":[${list}]}}` }
}

/** The same in a list of many links. */
function rowsOf(size: number): Body[] {
  const names = ['links', 'utm', 'title', 'target', 'alias']
  const positions = names.map((name) => inside(fieldPosition(name, size), 'a row of', (row) => `[${row}]`))
  const csv = csvBodies(size / 2 - 100).map(({ label, body }) => ({ label, body: JSON.stringify({ csv: body }) }))
  return [
    ...jsonBodies([whole(size), ...positions]),
    { label: 'rows', body: `[${'{"kind":"page","headline":1,"links":[{},{},{}],"utm":{"A":1}},'.repeat(499)}{}]` },
    ...csv,
  ]
}

/** The same in changes of many links: in the first row, whose token is right, and in all rows. */
function changesOf(size: number): Body[] {
  const names = ['links', 'utm', 'title', 'target', 'if_match']
  const withToken = (body: string) => `{"token":"${own.token}",${body.slice(1)}`
  const one = (row: string) => `{"changes":[${row}]}`
  const all = (row: string) => `{"changes":[${Array(500).fill(withToken(row)).join()}]}`
  const bodies = jsonBodies([
    whole(size),
    fieldPosition('changes', size),
    inside(fieldPosition('token', size - 100), 'a change of', one),
    ...names.flatMap((name) => [
      inside(fieldPosition(name, size - 100), 'a change of', (row) => one(withToken(row))),
      inside(fieldPosition(name, size / 500 - 100), '500 changes of', all),
    ]),
  ])
  return [...bodies, inPayload(size, 'changes')]
}

function inside(position: Position, label: string, wrap: (object: string) => string): Position {
  return { ...position, label: `in ${label} ${position.label}`, write: (value) => wrap(position.write(value)) }
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)

suite('the costliest body within the bound does not block the event loop:', () => {
  for (const { path, method, operation } of operations) {
    for (const [type, { schema }] of Object.entries(operation.requestBody?.content ?? {})) {
      if (method === 'DELETE') continue
      test(`${method} ${path} ${type}`, async (t) => {
        const size = limits[`${method} ${path}`] ?? 256 * KIB
        const names = fieldNames(schema)
        const bodies =
          type === 'text/csv'
            ? csvBodies(size - 100)
            : path === '/api/bulk'
              ? rowsOf(size)
              : operation.operationId === 'changeLinks'
                ? changesOf(size)
                : bodiesOf(size, names)
        const request = { method, path: real(path), headers: { 'content-type': type } }
        await checkCost(
          t,
          bodies.map(({ label, body }) => ({ ...request, label, body })),
        )
      })
    }
  }

  test('POST /api/bulk, tables that are no UTF-8', async (t) => {
    const headers = { 'content-type': 'text/csv' }
    const requests = [0x80, 0xe4].map((byte) => ({
      method: 'POST',
      path: '/api/bulk?dry_run=true',
      headers,
      label: `letters ${byte.toString(16)}`,
      body: Buffer.concat([Buffer.from('target\n'), Buffer.alloc(4 * MIB - 10, byte)]),
    }))
    await checkCost(t, requests)
  })

  test('POST /api/links, pages that are right', async (t) => {
    const request = { method: 'POST', path: '/api/links', headers: { 'content-type': 'application/json' } }
    const requests = pageBodies(256 * KIB).map(({ label, body }) => ({ ...request, label, body }))
    assert.deepEqual(new Set((await costOf(requests)).statuses), new Set([201]))
    await checkCost(t, requests)
  })

  const pages: [path: string, names: string[]][] = [
    [
      '/',
      ['kind', 'target', 'link_label', 'link_url', 'headline', 'description', 'utm_source', 'alias', 'idempotency_key'],
    ],
    [
      `/m/${own.token}`,
      ['action', 'headline', 'description', 'link_label', 'link_url', 'title', 'revision', 'fg', 'logo'],
    ],
    ['/m/unknown', ['action']],
    ['/report', ['code', 'url', 'reason', 'text', 'contact']],
    ['/healthz', []],
    ['/nothing/here', []],
  ]
  for (const [path, names] of pages) {
    const request = { method: 'POST', path }
    const shown = path.replace(own.token, '<token>')
    test(`POST ${shown}, a form`, async (t) => {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' }
      for (const fixed of path.startsWith('/m/') ? ['action=change&', 'action=design&', ''] : ['kind=page&', '']) {
        const requests = [64 * KIB, 256 * KIB, 2 * MIB - 100].flatMap((size) =>
          formBodies(size, names).map(({ label, body }) => ({ ...request, label, headers, body: fixed + body })),
        )
        await checkCost(t, requests)
      }
    })
    test(`POST ${shown}, a form with files`, async (t) => {
      const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
      const requests = [256 * KIB, 2 * MIB - 100].flatMap((size) =>
        multipartBodies(size, names).map(({ label, body }) => ({ ...request, label, headers, body })),
      )
      await checkCost(t, requests)
    })
  }
})

suite('the costliest URL and header do not block the event loop:', () => {
  const gets = [
    ...new Set(['/', `/m/${own.token}`, '/report', '/api/nothing', ...operations.map(({ path }) => real(path))]),
  ]
  for (const path of gets) {
    if (path.endsWith('/stream')) continue
    test(`GET ${path.replace(own.token, '<token>').replace(own.code, '<code>')}`, async (t) => {
      const get = { method: 'GET', path }
      const requests = [
        ...queries(MAX_HEADER).map((query) => ({ ...get, label: `?${query.slice(0, 10)}`, path: `${path}?${query}` })),
        ...headerValues(MAX_HEADER).map((headers) => ({
          ...get,
          label: JSON.stringify(headers).slice(0, 40),
          headers,
        })),
      ]
      await checkCost(t, requests)
    })
  }

  test('long paths', async (t) => {
    const requests = ['GET', 'POST'].flatMap((method) =>
      ['', '/api', '/m', '/api/manage', `/${own.code}`].flatMap((prefix) =>
        paths(MAX_HEADER).map((path) => ({ method, path: prefix + path, label: (prefix + path).slice(0, 20) })),
      ),
    )
    await checkCost(t, requests)
  })
})
