import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSqlite } from '../db/sqlite/database.ts'
import { join } from 'node:path'
import { temporaryFolder, undoLater } from '../../test/support/cleanup.ts'
import { openLinkIds } from './ids.ts'

test('IDs of two processes on copies of one store are far apart, above those of older versions, and below 2^47', async (t) => {
  const db = await openSqlite(join(temporaryFolder(t), 'links.db'), Date.now)
  undoLater(t, () => db.close())
  const firsts = []
  for (let process = 0; process < 100; process++) firsts.push((await openLinkIds(db)).next())
  // Two of a hundred come so near to each other once in a million runs of this test.
  let before = 2 ** 32 - 1e4
  for (const first of firsts.toSorted((a, b) => a - b)) {
    assert.ok(first - before >= 1e4 && first < 2 ** 47 - 2 ** 39, String(firsts))
    before = first
  }
})
