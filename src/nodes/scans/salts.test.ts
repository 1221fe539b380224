import assert from 'node:assert/strict'
import { test } from 'node:test'
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

test('a node whose clock jumps over days shares the salt of the day as soon as it needs it, not a minute later', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const url = urlOf(await createDatabase())
  const session = openPostgresSession({ url, max: 1 })
  undoLater(t, () => session.close())
  await migrateScans(session)
  const db = await openPostgres({ url, max: 4 }, Date.now)
  undoLater(t, () => db.close())
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
