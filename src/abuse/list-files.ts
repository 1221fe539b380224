import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'

/** The metadata of the last valid state of a list. */
export interface ListState {
  format: string
  entries: number
  ignored: number
  /** The validators of the response (RFC 9110, 8.8); for a file its size and time. */
  etag: string | null
  lastModified: string | null
  /** When it was last updated, in milliseconds since 1970. */
  takenAt: number
  /** When its entries last changed. */
  changedAt: number
}

/** The last valid state of a list, with its keys. */
export interface StoredList {
  state: ListState
  keys: Uint32Array<ArrayBuffer>
  /** Identifies the keys. */
  digest: string
}

/** The files of lists, so that a start needs no network. */
export interface ListFiles {
  /** The salt of every key. */
  salt: string
  /** Whether a list has changed since links were last to be screened again: notes it before the list is saved. */
  isChanged: () => boolean
  noteChange: () => Promise<void>
  /** To be called when the store knows that links are to be screened again. */
  clearChange: () => void
  /** The file for the download of a source. */
  draft: (source: string) => string
  /** The stored list of a source; undefined when there is none, or it is damaged. */
  load: (source: string) => StoredList | undefined
  save: (source: string, list: StoredList) => Promise<void>
  digest: (keys: Uint32Array<ArrayBuffer>) => string
  /** Deletes the files of all other sources. */
  prune: (sources: string[]) => void
}

/** File names do not contain the source: its URL may include an account key. */
function nameOf(source: string): string {
  return hash('sha256', source).slice(0, 16)
}

/** The salt that earlier versions have kept in the folder. */
export function findFolderSalt(folder: string): string | undefined {
  try {
    const salt = readFileSync(join(folder, 'salt'), 'utf8')
    return /^[\da-f]{32}$/.test(salt) ? salt : undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

/** @param salt of all processes on the store; lists that were saved with another are downloaded again */
export function openListFiles(folder: string, salt: string): ListFiles {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const changed = join(folder, 'changed')
  const fileOf = (source: string, ending: string) => join(folder, `${nameOf(source)}.${ending}`)

  return {
    salt,
    isChanged: () => existsSync(changed),
    noteChange: () => replaceFile(changed, ''),
    clearChange: () => rmSync(changed, { force: true }),
    draft: (source) => fileOf(source, 'new'),
    load(source) {
      try {
        const { state, digest } = JSON.parse(readFileSync(fileOf(source, 'json'), 'utf8')) as StoredList
        const bytes = readFileSync(fileOf(source, 'keys'))
        if (digestOf(bytes, salt) !== digest) return undefined
        return { state, digest, keys: new Uint32Array(new Uint8Array(bytes).buffer) }
      } catch {
        return undefined
      }
    },
    digest: (keys) => digestOf(new Uint8Array(keys.buffer), salt),
    async save(source, { state, keys, digest }) {
      // A crash between the two leaves a pair that does not match; `load` ignores it, and it is downloaded again.
      await replaceFile(fileOf(source, 'keys'), new Uint8Array(keys.buffer))
      await replaceFile(fileOf(source, 'json'), JSON.stringify({ state, digest }))
    },
    prune(sources) {
      const names = new Set(['changed', ...sources.map(nameOf)])
      for (const file of readdirSync(folder)) {
        if (!names.has(file.split('.', 1)[0] ?? '')) rmSync(join(folder, file), { force: true })
      }
    },
  }
}

function digestOf(bytes: Uint8Array, salt: string): string {
  return `${bytes.length}-${crc32(bytes, crc32(salt)).toString(16)}`
}

async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  await writeFile(`${file}.tmp`, content, { mode: 0o600 })
  await rename(`${file}.tmp`, file)
}
