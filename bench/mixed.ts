// Aim, not reached yet (3 to 13 times, November 2026): while 64 connections create links, 64 draw images and 16 read statistics
// as fast as they can, the p99 of visits and of /healthz is at most three times their p99 without load, on open connections
// and on new ones. CORES=0,1 lets the service use both cores of a machine, whose second one the load has as well. POLICY=batch
// or idle has its other threads scheduled so (sched(7)), by `chrt` of util-linux.
import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { create } from '../test/support/server.ts'
import { load, moveToLoadCore, percentile, probe, requestsTo } from './load.ts'
import { printTable, serveQuirlOn, SERVER_CORE, temporaryFolder } from './support.ts'

const SECONDS = Number(process.env['SECONDS'] ?? 10)
const CORES = process.env['CORES'] ?? SERVER_CORE
const POLICY = process.env['POLICY']
/** The interval between probes, in milliseconds. */
const PACE = { open: 5, new: 20 }

moveToLoadCore()
const quirl = await serveQuirlOn(CORES, temporaryFolder())
const { code } = await create(quirl, { target: 'https://example.com/menu' })
const requests = await requestsTo(quirl)
const probes = {
  'visit, open connection': { path: `/${code}`, isNew: false },
  'visit, new connection': { path: `/${code}`, isNew: true },
  '/healthz, open connection': { path: '/healthz', isNew: false },
  '/healthz, new connection': { path: '/healthz', isNew: true },
}
const measure = async (seconds: number) =>
  Promise.all(Object.values(probes).map((each) => probe(quirl.url, each, each.isNew ? PACE.new : PACE.open, seconds)))

await measure(2)
schedule()
const quiet = await measure(SECONDS)
const begin = (kind: string, connections: number) =>
  load(quirl.url, [requests[kind] ?? ''], connections, SECONDS + 2).then((responses) => ({
    kind,
    connections,
    responses,
  }))
const loading = Promise.all([begin('creations', 64), begin('images', 64), begin('statistics', 16)])
await new Promise((resolve) => setTimeout(resolve, 1000))
const busy = await measure(SECONDS)
const loads = await loading
await quirl.stop()

printTable(
  `Probes beside 64 connections that create, 64 that draw and 16 that read statistics, ${SECONDS} s, cores ${CORES}, ${POLICY ?? 'other'}`,
  Object.keys(probes).map((probed, at) => {
    const [alone = [], beside = []] = [quiet[at], busy[at]]
    return {
      probe: probed,
      samples: beside.length,
      'p50 ms alone': percentile(alone, 0.5).toFixed(2),
      'p99 ms alone': percentile(alone, 0.99).toFixed(2),
      'p50 ms': percentile(beside, 0.5).toFixed(2),
      'p99 ms': percentile(beside, 0.99).toFixed(2),
      ratio: (percentile(beside, 0.99) / percentile(alone, 0.99)).toFixed(1),
      'longest ms': Math.max(...beside).toFixed(0),
    }
  }),
)
printTable(
  'Responses to the load',
  loads.map(({ kind, connections, responses: { done, limited, refused, other, failed } }) => ({
    kind,
    connections,
    'done/s': Math.round(done / (SECONDS + 2)),
    '429/s': Math.round(limited / (SECONDS + 2)),
    '503/s': Math.round(refused / (SECONDS + 2)),
    other,
    failed,
  })),
)

/** Sets the policy of all threads of the service but the main one, which must be running. */
function schedule(): void {
  if (POLICY === undefined) return
  const { pid } = quirl.process
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    if (thread === String(pid)) continue
    const { status, stderr } = spawnSync('chrt', [`--${POLICY}`, '-p', '0', thread], { encoding: 'utf8' })
    if (status !== 0) throw new Error(stderr)
  }
}
