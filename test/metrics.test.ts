// What Prometheus reads, the alert rules and the dashboard.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { before, test, type TestContext } from 'node:test'
import { parse } from 'yaml'
import { endOfFile, temporaryFolder } from './support/cleanup.ts'
import { scrape } from './support/metrics.ts'
import { poll } from './support/poll.ts'
import { requireProgram } from './support/programs.ts'
import { create, post, startServer, visit, type TestServer } from './support/server.ts'

const folder = join(import.meta.dirname, '../deploy')
const alertsFile = join(folder, 'prometheus/alerts.yaml')
/** Metrics of services with PostgreSQL, Redis or HTTPS, and of Prometheus itself: not in the output of this one. */
const elsewhere = [
  'quirl_bus_connected',
  'quirl_limits_shared',
  'quirl_certificate_expiry_timestamp_seconds',
  'quirl_certificate_names_waiting',
  'quirl_certificate_orders_limited',
  'up',
]

interface Rule {
  alert: string
  expr: string
  labels: { severity: string }
  annotations: Record<string, string>
}
const { groups } = parse(readFileSync(alertsFile, 'utf8')) as { groups: { rules: Rule[] }[] }
const rules = groups.flatMap((group) => group.rules)

interface Panel {
  id: number
  type: string
  title: string
  gridPos: { x: number; y: number; w: number; h: number }
  targets?: { expr: string }[]
}
interface Dashboard {
  uid: string
  schemaVersion: number
  panels: Panel[]
  templating: { list: { name: string; query: string | { query: string } }[] }
  annotations: { list: { expr: string }[] }
}
const dashboard = JSON.parse(readFileSync(join(folder, 'grafana/quirl.json'), 'utf8')) as Dashboard
const panelExpressions = dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr))
const expressions = [...panelExpressions, ...dashboard.annotations.list.map(({ expr }) => expr)]

const VISITS = 7
let server: TestServer
let scraped: Awaited<ReturnType<typeof scrape>>

/** Requests of each kind, of which the numbers are known. */
async function makeTraffic({ url }: TestServer): Promise<void> {
  const link = await create(server, { target: 'https://example.com/' })
  for (let at = 0; at < VISITS; at++) await visit(link.short_url)
  for (const path of ['', `${link.code}/qr.png`, 'no-such-code', `api/manage/${link.token}/stats`, 'api/qr?data=1'])
    await (await fetch(`${url}/${path}`)).arrayBuffer()
  for (const body of [{ target: 'no address' }, { target: 'https://example.com/2' }])
    await post(`${url}/api/links`, body)
}

const end = endOfFile()
before(async () => {
  server = await startServer(end, { LIMIT_QR: '1' })
  await makeTraffic(server)
  // A response is counted when it has been sent, which may be after its client has read it.
  await poll(async () => {
    scraped = await scrape(server.url)
    return scraped.values.get('quirl_http_responses_total{kind="images",code="4xx"}') === 1
  })
})

function promtool(t: TestContext, args: string[], input = ''): string | undefined {
  if (!requireProgram(t, 'promtool', 'prometheus')) return undefined
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8', input })
  assert.equal(status, 0, stdout + stderr)
  return stdout + stderr
}

test('the metrics follow the conventions of Prometheus', (t) => {
  const printed = promtool(t, ['check', 'metrics'], scraped.text)
  if (printed !== undefined) assert.equal(printed, '')
})

test('each request is counted once, by its kind and the class of its status, and so is its duration', () => {
  const responses = (kind: string, code: string) =>
    scraped.values.get(`quirl_http_responses_total{kind="${kind}",code="${code}"}`)
  const durations = (kind: string) => scraped.values.get(`quirl_http_request_duration_seconds_count{kind="${kind}"}`)
  assert.deepEqual(
    [responses('visits', '3xx'), responses('visits', '4xx'), durations('visits')],
    [VISITS, 1, VISITS + 1],
  )
  assert.deepEqual([responses('creations', '2xx'), responses('creations', '4xx'), durations('creations')], [2, 1, 3])
  assert.deepEqual([responses('images', '2xx'), responses('images', '4xx'), durations('images')], [1, 1, 2])
  assert.deepEqual([responses('statistics', '2xx'), durations('statistics')], [1, 1])
  assert.deepEqual([responses('pages', '2xx'), durations('pages')], [1, 1])
  assert.equal(scraped.values.get('quirl_requests_limited_total{limit="qr"}'), 1)
  assert.equal(scraped.values.get('quirl_scans_recorded_total'), VISITS)
})

test('the buckets of a duration are cumulative, and the last one has all', () => {
  const buckets = [...scraped.values].filter(([name]) =>
    name.startsWith('quirl_http_request_duration_seconds_bucket{kind="visits",'),
  )
  const counts = buckets.map(([, count]) => count)
  assert.deepEqual(
    counts,
    counts.toSorted((a, b) => a - b),
  )
  assert.deepEqual(buckets.at(-1), ['quirl_http_request_duration_seconds_bucket{kind="visits",le="+Inf"}', VISITS + 1])
})

test('labels have few values, none of which a client has sent', () => {
  assert.ok(scraped.values.size < 400, `${scraped.values.size} series`)
  const names = new Set([...scraped.text.matchAll(/[{,](\w+)="/g)].map(([, name]) => name))
  assert.deepEqual(names, new Set(['version', 'node_version', 'store', 'limit', 'kind', 'code', 'le']))
})

test('each metric of the alert rules and of the dashboard exists', () => {
  const known = new Set([...scraped.values.keys()].map((name) => name.replace(/\{.*$/, '')).concat(elsewhere))
  const used = [...rules.map(({ expr }) => expr), ...expressions].flatMap(metricsOf)
  assert.ok(used.length > 60)
  assert.deepEqual(
    used.filter((name) => !known.has(name)),
    [],
  )
})

/** The names of metrics in an expression: its words outside of braces, quotes and grouping that no parenthesis follows. */
function metricsOf(expr: string): string[] {
  const bare = expr.replaceAll(/\{[^}]*\}|\[[^\]]*\]|"[^"]*"|\bby \([^)]*\)/g, ' ')
  return [...bare.matchAll(/\b[a-z]\w+\b(?!\s*\()/g)].map(([name]) => name).filter((name) => name !== 'and')
}

test('the documentation names each metric and each alert, and no other', () => {
  const page = readFileSync(join(folder, '../docs/watch.md'), 'utf8')
  const documented = new Set([...page.matchAll(/`((?:quirl|process|nodejs)_\w+|Quirl\w+)`/g)].map(([, name]) => name))
  const types = [...scraped.text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name)
  const further = ['quirl_bus_gaps_total', ...elsewhere.filter((name) => name !== 'up')]
  assert.deepEqual([...documented].toSorted(), [...types, ...further, ...rules.map(({ alert }) => alert)].toSorted())
})

test('each value of a label that they select exists', () => {
  const labels = [...rules.map(({ expr }) => expr), ...expressions].flatMap((expr) => [
    ...expr.matchAll(/\b(?:kind|code|limit)!?="(\w+)"/g),
  ])
  assert.ok(labels.length > 5)
  for (const [text] of labels) assert.ok(scraped.text.includes(text.replace('!=', '=')), text)
})

test('promtool accepts the rules, their tests and the example of a configuration', (t) => {
  promtool(t, ['test', 'rules', join(folder, 'prometheus/alerts.test.yaml')])
  promtool(t, ['check', 'config', join(folder, 'prometheus/prometheus.yaml')])
  const file = join(temporaryFolder(t), 'dashboard.yaml')
  const written = expressions.map((expr, at) => ({
    record: `panel:${at}`,
    expr: expr.replaceAll(/\$__(rate_interval|range)/g, '5m'),
  }))
  writeFileSync(file, JSON.stringify({ groups: [{ name: 'panels', rules: written }] }))
  promtool(t, ['check', 'rules', file])
})

test('each alert has a severity, a text for people, and a test', () => {
  const tests = readFileSync(join(folder, 'prometheus/alerts.test.yaml'), 'utf8')
  for (const { alert, labels, annotations } of rules) {
    assert.match(labels.severity, /^(page|ticket)$/, alert)
    assert.deepEqual(Object.keys(annotations), ['summary', 'description'], alert)
    assert.match(tests, new RegExp(`alertname(: |=")${alert}\\b`), alert)
  }
})

test('the dashboard has no hole and no overlap, and its queries follow the chosen nodes and data source', () => {
  const { panels, templating, schemaVersion } = dashboard
  assert.ok(schemaVersion >= 39)
  assert.deepEqual(
    templating.list.map(({ name }) => name),
    ['datasource', 'instance'],
  )
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, at) => `${x + (at % w)} ${y + Math.floor(at / w)}`),
  )
  const height = Math.max(...panels.map(({ gridPos: { y, h } }) => y + h))
  assert.deepEqual([new Set(cells).size, cells.length], [24 * height, 24 * height])
  for (const { type, title, targets = [] } of panels) assert.equal(targets.length === 0, type === 'row', title)
  for (const expr of expressions) assert.match(expr, /\{instance=~"\$instance"/, expr)
})
