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
  formBodies,
  headerValues,
  jsonFields,
  jsonValues,
  multipartBodies,
  paths,
  queries,
  type Body,
} from './support/hostile.ts'
import { ask } from './support/http.ts'
import { parseDocument } from './support/openapi.ts'
import { start } from './support/program.ts'
import { create } from './support/server.ts'

const MIB = 1024 * 1024
const KIB = 1024
/** Of memory, for one request. */
const MAX_GROWTH = 64 * MIB
/** Of a response that is neither an image nor an export. */
const MAX_RESPONSE = MIB
/** How long a request may hold the event loop beyond one that asks for nothing: in units of the probe's fixed work, about 10 ms each. */
const MAX_HOLD = 5
/** What is left of Node's 16 KiB for the headers. */
const MAX_HEADER = 14 * KIB

const end = endOfFile()
const folder = temporaryFolder(end)
const probe = probeEnvironment(folder)
const unlimited = ['links', 'bulk', 'qr', 'domains', 'reports', 'failures', 'misses'].map((name) => `--limit-${name}=0`)
const service = await start(end, undefined, [...unlimited, '--dns-servers=127.0.0.1:9'], { env: probe })

type Operations = Record<string, { requestBody?: { content: Record<string, { schema: Schema }> } }>
const document = parseDocument((await ask(`${service.url}/api/openapi.json`)).body) as {
  paths: Record<string, Operations>
}
const own = await create(service, { kind: 'page', headline: 'x' })

// Who says that the connection is to be closed does not read a response that comes before the body was sent.
const agent = new Agent({ keepAlive: true, maxSockets: 1 })
end.after(() => agent.destroy())

/** Where the parameters of a path lead to something that is there. */
const real = (path: string) =>
  path.replace('{token}', own.token).replace('{code}', own.code).replace('{domain}', 'qr.example.com')

interface Request {
  method: string
  path: string
  headers?: Record<string, string>
  body?: string
}

/** What requests cost: the longest hold, in units; the memory; the largest response that is no image and no export. */
interface Cost {
  hold: number
  growth: number
  bytes: number
  statuses: number[]
}

const status = () => readFileSync(`/proc/${service.process.pid}/status`, 'utf8')
const kilobytes = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status())?.[1]) * KIB
const exported = /^(?:image\/|text\/csv|application\/(?:zip|pdf))/

/** Sends requests one after the other, and measures what they cost together. */
async function costOf(requests: Request[]): Promise<Cost> {
  // The high-water mark of the memory begins anew (proc(5), clear_refs).
  writeFileSync(`/proc/${service.process.pid}/clear_refs`, '5')
  const before = kilobytes('VmRSS')
  let bytes = 0
  const statuses: number[] = []
  for (const { method, path, headers = {}, body } of requests) {
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }
    const answer = await ask(service.url + path, {
      method,
      agent,
      headers: { ...length, ...headers },
      ...(body && { body }),
    })
    statuses.push(answer.status)
    if (!exported.test(answer.headers['content-type'] ?? '')) bytes = Math.max(bytes, Buffer.byteLength(answer.body))
  }
  const growth = kilobytes('VmHWM') - before
  const { longest, calibrated } = await readHolds(service.process, probe.HOLD_FILE)
  return { hold: longest / calibrated, growth, bytes, statuses }
}

function isTooMuch({ hold: held, growth, bytes, statuses }: Cost): boolean {
  const isFault = statuses.some((each) => each >= 500)
  return held - usual.hold > MAX_HOLD || growth > MAX_GROWTH || bytes > MAX_RESPONSE || isFault
}

function inWords({ hold: held, growth, bytes, statuses }: Cost): string {
  const counts = Object.fromEntries([...Map.groupBy(statuses, String)].map(([each, all]) => [each, all.length]))
  return `${held.toFixed(1)} units, ${(growth / MIB).toFixed(0)} MiB, ${bytes} bytes, ${JSON.stringify(counts)}`
}

// The first one also costs what the service loads for it.
await costOf([{ method: 'GET', path: '/healthz' }])
/** What a request costs that asks for nothing. */
const usual = await costOf([{ method: 'GET', path: '/healthz' }])

/** Requests that are measured together: garbage of more would be taken for what one of them costs. */
const TOGETHER = 50
/** Bytes of requests that are measured together. */
const BYTES_TOGETHER = 32 * MIB

/** Sends requests, and holds each to the bounds: some together at first, and each by itself when that was too much. */
async function hold(t: TestContext, requests: (Request & { what: string })[]): Promise<void> {
  const most: Cost = { hold: 0, growth: 0, bytes: 0, statuses: [] }
  const faults: string[] = []
  const largest = Math.max(...requests.map(({ body = '' }) => body.length))
  const count = Math.min(TOGETHER, Math.floor(BYTES_TOGETHER / (largest + 1)))
  for (let from = 0; from < requests.length; from += count) {
    const some = requests.slice(from, from + count)
    const together = await costOf(some)
    for (const name of ['hold', 'growth', 'bytes'] as const) most[name] = Math.max(most[name], together[name])
    most.statuses.push(...together.statuses)
    if (!isTooMuch(together)) continue
    for (const request of some) {
      const cost = await costOf([request])
      if (isTooMuch(cost)) faults.push(`${request.what}: ${inWords(cost)}`)
    }
  }
  t.diagnostic(`${requests.length} requests: ${inWords(most)}; an empty one ${usual.hold.toFixed(1)} units`)
  assert.deepEqual(faults, [])
}

/** Bytes that routes take, where it is not 256 KiB. */
const limits: Record<string, number> = { '/api/bulk': 4 * MIB, '/api/qr': 512 * KIB, '/api/manage/{token}': 512 * KIB }

/** Each field of a body with each costly value, and such values as the whole body. */
function jsonBodies(size: number, names: string[], rows: boolean): Body[] {
  const values = jsonValues(size)
  const inFields = jsonFields(size, names)
  const nested = names.map((name) => ({
    what: `as payload.${name}`,
    body: `{"payload":{"${name}":${values[6]?.body}}}`,
  }))
  const all = [...values, ...inFields, ...nested]
  if (!rows) return all
  return [
    ...values,
    ...inFields.map(({ what, body }) => ({ what: `a row of ${what}`, body: `[${body}]` })),
    { what: 'rows', body: `[${'{"kind":"page","headline":1,"links":[{},{},{}],"utm":{"A":1}},'.repeat(499)}{}]` },
  ]
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)

suite('the costliest body that its bound allows holds nobody up:', () => {
  for (const { path, method, operation } of operations) {
    for (const [type, { schema }] of Object.entries(operation.requestBody?.content ?? {})) {
      if (method === 'DELETE') continue
      test(`${method} ${path} ${type}`, async (t) => {
        const size = limits[path] ?? 256 * KIB
        const names = fieldNames(schema)
        const isBulk = path === '/api/bulk'
        const csv = csvBodies(size - 100)
        const bodies =
          type === 'text/csv'
            ? csv
            : [
                ...jsonBodies(size, isBulk ? ['links', 'utm', 'title', 'target', 'alias'] : names, isBulk),
                ...(isBulk
                  ? csvBodies(size / 2 - 100).map(({ what, body }) => ({ what, body: JSON.stringify({ csv: body }) }))
                  : []),
              ]
        const request = { method, path: real(path), headers: { 'content-type': type } }
        await hold(
          t,
          bodies.map(({ what, body }) => ({ ...request, what, body })),
        )
      })
    }
  }

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
          formBodies(size, names).map(({ what, body }) => ({ ...request, what, headers, body: fixed + body })),
        )
        await hold(t, requests)
      }
    })
    test(`POST ${shown}, a form with files`, async (t) => {
      const headers = { 'content-type': `multipart/form-data; boundary=${BOUNDARY}` }
      const requests = [256 * KIB, 2 * MIB - 100].flatMap((size) =>
        multipartBodies(size, names).map(({ what, body }) => ({ ...request, what, headers, body })),
      )
      await hold(t, requests)
    })
  }
})

suite('the costliest address and header holds nobody up:', () => {
  const gets = [
    ...new Set(['/', `/m/${own.token}`, '/report', '/api/nothing', ...operations.map(({ path }) => real(path))]),
  ]
  for (const path of gets) {
    if (path.endsWith('/stream')) continue
    test(`GET ${path.replace(own.token, '<token>').replace(own.code, '<code>')}`, async (t) => {
      const get = { method: 'GET', path }
      const requests = [
        ...queries(MAX_HEADER).map((query) => ({ ...get, what: `?${query.slice(0, 10)}`, path: `${path}?${query}` })),
        ...headerValues(MAX_HEADER).map((headers) => ({
          ...get,
          what: JSON.stringify(headers).slice(0, 40),
          headers,
        })),
      ]
      await hold(t, requests)
    })
  }

  test('long paths', async (t) => {
    const requests = ['GET', 'POST'].flatMap((method) =>
      ['', '/api', '/m', '/api/manage', `/${own.code}`].flatMap((prefix) =>
        paths(MAX_HEADER).map((path) => ({ method, path: prefix + path, what: (prefix + path).slice(0, 20) })),
      ),
    )
    await hold(t, requests)
  })
})
