import assert from 'node:assert/strict'
import { test } from 'node:test'
import { endOfFile } from './support/cleanup.ts'
import { poll } from './support/poll.ts'
import { start } from './support/program.ts'
import { requireProgram } from './support/programs.ts'
import { create } from './support/server.ts'
import { attack, attacksOf, openFiles, openFilesLimit, openSockets, visitUntil } from './support/slow-clients.ts'

/** As many as take a few seconds of CPU time; `npm run test:faults` and the bench connect a thousand. */
const CONNECTIONS = Number(process.env['CLIENTS'] ?? 100)
/** The open files that the attacker and the service each need: their connections, and some more. */
const OPEN_FILES = CONNECTIONS + 100

const service = await start(endOfFile(), undefined, ['--limit-failures=0'])

/** bench/slow-clients.ts measures how long visits take meanwhile, which depends on the machine. */
for (const [name, argumentsFor] of Object.entries(attacksOf(CONNECTIONS))) {
  test(`${CONNECTIONS} clients with ${name} do not prevent visits, and leave no connection open`, async (t) => {
    if (!requireProgram(t, 'slowhttptest', 'slowhttptest')) return
    if (openFilesLimit() < OPEN_FILES) throw new Error(`this test needs "ulimit -n ${OPEN_FILES}"`)
    const { pid } = service.process
    const [quiet, files] = [openSockets(pid), openFiles(pid)]
    const { code, token } = await create(service, { target: 'https://example.com/' })
    let most = 0
    const ended = attack(argumentsFor(service.url))
    const after = () => {
      most = Math.max(most, openFiles(pid) - files)
    }
    const visits = await visitUntil(`${service.url}/${code}`, ended, { after, pauseMs: 100 })
    const output = await ended
    t.diagnostic(`${visits.length} visits, ${most} connections at most`)
    // On a busy machine not all of them are open at once.
    assert.ok(most >= CONNECTIONS / 4, `${most} connections: ${output}`)
    // The service has closed the connections of all clients that send slowly.
    if (!name.startsWith('slow reads')) assert.match(output, /No open connections left/)
    await poll(() => openSockets(pid) <= quiet)
    const response = await fetch(`${service.url}/api/manage/${token}/stats?days=2`)
    const { totals } = (await response.json()) as { totals: { scans: number } }
    assert.equal(totals.scans, visits.length)
    assert.doesNotMatch(service.output(), /"level":50/)
  })
}
