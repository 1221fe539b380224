import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOUR, scan } from '../../../test/support/fold-folders.ts'
import { openNode, openShared } from '../../../test/support/shared-folds.ts'
import { journalFolder } from '../../scans/journal/journal-folder.ts'
import { openPostgresFoldTarget } from './fold-target.ts'
import { openVisitorDays } from './visitor-days.ts'

test('the keys of a day are dropped once it is over and every node has folded it', async (t) => {
  const session = await openShared(t, 1)
  if (session === undefined) return
  const today = Date.now()
  const { write, fold } = openNode(t, session)
  write([scan({ at: today - 24 * HOUR, visitor: 7 }), scan({ at: today, visitor: 7 })])
  const target = openPostgresFoldTarget(session, journalFolder(openNode(t, session).path))
  await session.query("insert into quirl_scans.folds values ('behind', now() - interval '3 days')")
  await fold(target)
  const tables = async () =>
    (await session.query("select 1 from pg_tables where schemaname = 'quirl_visitors' and tablename like 'keys%'"))
      .length
  const days = openVisitorDays(session)
  await days.dropPast()
  // Ten minutes after midnight, the tables of yesterday do not wait any longer.
  const isEarly = today % (24 * HOUR) < 600_000
  assert.equal(await tables(), isEarly ? 2 : 1)
  await session.query('update quirl_scans.folds set folded_until = now()')
  await days.dropPast()
  assert.equal(await tables(), 1)
  const rows = await session.query("select relpersistence from pg_class where relname like 'keys_2%' and relkind = 'r'")
  assert.deepEqual(rows, [{ relpersistence: 'u' }], 'no key is in the write-ahead log')
})
