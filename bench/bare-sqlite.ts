// The baseline for creations: the same inserts by SQLite alone.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../src/db/open.ts'
import { DatabaseSync } from 'node:sqlite'
import { randomCode } from '../src/links/code.ts'
import { newToken } from '../src/lib/token.ts'
import { temporaryFolder } from './support.ts'

const FIRST_ID = 2 ** 40

/**
 * Codes and hashes are random and ids ascend, as those of links do, so that SQLite writes the same pages. A code that is in use is
 * ignored.
 * @param synchronous full: each insert pays for an fsync
 * @returns inserts a row and returns its code; a statement outside of a transaction is a transaction by itself
 */
export async function prepareBareInsert(folder: string, synchronous: 'full' | 'normal'): Promise<() => string> {
  await (await openDatabase(folder, Date.now)).close()
  const db = new DatabaseSync(join(folder, 'links.db'))
  db.exec(`pragma synchronous = ${synchronous}`)
  const statement = db.prepare(
    'insert or ignore into links (id, code_key, code, token_hash, kind, target, payload, utm, active, revision, created_at, updated_at) ' +
      "values (?, ?, ?, ?, 'url', 'https://example.com/menu', '{}', '{}', 1, 1, ?, ?)",
  )
  let id = FIRST_ID
  return () => {
    const code = randomCode(0)
    statement.run(id++, code, code, newToken(), Date.now(), Date.now())
    return code
  }
}

/** @returns transactions per second, each with an fsync */
export async function bareInserts(seconds: number): Promise<number> {
  const folder = temporaryFolder()
  const insert = await prepareBareInsert(folder, 'full')
  const began = performance.now()
  let count = 0
  for (; performance.now() - began < seconds * 1000; count++) insert()
  const rate = count / ((performance.now() - began) / 1000)
  rmSync(folder, { recursive: true })
  return rate
}
