// Claim: beside a thousand clients that send or read slowly, the p99 of a visit is below twice that of a quiet service.
// The visitor and the attacker run on the load's core, where the attacker has a lower priority: the bench measures the
// service's time, not the visitor's. It compares the best of several alternating rounds.
import { setTimeout as sleep } from 'node:timers/promises'
import { create } from '../test/support/server.ts'
import { attack, attacksOf, visitUntil } from '../test/support/slow-clients.ts'
import { moveToLoadCore } from './load.ts'
import { printTable, serveQuirl, temporaryFolder } from './support.ts'

const ROUNDS = Number(process.env['ROUNDS'] ?? 3)
const QUIET_MS = 8000
const attacks = attacksOf(1000)

moveToLoadCore()
const quirl = await serveQuirl(temporaryFolder())
const { code } = await create(quirl, { target: 'https://example.com/menu' })
const visits = (ended: Promise<unknown>) => visitUntil(`${quirl.url}/${code}`, ended)
const p99 = (took: number[]) => took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? Number.NaN

await visits(sleep(2000))
const QUIET = 'no load'
const taken = new Map<string, number[][]>([QUIET, ...Object.keys(attacks)].map((name) => [name, []]))
for (let round = 0; round < ROUNDS; round++) {
  taken.get(QUIET)?.push(await visits(sleep(QUIET_MS)))
  for (const [name, argumentsFor] of Object.entries(attacks)) {
    taken.get(name)?.push(await visits(attack(argumentsFor(quirl.url), ['nice', '-n19', 'slowhttptest'])))
  }
}
await quirl.stop()

const best = (name: string) => Math.min(...(taken.get(name) ?? []).map(p99))
const rows = [...taken].map(([name, rounds]) => ({
  'beside the visits': name,
  visits: rounds.flat().length,
  'p99 ms': best(name).toFixed(1),
  ratio: (best(name) / best(QUIET)).toFixed(2),
  'longest ms': Math.max(...rounds.flat()).toFixed(0),
}))
printTable(`Visits, each on a new connection, beside 1,000 slow clients; best of ${ROUNDS} rounds`, rows)
