// Aim: two nodes on two cores answer at least 1.7 times the visits of one node on one core. Everything that a visit takes is on
// those cores: the node, its fold, PostgreSQL (with fsync) and the generator of the load, whose CPU time for each visit the table
// has. So the ratio is what the nodes lose by sharing a store, and not what the machine lacks in cores. It is printed of the visits
// that were answered, and of these with the time until all of them were in the statistics. NEW=1 has each visit open a connection, to
// one port that both nodes share (REUSE_PORT), as phones do.
import { setTimeout as sleep } from 'node:timers/promises'
import { startBenchPostgres } from './bench-postgres.ts'
import { visitScript } from './load.ts'
import { endedTime, familyTime, processorTime } from './processors.ts'
import { freePort } from '../test/support/ports.ts'
import { median, printTable, readMetric, serveQuirlOn, startWrk, temporaryFolder } from './support.ts'

const RUNS = Number(process.env['RUNS'] ?? 5)
const SECONDS = Number(process.env['SECONDS'] ?? 10)
const IS_NEW = process.env['NEW'] === '1'
const LINKS = 32
const CORES = ['0', '1']

type Times = Record<'nodes' | 'postgres' | 'load', number>

interface Measured {
  /** Visits a second: answered; and with the time until all are folded. */
  answered: number
  folded: number
  p99: number
  /** CPU time for each visit, microseconds. */
  each: Times
}

/** Nodes, each on a core with the load of its own, and their PostgreSQL on all of these. */
async function open(cores: string[]) {
  const postgres = await startBenchPostgres()
  postgres.moveTo(cores.join(','))
  const shared = IS_NEW ? [`--port=${await freePort()}`, '--reuse-port=on'] : []
  const nodes = await Promise.all(cores.map((core) => serveQuirlOn(core, temporaryFolder(), postgres.flag, ...shared)))
  const scripts = await Promise.all(nodes.map((node) => visitScript(node, LINKS, IS_NEW)))
  const times = (): Times => ({
    nodes: nodes.reduce((sum, node) => sum + processorTime(node.process.pid ?? 0), 0),
    postgres: familyTime(postgres.pid),
    load: endedTime(process.pid),
  })
  /** On a port that is shared, the kernel chooses who answers. */
  const untilFolded = async () => {
    for (const node of nodes)
      for (let times = 0; times < (IS_NEW ? 5 : 1); times++)
        while ((await readMetric(node, 'quirl_journal_backlog_bytes')) > 0) await sleep(100)
  }
  return {
    async measure(): Promise<Measured> {
      const before = times()
      const began = performance.now()
      const loads = await Promise.all(nodes.map(({ url }, at) => startWrk(cores[at] ?? '', url, SECONDS, scripts[at])))
      await untilFolded()
      const seconds = (performance.now() - began) / 1000
      const after = times()
      const visits = loads.reduce((sum, { requests }) => sum + requests, 0)
      const each = (of: keyof Times) => (after[of] - before[of]) / visits
      return {
        answered: visits / SECONDS,
        folded: visits / seconds,
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
const rateOf = (done: Measured[], of: 'answered' | 'folded') => median(done.map((each) => each[of]))
/** The rate, and its ratio to the baseline's: of the medians, and of each run. */
const rates = (done: Measured[], of: 'answered' | 'folded') => ({
  [`${of} a second`]: Math.round(rateOf(done, of)),
  [`ratio, ${of}`]: (rateOf(done, of) / rateOf(baselines, of)).toFixed(2),
  [`each run, ${of}`]: done.map((each, run) => (each[of] / (baselines[run]?.[of] ?? 1)).toFixed(2)).join(' '),
})
printTable(
  `Visits of ${LINKS} links through each node, 64 connections each${IS_NEW ? ', a new one for each visit' : ''}, ${RUNS} alternating runs of ${SECONDS} s, medians`,
  setups.map(({ what, done }) => ({
    what,
    ...rates(done, 'answered'),
    ...rates(done, 'folded'),
    'p99 ms': median(done.map(({ p99 }) => p99)).toFixed(1),
    'CPU µs of the nodes': median(done.map(({ each }) => each.nodes)).toFixed(1),
    'of PostgreSQL': median(done.map(({ each }) => each.postgres)).toFixed(1),
    'of the load': median(done.map(({ each }) => each.load)).toFixed(1),
  })),
)
for (const { opened } of setups) await opened.close()
