import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { before, describe, test } from 'node:test'
import { endOfFile } from './support/cleanup.ts'
import { calibrate, cpuTime } from './support/cpu-cost.ts'
import { create, startServer, type Created, type TestServer } from './support/server.ts'

const end = endOfFile()
let server: TestServer
let link: Created
let locked: Created
before(async () => {
  server = await startServer(end)
  link = await create(server, { target: 'https://example.com/' })
  locked = await create(server, { target: 'https://example.com/', password: 'correct horse' })
})

const MIB = 1024 * 1024
const JSON_TYPE = 'application/json'
const CSV = 'text/csv'
const FORM = 'application/x-www-form-urlencoded'
const MULTIPART = 'multipart/form-data; boundary=edge'

/** `open`, then as many of `unit` as fit into `size` bytes, then `close`. */
function full(size: number, open: string, unit: string, close: string, between = ''): string {
  const room = size - Buffer.byteLength(open + close)
  const count = Math.floor(room / Buffer.byteLength(unit + between))
  return `${open}${(unit + between).repeat(count - 1)}${unit}${close}`
}

function keys(count: number): string {
  return Array.from({ length: count }, (_, at) => `"${at.toString(36)}":1`).join()
}

const part = (name: string, text: string) =>
  `--edge\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`
const design = part('action', 'design')

const page = '{"kind":"page","headline":"x","links":['
const bad = `${page}${Array(100).fill('{"label":1,"url":1}').join()}]}`

type Case = [content: string, path: () => string, type: string, body: string, method?: string]
const bulk = () => '/api/bulk'
const changes = () => '/api/manage'
const links = () => '/api/links'
const owner = () => `/m/${link.token}`
const visitor = () => `/${locked.code}`
const jsonOwner = () => `/api/manage/${link.token}`

const cases: Case[] = [
  ['empty lists', bulk, JSON_TYPE, full(4 * MIB, '[', '[]', ']', ',')],
  ['small objects', bulk, JSON_TYPE, full(4 * MIB, '[', '{"a":1}', ']', ',')],
  ['buttons without anything', bulk, JSON_TYPE, full(4 * MIB, `[${page}`, '{}', ']}]', ',')],
  ['buttons that are numbers', bulk, JSON_TYPE, full(4 * MIB, `[${page}`, '1', ']}]', ',')],
  ['names in one object', bulk, JSON_TYPE, `[{${keys(380_000)}}]`],
  ['names in utm', bulk, JSON_TYPE, `[{"target":"https://example.com/","utm":{${keys(380_000)}}}]`],
  [
    '9,000 names in each of 20 objects',
    bulk,
    JSON_TYPE,
    `[${Array(20)
      .fill(`{${keys(9_000)}}`)
      .join()}]`,
  ],
  ['brackets', bulk, JSON_TYPE, '['.repeat(2 * MIB) + ']'.repeat(2 * MIB)],
  ['brackets 31 deep', bulk, JSON_TYPE, full(4 * MIB, '[', '['.repeat(30) + ']'.repeat(30), ']', ',')],
  ['a text', bulk, JSON_TYPE, full(4 * MIB, '["', 'x', '"]')],
  ['backslashes', bulk, JSON_TYPE, full(4 * MIB, '["', '\\\\', '"]')],
  ['escaped quotes', bulk, JSON_TYPE, full(4 * MIB, '["', '\\"', '"]')],
  ['a text that does not end', bulk, JSON_TYPE, full(4 * MIB, '["', '\\', '')],
  ['escapes', bulk, JSON_TYPE, full(4 * MIB, '["', '\\u00e9', '"]')],
  ['one number', bulk, JSON_TYPE, full(4 * MIB, '[', '1', ']')],
  ['numbers', bulk, JSON_TYPE, full(4 * MIB, '[', '1.7976931348623157e-300', ']', ',')],
  ['blanks', bulk, JSON_TYPE, full(4 * MIB, '[', ' ', ']')],
  [
    'long titles',
    bulk,
    JSON_TYPE,
    `[${Array(490)
      .fill(`{"title":"${'x'.repeat(8_000)}"}`)
      .join()}]`,
  ],
  [
    'blank headings',
    bulk,
    JSON_TYPE,
    `[${Array(490)
      .fill(`{"kind":"page","headline":"${' '.repeat(8_000)}"}`)
      .join()}]`,
  ],
  ['500 pages with 200 faults each', bulk, JSON_TYPE, `[${Array(500).fill(bad).join()}]`],
  ['columns', bulk, CSV, full(4 * MIB, 'target', ',a', '')],
  ['columns without a name', bulk, CSV, full(4 * MIB, 'target', ',', '')],
  ['line feeds', bulk, CSV, full(4 * MIB, 'target', '\n', '')],
  ['carriage returns', bulk, CSV, full(4 * MIB, '', '\r', '')],
  ['quotes', bulk, CSV, full(4 * MIB, 'target\n', '"', '')],
  ['quotes at once', bulk, CSV, full(4 * MIB, '', '"', '')],
  ['a long cell', bulk, CSV, full(4 * MIB, 'target\n', 'x', '')],
  ['rows of nothing', bulk, CSV, full(4 * MIB, 'target,alias\n', ',\n', '')],
  ['rows of commas', bulk, CSV, full(4 * MIB, 'target\n', `${','.repeat(8_000)}x\n`, '')],
  ['line ends in JSON', bulk, JSON_TYPE, full(4 * MIB, '{"csv":"target', '\\n', '"}')],
  ['changes without anything', changes, JSON_TYPE, full(4 * MIB, '{"changes":[', '{}', ']}', ',')],
  ['changes with a long token', changes, JSON_TYPE, full(4 * MIB, '{"changes":[{"token":"', 'A', '"}]}')],
  ['changes after another field', changes, JSON_TYPE, full(4 * MIB, '{"a":1,"changes":[', '{}', ']}', ',')],
  ['changes that are texts', changes, JSON_TYPE, full(4 * MIB, '{"changes":["', '\\"', '"]}')],
  ['blanks before changes', changes, JSON_TYPE, full(4 * MIB, '{', ' ', '"changes":[{}]}')],
  ['blanks after changes', changes, JSON_TYPE, full(4 * MIB, '{"changes":[{}]', '\n', '}')],
  ['names in a change', changes, JSON_TYPE, `{"changes":[{${keys(9_000)}}]}`],
  ['brackets of changes', changes, JSON_TYPE, `{"changes":${'['.repeat(2 * MIB - 6)}${']'.repeat(2 * MIB - 6)}}`],
  [
    '500 changes of pages with 200 faults each',
    changes,
    JSON_TYPE,
    `{"changes":[${Array(500)
      .fill(`{"token":"${'A'.repeat(43)}",${bad.slice(1)}`)
      .join()}]}`,
  ],
  [
    '500 long values of if_match',
    changes,
    JSON_TYPE,
    `{"changes":[${Array(500)
      .fill(`{"token":"${'A'.repeat(43)}","if_match":"${','.repeat(8_000)}"}`)
      .join()}]}`,
  ],
  ['objects', links, JSON_TYPE, full(MIB / 4, '[', '{}', ']', ',')],
  ['buttons', links, JSON_TYPE, full(MIB / 4, page, '{}', ']}', ',')],
  ['pairs', links, JSON_TYPE, `{"target":"https://example.com/","utm":{${keys(22_000)}}}`],
  ['a long name', links, JSON_TYPE, full(MIB / 4, '{"target":"https://example.com/","utm":{"', 'A', '":1}}')],
  ['a design with many fields', () => '/api/qr', JSON_TYPE, `{"data":"x","design":{${keys(45_000)}}}`],
  ['a design with a long field', () => '/api/qr', JSON_TYPE, full(MIB / 2, '{"data":"x","design":{"', 'A', '":1}}')],
  ['a design to save', jsonOwner, JSON_TYPE, `{"design":{${keys(9_000)}}}`, 'PUT'],
  ['a list to save', jsonOwner, JSON_TYPE, full(MIB / 2, '{"payload":{"links":[', '{}', ']}}', ','), 'PUT'],
  ['a report', () => '/api/reports', JSON_TYPE, full(MIB / 4, '{"code":"', 'a', '","reason":"spam"}')],
  ['a domain', () => '/api/domains', JSON_TYPE, full(MIB / 4, '{"domain":"', 'a.', 'com"}')],
  ['pairs without a value', owner, FORM, full(MIB, '', 'a', '', '&')],
  ['long pairs without a value', owner, FORM, full(MIB, '', 'a'.repeat(1_100), '', '&')],
  ['more than a form', () => '/', FORM, full(2 * MIB, '', 'a', '', '&')],
  ['escaped bytes', () => '/', FORM, full(MIB, 'target=', '%ff', '')],
  ['dots', () => '/', FORM, full(MIB, 'target=', 'a.', ':')],
  ['brackets to show again', () => '/', FORM, full(MIB, 'kind=page&description=', '<', '')],
  ['quotes as the key', () => '/', FORM, full(MIB, 'idempotency_key=', '"', '')],
  ['rows', () => '/', FORM, full(11_000, 'kind=page', '&link_label=x&link_url=y', '')],
  [
    'full rows',
    () => '/',
    FORM,
    `kind=page${`&link_label=${'"'.repeat(100)}&link_url=${'"'.repeat(2_048)}`.repeat(480)}`,
  ],
  ['a title', owner, FORM, full(MIB, 'action=change&title=', '<', '')],
  ['a revision', owner, FORM, full(MIB, 'action=change&revision=', '1', '')],
  ['a password', visitor, FORM, full(8 * 1024, 'password=', '%ff', '')],
  ['marks to normalise', visitor, FORM, full(8 * 1024, 'password=', '%cc%a3%cc%81', '')],
  ['a password and more', visitor, FORM, full(2 * MIB, 'password=', 'a', '')],
  ['a report', () => '/report', FORM, full(MIB / 16, 'code=', '"', '')],
  ['parts', owner, MULTIPART, full(2 * MIB, '', part('a', 'b'), '--edge--\r\n')],
  ['heads', owner, MULTIPART, full(2 * MIB, '--edge\r\n', 'a: b\r\n', '\r\n--edge--\r\n')],
  ['almost edges', owner, MULTIPART, full(2 * MIB, part('a', ''), '\r\n--edg', '')],
  [
    'text to show again',
    owner,
    MULTIPART,
    full(2 * MIB, `${design}${part('frame_text', '"'.repeat(MIB))}`, part('a', '"'), '--edge--'),
  ],
  ['logos', owner, MULTIPART, `${design}${part('logo_image', '"'.repeat(360_000)).repeat(5)}--edge--\r\n`],
]

/** A body costs at most so many times the fixed piece of work, the client's part included; without a bound, hundreds. */
const MAX_COST = 80
/** The shortest of so many requests counts: the speed of the machine varies, and other load on it only adds. */
const TIMES = 3

describe('the service refuses the costliest body with a short response and little work', () => {
  for (const [content, path, type, body, method = 'POST'] of cases) {
    test(`${type.split(';')[0]} of ${content}`, async () => {
      const sent = Buffer.from(body)
      let cost = Infinity
      for (let time = 0; time < TIMES && cost >= MAX_COST; time++) {
        const unit = calibrate()
        const began = cpuTime()
        const response = await fetch(server.url + path(), { method, body: sent, headers: { 'content-type': type } })
        const received = await response.arrayBuffer()
        cost = Math.min(cost, (cpuTime() - began) / unit)
        assert.ok([400, 403, 412, 413].includes(response.status), `${response.status}`)
        assert.ok(received.byteLength < MIB, `${received.byteLength} bytes`)
      }
      assert.ok(cost < MAX_COST, `took ${cost.toFixed(1)} times the fixed piece of work`)
    })
  }

  test('and logs no error', () => assert.deepEqual(server.logged, []))
})

test('a bulk response lists at most a thousand errors, at least one for each row, and says how many it omits', async () => {
  const body = `[${Array(500).fill(bad).join()}]`
  const response = await fetch(`${server.url}/api/bulk`, {
    method: 'POST',
    body,
    headers: { 'content-type': JSON_TYPE },
  })
  assert.equal(response.status, 400)
  const { results } = (await response.json()) as { results: { error: { detail: string; errors: unknown[] } }[] }
  const counts = results.map(({ error }) => error.errors.length)
  assert.equal(Math.min(...counts), 1)
  assert.equal(
    counts.reduce((sum, count) => sum + count),
    1_000,
  )
  for (const { error } of results) assert.match(error.detail, /\(and more than 99 more\)$/)
})

/** The status of a response to a request whose body is not sent. */
async function statusBeforeBody(method: string, path: string, type: string): Promise<string> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(`${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 99\r\n\r\n`)
  const [response] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return response.toString().slice(9, 12)
}

test('the service reads no body where the route takes none, or where the token is unknown', async () => {
  const unknown = 'A'.repeat(43)
  for (const [status, method, path, type] of [
    ['405', 'POST', '/assets/quirl.svg', FORM],
    ['405', 'PUT', '/', FORM],
    ['405', 'POST', '/no-such-code', FORM],
    ['415', 'POST', `/${locked.code}`, JSON_TYPE],
    ['405', 'POST', '/api/openapi.json', JSON_TYPE],
    ['405', 'POST', `/api/manage/${unknown}`, JSON_TYPE],
    ['405', 'POST', '/healthz', JSON_TYPE],
    ['404', 'POST', '/no/such/page', FORM],
    ['404', 'POST', '/no/such/page', JSON_TYPE],
    ['404', 'POST', '/api/nothing', JSON_TYPE],
    ['404', 'POST', `/m/${unknown}`, FORM],
    ['404', 'POST', `/m/${unknown}`, MULTIPART],
    ['404', 'PUT', `/api/manage/${unknown}`, JSON_TYPE],
    ['404', 'PUT', '/api/manage', JSON_TYPE],
  ] as const) {
    assert.equal(await statusBeforeBody(method, path, type), status, `${method} ${path} ${type}`)
  }
})

test('the service responds to headers and queries of the maximum length', async () => {
  const long = 'a/b;q=1,'.repeat(1_900)
  for (const accept of [long, ','.repeat(15_000), `a/b;q="${','.repeat(14_000)}`]) {
    assert.equal((await fetch(`${server.url}/no/page`, { headers: { accept } })).status, 404)
  }
  for (const query of ['a&'.repeat(7_900), Array.from({ length: 3_500 }, (_, at) => at.toString(36)).join('&')]) {
    assert.equal((await fetch(`${server.url}/api/qr?${query}`)).status, 400)
  }
})
