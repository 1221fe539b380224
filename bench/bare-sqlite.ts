// The baseline for creations: the same inserts by SQLite alone, with an fsync per transaction.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../src/db/open.ts'
import { DatabaseSync } from 'node:sqlite'
import { randomCode } from '../src/links/code.ts'
import { newToken } from '../src/lib/token.ts'
import { temporaryFolder } from './support.ts'

const FIRST_ID = 2 ** 40

/**
 * Codes and hashes are random and ids ascend, as those of links do, so that SQLite writes the same pages.
 * @returns transactions per second
 */
export async function bareInserts(seconds: number): Promise<number> {
  const folder = temporaryFolder()
  await (await openDatabase(folder, Date.now)).close()
  const db = new DatabaseSync(join(folder, 'links.db'))
  db.exec('pragma synchronous = full')
  // A statement outside of a transaction is a transaction by itself.
  const insert = db.prepare(
    'insert into links (id, code_key, code, token_hash, kind, target, payload, utm, active, revision, created_at, updated_at) ' +
      "values (?, ?, ?, ?, 'url', 'https://example.com/menu', '{}', '{}', 1, 1, ?, ?)",
  )
  const began = performance.now()
  let count = 0
  while (performance.now() - began < seconds * 1000) {
    const code = randomCode(0)
    insert.run(FIRST_ID + count++, code, code, newToken(), Date.now(), Date.now())
  }
  const rate = count / ((performance.now() - began) / 1000)
  db.close()
  rmSync(folder, { recursive: true })
  return rate
}
