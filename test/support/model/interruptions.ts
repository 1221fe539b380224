import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { dayOf } from '../../../src/scans/calendar.ts'
import { fc } from '../fast-check.ts'
import { PATIENCE_MS } from '../poll.ts'
import { skipUnlessSqlite, type TestServer } from '../server.ts'
import { command, HOUR, type CommandKind, type World } from './model.ts'
import { valueOf } from '../metrics.ts'

/** What comes between the requests. */
export const interruptions: CommandKind[] = [
  command('wait', 3, { hours: fc.integer({ min: 1, max: 60 }) }, (world, { hours }) => wait(world, hours * HOUR)),
  command('wait for minutes', 1, { minutes: fc.integer({ min: 1, max: 59 }) }, (world, { minutes }) =>
    wait(world, (minutes * HOUR) / 60),
  ),
  command('restart', 1, {}, ({ restart }) => restart()),
  // Locks a file of SQLite's store.
  ...(skipUnlessSqlite === false ? [command('fold dies', 1, {}, ({ server }) => failOneFold(server))] : []),
]

/**
 * Nodes fetch the salts of today and tomorrow when they start and each minute, in real time. When the test's clock jumps to
 * another day, they start again, lest each uses a salt of its own for up to a minute.
 */
async function wait(world: World, milliseconds: number): Promise<void> {
  const day = dayOf(world.now)
  world.now += milliseconds
  if (!world.isSqlite && dayOf(world.now) !== day) await world.restart()
  // The clock of removals is checked in real time, too: a deletion would be taken for one of the future.
  else await world.server.services.clock.check()
}

/** Locks the warehouse, so that a fold fails after it has stored the visitor keys and before it stores the scans. */
async function failOneFold(server: TestServer): Promise<void> {
  // The lock waits for a fold that is in progress, which then removes the file that it has folded.
  const holder = new DatabaseSync(join(server.dataDir, 'scans.db'), { timeout: PATIENCE_MS })
  holder.exec('begin immediate')
  await server.services.scans.totals(0)
  const waits = backlogOf(server) > 0
  const settled = await server.services.scans.awaitFold()
  if (waits) assert.equal(settled, false)
  holder.exec('rollback')
  holder.close()
}

function backlogOf({ services }: TestServer): number {
  return valueOf(services.metrics, 'quirl_journal_backlog_bytes')
}
