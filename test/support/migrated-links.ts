import { randomUUID } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openSqlite } from '../../src/db/sqlite/database.ts'

/** A migrated database without rows, and the id of its store. */
interface Template {
  bytes: Buffer
  instance: string
}

let template: Promise<Template> | undefined

/** Writes a migrated database with an id of its own: a copy of one per process, because migrating takes a hundred times as long. */
export async function writeMigratedLinks(file: string): Promise<void> {
  const { bytes, instance } = await (template ??= makeTemplate())
  const copy = Buffer.from(bytes)
  const id = randomUUID()
  // The id is in the table and in its index.
  for (let at = copy.indexOf(instance); at >= 0; at = copy.indexOf(instance, at)) copy.write(id, at)
  writeFileSync(file, copy)
}

async function makeTemplate(): Promise<Template> {
  const folder = mkdtempSync(join(tmpdir(), 'quirl-test-'))
  try {
    const file = join(folder, 'links.db')
    await (await openSqlite(file, Date.now)).close()
    const db = new DatabaseSync(file, { readOnly: true })
    const { id } = db.prepare('select id from instance').get() as { id: string }
    db.close()
    return { bytes: readFileSync(file), instance: id }
  } finally {
    rmSync(folder, { recursive: true })
  }
}
