// Aim: two nodes on two cores answer at least 1.7 times the visits of one node on one core. Everything that a visit takes is on
// those cores: the node, its fold, PostgreSQL (with fsync) and the generator of the load, whose CPU time for each visit the table
// has. So the ratio is what the nodes lose by sharing a store, and not what the machine lacks in cores.
import { setTimeout as sleep } from 'node:timers/promises'
import { startBenchPostgres } from './bench-postgres.ts'
import { endedTime, familyTime, processorTime } from './processors.ts'
import { median, printTable, serveQuirlOn, startWrk, temporaryFolder, visitScript } from './support.ts'

const RUNS = 5
const SECONDS = 10
const LINKS = 32
/** The last scans are folded by then. */
const FOLDED_MS = 1500
const CORES = ['0', '1']

type Times = Record<'nodes' | 'postgres' | 'load', number>

interface Measured {
  perSecond: number
  p99: number
  /** CPU time for each visit, microseconds. */
  each: Times
}

/** Nodes, each on a core with the load of its own, and their PostgreSQL on all of these. */
async function open(cores: string[]) {
  const postgres = await startBenchPostgres()
  postgres.moveTo(cores.join(','))
  const nodes = await Promise.all(cores.map((core) => serveQuirlOn(core, temporaryFolder(), postgres.flag)))
  const scripts = await Promise.all(nodes.map((node) => visitScript(node, LINKS)))
  const times = (): Times => ({
    nodes: nodes.reduce((sum, node) => sum + processorTime(node.process.pid ?? 0), 0),
    postgres: familyTime(postgres.pid),
    load: endedTime(process.pid),
  })
  return {
    async measure(): Promise<Measured> {
      const before = times()
      const loads = await Promise.all(nodes.map(({ url }, at) => startWrk(cores[at] ?? '', url, SECONDS, scripts[at])))
      await sleep(FOLDED_MS)
      const after = times()
      const visits = loads.reduce((sum, { requests }) => sum + requests, 0)
      const each = (of: keyof Times) => (after[of] - before[of]) / visits
      return {
        perSecond: loads.reduce((sum, { requestsPerSecond }) => sum + requestsPerSecond, 0),
        p99: Math.max(...loads.map(({ p99Milliseconds }) => p99Milliseconds)),
        each: { nodes: each('nodes'), postgres: each('postgres'), load: each('load') },
      }
    },
    async close() {
      for (const node of nodes) await node.stop()
      await postgres.close()
    },
  }
}

const setups = [
  { what: 'one node on one core', opened: await open(CORES.slice(0, 1)), done: [] as Measured[] },
  { what: 'two nodes on two cores', opened: await open(CORES), done: [] as Measured[] },
]
// The first ones warm up the compiler.
for (const { opened } of setups) await opened.measure()
for (let run = 0; run < RUNS; run++) for (const { opened, done } of setups) done.push(await opened.measure())
const baselines = setups[0]?.done ?? []
const rateOf = (done: Measured[]) => median(done.map(({ perSecond }) => perSecond))
printTable(
  `Visits of ${LINKS} links through each node, 64 connections each, ${RUNS} alternating runs of ${SECONDS} s, medians`,
  setups.map(({ what, done }) => ({
    what,
    'per second': Math.round(rateOf(done)),
    ratio: (rateOf(done) / rateOf(baselines)).toFixed(2),
    'ratio of each run': done
      .map(({ perSecond }, run) => (perSecond / (baselines[run]?.perSecond ?? 1)).toFixed(2))
      .join(' '),
    'p99 ms': median(done.map(({ p99 }) => p99)).toFixed(1),
    'CPU µs of the nodes': median(done.map(({ each }) => each.nodes)).toFixed(1),
    'of PostgreSQL': median(done.map(({ each }) => each.postgres)).toFixed(1),
    'of the load': median(done.map(({ each }) => each.load)).toFixed(1),
  })),
)
for (const { opened } of setups) await opened.close()
