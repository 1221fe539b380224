// The baseline of the creations: the same inserts alone, each transaction fsynced, as fast as SQLite takes them.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../src/db/open.ts'
import { DatabaseSync } from 'node:sqlite'
import { temporaryFolder } from './support.ts'

/** @returns transactions a second */
export async function bareInserts(seconds: number): Promise<number> {
  const folder = temporaryFolder()
  await (await openDatabase(folder, Date.now)).close()
  const db = new DatabaseSync(join(folder, 'links.db'))
  db.exec('pragma synchronous = full')
  const insertCode = db.prepare('insert into codes (code_key) values (?)')
  const insertLink = db.prepare(
    'insert into links (code_key, code, token_hash, kind, target, payload, utm, active, revision, created_at, updated_at) ' +
      "values (?, ?, ?, 'url', 'https://example.com/menu', '{}', '{}', 1, 1, ?, ?)",
  )
  const began = performance.now()
  let count = 0
  while (performance.now() - began < seconds * 1000) {
    const code = `code${count++}`
    db.exec('begin immediate')
    insertCode.run(code)
    insertLink.run(code, code, `a hash of 43 characters for the token ${code}`, Date.now(), Date.now())
    db.exec('commit')
  }
  const rate = count / ((performance.now() - began) / 1000)
  db.close()
  rmSync(folder, { recursive: true })
  return rate
}
