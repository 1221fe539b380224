import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { temporaryFolder, undoLater } from './cleanup.ts'
import type { Database } from '../../src/db/database.ts'
import { syncData, type Sync } from '../../src/db/sqlite/writing-session.ts'
import { openSqlite } from '../../src/db/sqlite/database.ts'

/** A database whose syncs a test can observe, delay and make fail. */
export async function openWatched(t: TestContext) {
  const file = join(temporaryFolder(t), 'links.db')
  const seen = { synced: Buffer.alloc(0), checkpoints: 0, reopened: 0 }
  let before: () => Promise<void> = async () => {}
  const sync: Sync = async (fd) => {
    const begun = readFileSync(`${file}-wal`)
    const { checkpoints } = seen
    await before()
    await syncData(fd)
    // A checkpoint during the sync has synced more.
    if (seen.checkpoints === checkpoints) seen.synced = begun
  }
  const db = await openSqlite(file, Date.now, { sync, onReopened: () => seen.reopened++ })
  undoLater(t, () => db.close())
  return { db, file, seen, onSync: (next: () => Promise<void>) => (before = next) }
}

export async function turns(count: number): Promise<void> {
  for (let at = 0; at < count; at++) await turn()
}

export const take = (db: Database, codes: string[]) =>
  db.transaction((transaction) =>
    transaction
      .insertInto('codes')
      .values(codes.map((code) => ({ code_key: code })))
      .execute(),
  )

export function codesIn(file: string): Set<string> {
  const db = new DatabaseSync(file)
  try {
    db.exec('pragma synchronous = off')
    assert.deepEqual({ ...db.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
    return new Set(
      db
        .prepare('select code_key from codes')
        .all()
        .map((row) => String(row['code_key'])),
    )
  } finally {
    db.close()
  }
}
