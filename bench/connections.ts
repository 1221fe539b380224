// Claim: a visit on a connection of its own, as phones make it, costs little more than one of bare node:http or node:https, which
// record nothing. Arguments choose servers by their names, such as `'bare node' quirl`. CPU time is that of the server's processes, from /proc: machines are noisy, and it is steadier than visits a second.
import {
  connectTo,
  NAME,
  startBare,
  startFronts,
  startQuirl,
  startSecureQuirl,
  stopAll,
  type Answerer,
} from './answerers.ts'
import { describeMachine } from './peers/machine.ts'
import { familyTime, mainThreadTime } from './processors.ts'
import { median, printTable, wrkNamed } from './support.ts'

const RUNS = Number(process.env['RUNS'] ?? 3)
const SECONDS = Number(process.env['SECONDS'] ?? 4)

/** What visits took: CPU time for each in microseconds, and durations in milliseconds. */
interface Measured extends Taken {
  processes: number
  /** Of the processes that are not Node's, all of their time. */
  mainThread: number
  /** That of Node's process alone, all of its threads. */
  node: number
}

interface Taken {
  visits: number
  perSecond: number
  p50: number
  p99: number
}

type Kind = (to: Answerer) => Promise<Taken>

async function measure(to: Answerer, kind: Kind): Promise<Measured> {
  const timeOf = (pids: number[]) => pids.reduce((sum, pid) => sum + familyTime(pid), 0)
  const others = to.pids.filter((pid) => pid !== to.node)
  const times = () => ({
    processes: timeOf(to.pids),
    mainThread: timeOf(others) + (to.node === undefined ? 0 : mainThreadTime(to.node)),
    node: to.node === undefined ? 0 : timeOf([to.node]),
  })
  const before = times()
  const taken = await kind(to)
  const after = times()
  const each = (field: keyof typeof before) => (after[field] - before[field]) / taken.visits
  return { ...taken, processes: each('processes'), mainThread: each('mainThread'), node: each('node') }
}

const loading =
  (isNew: boolean): Kind =>
  async (to) => {
    const url = new URL(`http${to.isSecure ? 's' : ''}://127.0.0.1:${to.port}${to.path}`)
    const { requests, requestsPerSecond, p50Milliseconds, p99Milliseconds } = wrkNamed(url, NAME, SECONDS, isNew)
    return { visits: requests, perSecond: requestsPerSecond, p50: p50Milliseconds, p99: p99Milliseconds }
  }

/** By a client that takes the time from the first packet to the last; wrk begins after the handshake. */
const connecting =
  (resumes: boolean, atOnce: number): Kind =>
  async (to) => {
    const visited = await connectTo(to, { resumes, atOnce, seconds: SECONDS })
    if (visited.failed > 0) throw new Error(`${to.name}: ${visited.failed} visits failed`)
    if (resumes && visited.resumed < visited.visits / 2) throw new Error(`${to.name} resumes no sessions`)
    return visited
  }

const plainKinds: Record<string, Kind> = {
  'kept alive': loading(false),
  'new connections': loading(true),
  'new connections, 4 at a time': connecting(false, 4),
}
const secureKinds: Record<string, Kind> = { ...plainKinds, 'resumed sessions': connecting(true, 16) }

/** Prints a table for each kind of visits; the first answerer is the baseline. */
async function compare(title: string, answerers: Answerer[], kinds: Record<string, Kind>): Promise<void> {
  for (const [name, kind] of Object.entries(kinds)) {
    const all = new Map<Answerer, Measured[]>(answerers.map((each) => [each, []]))
    for (const to of answerers) await kind(to)
    for (let run = 0; run < RUNS; run++) for (const [to, runs] of all) runs.push(await measure(to, kind))
    const of = (runs: Measured[] = [], field: keyof Measured) => median(runs.map((run) => run[field]))
    const [baseline] = all.values()
    const rows = [...all].map(([to, runs]) => ({
      server: to.name,
      'CPU µs': of(runs, 'processes').toFixed(0),
      'of it Node µs': of(runs, 'node').toFixed(0),
      'main thread µs': of(runs, 'mainThread').toFixed(0),
      ratio: (of(runs, 'mainThread') / of(baseline, 'mainThread')).toFixed(2),
      'visits/s': Math.round(of(runs, 'perSecond')),
      'p50 ms': of(runs, 'p50').toFixed(2),
      'p99 ms': of(runs, 'p99').toFixed(1),
    }))
    printTable(`${title}, ${name}: medians of ${RUNS} alternating runs of ${SECONDS} s`, rows)
  }
}

console.log(describeMachine())
const [bare, bareSecure] = [await startBare(false), await startBare(true)]
const [quirl, quirlSecure] = [await startQuirl(), await startSecureQuirl()]
const behind = await startQuirl('--trust-proxy=127.0.0.1')
const others = [...(await startFronts()), ...(await startFronts(behind))]
const only = process.argv.slice(2)
const isChosen = ({ name }: Answerer) => only.length === 0 || only.includes(name)
await compare('TCP', [bare, quirl, ...others.filter((each) => !each.isSecure)].filter(isChosen), plainKinds)
await compare('TLS', [bareSecure, quirlSecure, ...others.filter((each) => each.isSecure)].filter(isChosen), secureKinds)
await stopAll()
