import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../../lib/start-error.ts'

/** The file with the id of a journal folder, which moves with it. */
const ID_FILE = 'id'
/** As crypto.randomUUID() writes it (RFC 9562). */
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Returns the id of a journal folder; undefined when it has none. @throws {StartError} for a file with anything else */
export function readFolderId(path: string): string | undefined {
  const file = join(path, ID_FILE)
  let id: string
  try {
    id = readFileSync(file, 'utf8').trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  if (id !== '' && !ID.test(id))
    throw new StartError(`${file} has no id of a journal: it is damaged, or of another program`)
  return id || undefined
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
