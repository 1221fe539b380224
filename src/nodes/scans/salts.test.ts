import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { undoLater } from '../../../test/support/cleanup.ts'
import { createDatabase } from '../../../test/support/drivers.ts'
import { poll } from '../../../test/support/poll.ts'
import { urlOf } from '../../../test/support/postgres.ts'
import { requireProgram } from '../../../test/support/programs.ts'
import { openPostgres } from '../database/database.ts'
import { openPostgresSession } from '../database/session.ts'
import { dayOf } from '../../scans/calendar.ts'
import { migrateScans } from './migrations.ts'
import { openVisitorSalts } from './salts.ts'

/** A database with the schema of scans. */
async function openDatabase(t: TestContext) {
  const url = urlOf(await createDatabase())
  const session = openPostgresSession({ url, max: 1 })
  undoLater(t, () => session.close())
  await migrateScans(session)
  const db = await openPostgres({ url, max: 4 }, Date.now)
  undoLater(t, () => db.close())
  return db
}

test('a node whose clock jumps over days shares the salt of the day as soon as it needs it, not a minute later', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const db = await openDatabase(t)
  let now = Date.UTC(2026, 10, 23, 12)
  const open = () =>
    openVisitorSalts(
      db,
      () => now,
      (error) => assert.fail(String(error)),
    )
  const jumping = await open()
  undoLater(t, jumping.close)
  now += 5 * 86_400_000
  const day = dayOf(now)
  jumping.of(day)
  const other = await open()
  undoLater(t, other.close)
  await poll(async () => jumping.of(day) === other.of(day))
})

test('visitors who come while the salt of a day is fetched keep theirs, so that none of them counts twice', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const db = await openDatabase(t)
  let now = Date.UTC(2026, 10, 23, 12)
  let fetches = 0
  const used = new Map<number, string>()
  const transaction: typeof db.transaction = async (work) => {
    const result = await db.transaction(work)
    // The first two days are fetched at the start, then the day of the jump, and the next.
    if (++fetches === 4) used.set(dayOf(now) + 1, salts.of(dayOf(now) + 1))
    return result
  }
  const open = (on: Pick<typeof db, 'write' | 'transaction' | 'lock'>) =>
    openVisitorSalts(
      on,
      () => now,
      (error) => assert.fail(String(error)),
    )
  const salts = await open({ write: db.write, lock: db.lock, transaction })
  undoLater(t, salts.close)
  now += 5 * 86_400_000
  salts.of(dayOf(now))
  await poll(() => used.size > 0)
  const other = await open(db)
  undoLater(t, other.close)
  await poll(() => salts.of(dayOf(now)) === other.of(dayOf(now)))
  for (const [day, salt] of used) assert.deepEqual([salts.of(day), other.of(day)], [salt, salt])
})
