// Aims: a node on PostgreSQL answers at least 0.95 of the visits of one on the embedded store; another node sees a change within
// 100 ms (p99). The first row of each table is the baseline. PostgreSQL runs on this machine with fsync, on the load's core, and gives
// way to the load: the node has its core and all the load for itself, as it has where PostgreSQL is another machine.
// bench/two-nodes.ts compares two nodes with one.
import pg from 'pg'
import { create, put, visit } from '../test/support/server.ts'
import { startBenchPostgres } from './bench-postgres.ts'
import { visitScript } from './load.ts'
import { processorTime } from './processors.ts'
import {
  creationScript,
  LOAD_CORE,
  median,
  printTable,
  serveQuirl,
  temporaryFolder,
  wrk,
  type Load,
  type Served,
} from './support.ts'

const RUNS = 5
const SECONDS = 5
const LINKS = 32
const CHANGES = 300
/** PostgreSQL gives way to the load: a generator that waits for its core lets the node wait, too. */
const NICER = 10

const postgres = await startBenchPostgres()
postgres.moveTo(LOAD_CORE, NICER)
const sqlite = await serveQuirl(temporaryFolder())
const node = await serveQuirl(temporaryFolder(), postgres.flag)

const creation = creationScript()
const servers: [name: string, served: Served, visits: string][] = [
  ['embedded store', sqlite, await visitScript(sqlite, LINKS)],
  ['PostgreSQL', node, await visitScript(node, LINKS)],
]

interface Done extends Load {
  /** CPU time of the node for each request. */
  microseconds: number
}

function compare(what: string, load: (served: Served, visits: string) => Load): void {
  const done = servers.map(() => [] as Done[])
  const measure = (served: Served, visits: string) => {
    const before = processorTime(served.process.pid ?? 0)
    const loaded = load(served, visits)
    return { ...loaded, microseconds: (processorTime(served.process.pid ?? 0) - before) / loaded.requests }
  }
  // The first ones warm up the compiler.
  for (const [, served, visits] of servers) load(served, visits)
  for (let run = 0; run < RUNS; run++)
    for (const [at, [, served, visits]] of servers.entries()) done[at]?.push(measure(served, visits))
  const times = done.map((all) => median(all.map(({ microseconds }) => microseconds)))
  const rates = done.map((all) => median(all.map(({ requestsPerSecond }) => requestsPerSecond)))
  printTable(
    `${what}, ${RUNS} alternating runs of ${SECONDS} s, medians`,
    servers.map(([store], at) => ({
      store,
      'per second': Math.round(rates[at] ?? 0),
      ratio: ((rates[at] ?? 0) / (rates[0] ?? 1)).toFixed(2),
      'ratio of each run': (done[at] ?? [])
        .map(({ requestsPerSecond }, run) => (requestsPerSecond / (done[0]?.[run]?.requestsPerSecond ?? 1)).toFixed(2))
        .join(' '),
      'CPU µs of the node': (times[at] ?? 0).toFixed(1),
      'CPU ratio': ((times[at] ?? 0) / (times[0] ?? 1)).toFixed(2),
      'p99 ms': median((done[at] ?? []).map(({ p99Milliseconds }) => p99Milliseconds)).toFixed(1),
    })),
  )
}

compare(`Visits of ${LINKS} links, 64 connections`, ({ url }, visits) => wrk(url, SECONDS, visits))
compare('Creations, 64 connections', ({ url }) => wrk(`${url}/api/links`, SECONDS, creation))

/** Milliseconds until another connection hears of a NOTIFY. */
async function notifications(): Promise<number[]> {
  const [speaker, listener] = [new pg.Client(postgres.address), new pg.Client(postgres.address)]
  await Promise.all([speaker.connect(), listener.connect()])
  await listener.query('listen bench')
  const times: number[] = []
  for (let at = 0; at < CHANGES; at++) {
    const heard = new Promise<void>((resolve) => listener.once('notification', () => resolve()))
    const began = performance.now()
    await speaker.query('notify bench')
    await heard
    times.push(performance.now() - began)
  }
  await Promise.all([speaker.end(), listener.end()])
  return times
}

/** Milliseconds from the response to a change on one node until a visit on another one is answered by it. */
async function changes(other: Served): Promise<number[]> {
  const link = await create(node, { target: 'https://example.com/0' })
  await visit(`${other.url}/${link.code}`)
  const times: number[] = []
  for (let at = 1; at <= CHANGES; at++) {
    const target = `https://example.com/${at}`
    const { status } = await put(`${node.url}/api/manage/${link.token}`, { target })
    if (status !== 200) throw new Error(`a change returned ${status}`)
    const began = performance.now()
    while ((await visit(`${other.url}/${link.code}`)).headers.get('location') !== target);
    times.push(performance.now() - began)
  }
  return times
}

const other = await serveQuirl(temporaryFolder(), postgres.flag)
const quantile = (times: number[], share: number) =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length * share)] ?? 0
const measured: [string, number[]][] = [
  ['NOTIFY until another connection hears it', await notifications()],
  ['the response to a change until a visit of another node has it', await changes(other)],
]
const baseline = measured.map(([, times]) => [quantile(times, 0.5), quantile(times, 0.99)])[0] ?? [1, 1]
printTable(
  `Changes on two nodes, ${CHANGES} one after the other`,
  measured.map(([what, times]) => ({
    what,
    'p50 ms': quantile(times, 0.5).toFixed(1),
    'p99 ms': quantile(times, 0.99).toFixed(1),
    'ratio p50': (quantile(times, 0.5) / (baseline[0] ?? 1)).toFixed(1),
    'ratio p99': (quantile(times, 0.99) / (baseline[1] ?? 1)).toFixed(1),
  })),
)
for (const served of [sqlite, node, other]) await served.stop()
await postgres.close()
