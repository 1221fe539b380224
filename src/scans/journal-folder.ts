import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file with the id of a journal folder, which moves with it. */
const ID_FILE = 'id'

/** Returns a journal folder with its id, and gives it one when it has none. */
export function journalFolder(path: string): { path: string; id: string } {
  mkdirSync(path, { recursive: true, mode: 0o700 })
  const file = join(path, ID_FILE)
  try {
    const id = readFileSync(file, 'utf8').trim()
    if (id !== '') return { path, id }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
  const id = randomUUID()
  writeFileSync(file, `${id}\n`, { mode: 0o600, flush: true })
  return { path, id }
}
