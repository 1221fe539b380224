// Claim: of 10,000 phones that visit within one second, each with a connection of its own, none is lost, and each one that was answered
// is counted. The baseline is bare node:http and node:https, which count nothing. The client has one core, and is a limit as well.
import { connectTo, recordedBy, startBare, startQuirl, startSecureQuirl, stopAll, type Answerer } from './answerers.ts'
import { describeMachine } from './peers/machine.ts'
import { highestMemory } from './processors.ts'
import { printTable } from './support.ts'

const PLAIN = Number(process.env['PHONES'] ?? 10_000)
const SECURE = Number(process.env['SECURE_PHONES'] ?? 2_000)
const WARM_UP = 1_000

const rows: Record<string, string | number>[] = []

async function measure(to: Answerer, visits: number): Promise<void> {
  // As in a service that runs for a while: the compiler has seen the code.
  await connectTo(to, { resumes: false, seconds: 2, visits: WARM_UP })
  const before = await recordedBy(to)
  const visited = await connectTo(to, { resumes: false, seconds: 1, visits })
  const recorded = (await recordedBy(to)) - before - visited.first
  rows.push({
    server: to.name,
    by: to.isSecure ? 'TLS' : 'TCP',
    phones: visits,
    answered: visited.visits,
    'within 1 s': visited.withinSecond,
    lost: visited.failed,
    recorded: to.name === 'quirl' ? recorded : '',
    'p50 ms': Math.round(visited.p50),
    'p99 ms': Math.round(visited.p99),
    'MiB at most': to.pids.reduce((sum, pid) => sum + highestMemory(pid), 0).toFixed(0),
  })
}

console.log(describeMachine())
for (const to of [await startBare(false), await startQuirl()]) await measure(to, PLAIN)
for (const to of [await startBare(true), await startSecureQuirl()]) await measure(to, SECURE)
await stopAll()
printTable('Phones that visit within one second', rows)
