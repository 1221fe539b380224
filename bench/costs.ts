// What docs/scale.md calculates with: the CPU time of a node and of PostgreSQL, the round trips and the bytes of each kind of work, on
// the embedded store and on PostgreSQL. The first row of each kind is the baseline. PostgreSQL runs on this machine with fsync.
import { writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { create, visit } from '../test/support/server.ts'
import { urlBehind } from './bench-postgres.ts'
import { openSqlite, openPostgres, type Bytes, type Store } from './costs-stores.ts'
import { processorTime, threadsTime } from './processors.ts'
import { creationScript, median, printTable, serveQuirl, temporaryFolder, wrk } from './support.ts'

const RUNS = 5
const SECONDS = 5
/** More than the cache of a node holds, visited in one order, so that none is in it when its turn comes. */
const MANY = 100_000
const FEW = 32
/** Requests one after the other, whose round trips are counted. */
const COUNTED = 200
/** The last scans are folded by then. */
const FOLDED_MS = 1500

const sqlite = await openSqlite()
const postgres = await openPostgres()
const stores: Store[] = [sqlite, postgres]

/** Writes a wrk script that visits codes in their order, again and again. */
function visitScript(name: string, codes: string[]): string {
  const folder = temporaryFolder()
  const list = join(folder, 'codes')
  writeFileSync(list, codes.map((code) => `/${code}?qr=1`).join('\n'))
  const file = join(folder, `${name}.lua`)
  writeFileSync(
    file,
    `local paths = {}\nfor line in io.lines("${list}") do paths[#paths + 1] = line end\nlocal at = 0
request = function() at = at % #paths + 1 return wrk.format("GET", paths[at]) end`,
  )
  return file
}

const creation = creationScript()

/** What a request costs. */
interface Cost {
  /** CPU time in microseconds: of the node's threads for requests, of its thread for scans, and of PostgreSQL. */
  node: number
  folding: number
  server: number
  /** Bytes that the tables of links and scans grew by. */
  links: number
  scans: number
}

type Load = (store: Store) => Promise<number> | number

async function measure(store: Store, load: Load): Promise<Cost> {
  const pid = store.node.process.pid ?? 0
  const times = () => [processorTime(pid), threadsTime(pid, 'WorkerThread'), store.serverTime()] as const
  const [bytes, [all, folding, ofServer]] = [await store.bytes(), times()]
  const requests = await load(store)
  await sleep(FOLDED_MS)
  const [endAll, endFolding, endServer] = times()
  const grown = await store.bytes()
  const each = (name: keyof Bytes) => (grown[name] - bytes[name]) / requests
  return {
    node: (endAll - all - (endFolding - folding)) / requests,
    folding: (endFolding - folding) / requests,
    server: (endServer - ofServer) / requests,
    links: each('links'),
    scans: each('scans'),
  }
}

/** Runs a load against each store in turn, and takes the median of each cost. */
async function compare(load: Load): Promise<Cost[]> {
  const costs = stores.map(() => [] as Cost[])
  // The first run warms up the compiler.
  for (const store of stores) await measure(store, load)
  for (let run = 0; run < RUNS; run++)
    for (const [at, store] of stores.entries()) costs[at]?.push(await measure(store, load))
  return costs.map((all) => {
    const of = (name: keyof Cost) => median(all.map((cost) => cost[name]))
    return { node: of('node'), folding: of('folding'), server: of('server'), links: of('links'), scans: of('scans') }
  })
}

/** Counts what a node sends to PostgreSQL: it waits for the response before it sends more. */
async function startCounter() {
  const counter = { writes: 0, port: 0, close: () => {} }
  const proxy = createServer((incoming) => {
    const outgoing = connect(postgres.server.socket)
    incoming.on('data', () => counter.writes++)
    incoming.pipe(outgoing).pipe(incoming)
    for (const socket of [incoming, outgoing]) socket.on('error', () => incoming.destroy())
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  counter.port = (proxy.address() as AddressInfo).port
  counter.close = () => void proxy.close()
  return counter
}

/** Round trips of each of some requests that are made one after the other, without those of the time that passes. */
async function countRoundTrips(codes: string[]): Promise<string[]> {
  const counter = await startCounter()
  const node = await serveQuirl(temporaryFolder(), `--database-url=${urlBehind(counter.port)}`)
  const during = async (work: () => Promise<unknown>) => {
    const [before, began] = [counter.writes, performance.now()]
    await work()
    return { writes: counter.writes - before, ms: performance.now() - began }
  }
  const count = async (work: (at: number) => Promise<unknown>) => {
    await work(0)
    await sleep(FOLDED_MS)
    const idle = await during(() => sleep(2000))
    const busy = await during(async () => {
      for (let at = 1; at <= COUNTED; at++) await work(at)
    })
    return Math.max(0, (busy.writes - (idle.writes * busy.ms) / idle.ms) / COUNTED).toFixed(1)
  }
  const creation = () => create(node, { target: 'https://example.com/menu' })
  const { code, token } = await creation()
  const counts = [
    await count(creation),
    await count(() => visit(`${node.url}/${code}`)),
    await count((at) => visit(`${node.url}/${codes[at] ?? ''}`)),
    await count(async () => (await fetch(`${node.url}/api/manage/${token}/stats`)).text()),
  ]
  await node.stop()
  counter.close()
  return counts
}

const codesOf = new Map<Store, { few: string; many: string }>()
const visitBy = (which: 'few' | 'many') => (store: Store) =>
  wrk(store.node.url, SECONDS, codesOf.get(store)?.[which]).requests
const statistics = new Map<Store, string>()
for (const store of stores) {
  const { token } = await create(store.node, { target: 'https://example.com/menu' })
  statistics.set(store, `${store.node.url}/api/manage/${token}/stats`)
}
const results: [work: string, costs: Cost[]][] = [
  ['a creation', await compare(({ node }) => wrk(`${node.url}/api/links`, SECONDS, creation).requests)],
]
for (const store of stores) {
  const codes = await store.codes(MANY)
  codesOf.set(store, { few: visitScript('few', codes.slice(0, FEW)), many: visitScript('many', codes) })
}
results.push(
  ['a visit', await compare(visitBy('few'))],
  ['a visit of a link that is not cached', await compare(visitBy('many'))],
  ['statistics of 30 days', await compare((store) => wrk(statistics.get(store) ?? '', SECONDS, undefined, 4).requests)],
)
const trips = await countRoundTrips(await postgres.codes(COUNTED + 1))
printTable(
  `Costs of a request, ${RUNS} alternating runs of ${SECONDS} s, medians`,
  results.flatMap(([work, costs], kind) =>
    costs.map((cost, at) => ({
      work,
      store: stores[at]?.name ?? '',
      'CPU µs of the node': cost.node.toFixed(1),
      ratio: (cost.node / (costs[0]?.node ?? 1)).toFixed(2),
      'CPU µs of its fold': cost.folding.toFixed(1),
      'CPU µs of PostgreSQL': cost.server.toFixed(1),
      'round trips': at === 0 ? '0' : (trips[kind] ?? ''),
      'bytes of links': cost.links.toFixed(0),
      'bytes of scans': cost.scans.toFixed(0),
    })),
  ),
)
await sqlite.node.stop()
await postgres.close()
