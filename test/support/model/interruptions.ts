import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fc } from '../fast-check.ts'
import { PATIENCE_MS } from '../poll.ts'
import type { TestServer } from '../server.ts'
import { command, HOUR, type CommandKind } from './model.ts'
import { valueOf } from '../metrics.ts'

/** What comes between the requests. */
export const interruptions: CommandKind[] = [
  command('wait', 3, { hours: fc.integer({ min: 1, max: 60 }) }, async (world, { hours }) => {
    world.now += hours * HOUR
  }),
  command('wait for minutes', 1, { minutes: fc.integer({ min: 1, max: 59 }) }, async (world, { minutes }) => {
    world.now += (minutes * HOUR) / 60
  }),
  command('restart', 1, {}, ({ restart }) => restart()),
  // Locks a file of the embedded store.
  ...(process.env['QUIRL_TEST_STORE'] === undefined
    ? [command('fold dies', 1, {}, ({ server }) => failOneFold(server))]
    : []),
]

/** Locks the warehouse, so that a fold fails after it has stored the visitor keys and before it stores the scans. */
async function failOneFold(server: TestServer): Promise<void> {
  // The lock waits for a fold that is in progress, which then removes the file that it has folded.
  const holder = new DatabaseSync(join(server.dataDir, 'scans.db'), { timeout: PATIENCE_MS })
  holder.exec('begin immediate')
  await server.services.scans.totals(0)
  const waits = backlogOf(server) > 0
  const settled = await server.services.scans.settle()
  if (waits) assert.equal(settled, false)
  holder.exec('rollback')
  holder.close()
}

function backlogOf({ services }: TestServer): number {
  return valueOf(services.metrics, 'quirl_journal_backlog_bytes')
}
