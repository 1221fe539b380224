import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file with the id of a journal folder, which moves with it. */
const ID_FILE = 'id'

/** Returns the id of a journal folder; undefined when it has none. */
export function readFolderId(path: string): string | undefined {
  try {
    return readFileSync(join(path, ID_FILE), 'utf8').trim() || undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** Returns a journal folder with its id, and gives it one when it has none. */
export function journalFolder(path: string): { path: string; id: string } {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const known = readFolderId(path)
  if (known !== undefined) return { path, id: known }
  const id = randomUUID()
  writeFileSync(join(path, ID_FILE), `${id}\n`, { mode: 0o600, flush: true })
  return { path, id }
}
