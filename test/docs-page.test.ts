import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { before, test, type TestContext } from 'node:test'
import { promisify } from 'node:util'
import { runInNewContext } from 'node:vm'
import type { TSchema } from '#typebox'
import { Compile } from '#typebox/compile'
import type { ApiDocument, Response } from '../src/web/docs/document.ts'
import { exampleOf } from '../src/web/docs/example.ts'
import { accessibilityFaults, sharedWindows, testsIn } from './support/browser.ts'
import { endOfFile } from './support/cleanup.ts'
import { parseDocument } from './support/openapi.ts'
import { startServer, type TestServer } from './support/server.ts'

const environment = { CONTACT: 'mailto:abuse@example.com', TRUST_PROXY: '', LIMIT_QR: '0' }

/** The blocks of code of a page, by label. */
async function blocksOf({ url }: TestServer): Promise<Map<string, string>> {
  const text = await (await fetch(`${url}/docs`)).text()
  const blocks = text.matchAll(/<pre tabindex="0" role="group" aria-label="([^"]*)"><code>([^<]*)<\/code><\/pre>/g)
  const named = [...blocks].map(([, label = '', code = '']) => [decode(label), decode(code)] as const)
  return new Map(named.map(([label, code], at) => [`${at} ${label}`, code]))
}

function decode(text: string): string {
  const names: Record<string, string> = { lt: '<', gt: '>', amp: '&' }
  return text.replace(/&(?:#(\d+)|(\w+));/g, (_all, point: string | undefined, name: string) =>
    point === undefined ? (names[name] ?? '?') : String.fromCodePoint(Number(point)),
  )
}

/** The examples in a language: that which creates a link, and all others. */
async function examplesOf(
  server: TestServer,
  language: string,
): Promise<{ first: string; others: [string, string][] }> {
  const blocks = [...(await blocksOf(server))].filter(([label]) => label.endsWith(`: ${language}`))
  const [first, ...others] = blocks
  assert.ok(first !== undefined && others.length > 30, `${blocks.length} examples in ${language}`)
  return { first: first[1], others }
}

async function serverOf(t: TestContext): Promise<TestServer> {
  return startServer(t, environment)
}

test('every curl example works as pasted', async (t) => {
  const server = await serverOf(t)
  const { first, others } = await examplesOf(server, 'curl')
  const faults: string[] = []
  for (const [label, example] of others) {
    // `--fail-with-body` makes an error response fail the script; a stream of events never ends by itself.
    const strict = (seconds: number) => `curl() { command curl --fail-with-body --max-time ${seconds} "$@"; }`
    const script = ['set -e', strict(60), first, strict(label.includes('Follow') ? 1 : 60), example].join('\n')
    const done = await promisify(execFile)('sh', ['-c', script], {
      encoding: 'buffer',
    }).then(
      () => 0,
      (error: { code: number; stdout: Buffer }) => `${error.code}: ${error.stdout.subarray(0, 500).toString()}`,
    )
    const isStopped = label.includes('Follow') && String(done).startsWith('28')
    if (done !== 0 && !isStopped) faults.push(`${label}\n${example}\n${done}`)
  }
  assert.equal(faults.join('\n\n'), '')
})

test('every JavaScript example works as pasted', async (t) => {
  const server = await serverOf(t)
  const { first, others } = await examplesOf(server, 'JavaScript')
  const faults: string[] = []
  for (const [label, example] of others) {
    if (label.includes('Follow')) continue
    const logged: unknown[] = []
    const log = (...values: unknown[]) => logged.push(...values)
    await runInNewContext(`(async () => {\n${first}\n${example}\n})()`, { fetch, console: { log } })
    if (!(Number(logged[0]) < 400)) faults.push(`${label}\n${example}\n${logged.join(' ').slice(0, 500)}`)
  }
  assert.equal(faults.join('\n\n'), '')
})

test('every example of a response is valid against its schema', async () => {
  const text = await (await fetch(`${server.url}/api/openapi.json`)).text()
  const { paths } = parseDocument(text) as ApiDocument
  const known = { origin: server.url, code: 'k7dw3nq', token: 'x'.repeat(43) }
  const schemas = Object.entries(paths).flatMap(([path, operations]) =>
    Object.values(operations).flatMap(({ responses }) =>
      Object.entries(responses).map(([status, response]) => ({
        name: `${path} ${status}`,
        schema: (response as Response).content?.['application/json']?.schema,
      })),
    ),
  )
  const faults: string[] = []
  const checked = schemas.filter(({ schema }) => schema !== undefined)
  for (const { name, schema = {} } of checked) {
    const example = exampleOf(schema, {}, known)
    if (!Compile(schema as TSchema).Check(example)) faults.push(`${name} ${JSON.stringify(example)}`)
  }
  assert.ok(checked.length > 30, `${checked.length} schemas`)
  assert.deepEqual(faults, [])
})

const end = endOfFile()
let server: TestServer
before(async () => {
  server = await startServer(end, environment)
})
const inBrowser = testsIn(sharedWindows(end, () => server.url))

inBrowser(
  'the page of the API has no faults that axe can find, fits a phone, and is not sent again',
  async (page) => {
    await page.setViewportSize({ width: 360, height: 740 })
    const response = await page.goto(`${server.url}/docs`)
    // Chromium lays out what is far from the screen later.
    await page.evaluate(
      `for (const each of document.querySelectorAll('.docs-endpoint, #schemas')) each.style.contentVisibility = 'visible'`,
    )
    assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= 360)
    assert.deepEqual(await accessibilityFaults(page), [])
    const etag = response?.headers()['etag'] ?? ''
    const again = await fetch(`${server.url}/docs`, { headers: { 'if-none-match': etag, 'accept-language': 'en' } })
    assert.equal(again.status, 304)
    const german = await fetch(`${server.url}/docs`, { headers: { 'if-none-match': etag, 'accept-language': 'de' } })
    assert.equal(german.status, 200)
    assert.match(await german.text(), /OpenAPI-Dokument/)
  },
  { scripts: true },
)
