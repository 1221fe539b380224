import { hash } from 'node:crypto'
import { statSync } from 'node:fs'
import { faultOf, isRemote, obtain, sourceName, type Fetch } from '../lib/obtain.ts'
import { openBundled } from './bundled.ts'
import { checkPlaces } from './check.ts'
import type { KeptTables } from './kept.ts'
import { makeTable } from './make-table.ts'
import { openMmdb } from './mmdb.ts'
import { placesIn, type PlaceFile } from './record.ts'

/** One of the words of `GEOIP_DB`. */
export interface Source {
  name: string
  isRemote: boolean
  /** What is in use of it; empty while nothing is. */
  files: PlaceFile[]
  /** Why it, or its last refresh, cannot be used. */
  fault: string | null
  takenAt: number | undefined
  /**
   * Looks whether there is something new, which is in `files` from then on.
   * @returns what is no longer in use and shall be closed; undefined when nothing is new
   * @throws what keeps it from being used
   */
  refresh: () => Promise<PlaceFile[] | undefined>
}

export interface SourceDeps {
  kept: KeptTables
  now: () => number
  fetch: Fetch
}

export function openSource(word: string, deps: SourceDeps): Source {
  if (word === 'bundled') return openBundledSource()
  return isRemote(word) ? openRemote(word, deps) : openFile(word)
}

export function openBundledSource(): Source {
  const source = { name: 'bundled', isRemote: false, takenAt: undefined, refresh: async () => undefined }
  try {
    return { ...source, files: openBundled(), fault: null }
  } catch (error) {
    return { ...source, files: [], fault: `${plainFault(error)}: install again, or set GEOIP_DB` }
  }
}

/** A file of the operator's, who may put another in its place. */
function openFile(path: string): Source {
  let stamp: string | undefined
  const look = () => {
    const { size, mtimeMs, ino } = statSync(path)
    if (stamp === `${size}-${mtimeMs}-${ino}`) return undefined
    const before = source.files
    source.files = [openChecked(path)]
    stamp = `${size}-${mtimeMs}-${ino}`
    return before
  }
  const refresh = async () => look()
  const source: Source = { name: path, isRemote: false, files: [], fault: null, takenAt: undefined, refresh }
  try {
    look()
  } catch (error) {
    source.fault = plainFault(error)
  }
  return source
}

function openChecked(path: string): PlaceFile {
  const file = placesIn(openMmdb(path))
  try {
    checkPlaces(file)
    return file
  } catch (error) {
    file.close()
    throw error
  }
}

function openRemote(url: string, { kept, now, fetch }: SourceDeps): Source {
  const found = kept.load(url)
  let state = found?.state
  const source: Source = {
    name: sourceName(url),
    isRemote: true,
    files: found === undefined ? [] : [found.file],
    fault: null,
    takenAt: state?.takenAt,
    async refresh() {
      const draft = kept.draft(url)
      const asked = monthly(url, now())
      // What another address answered last month says nothing of this one; the address may hold a key.
      const from = hash('sha256', asked)
      const known = state?.from === from ? state : undefined
      try {
        const validators = await obtain(asked, draft.file, { known, fetch, purpose: 'places' })
        const takenAt = now()
        if (validators === undefined) {
          if (state !== undefined) await kept.save(url, (state = { ...state, takenAt }))
          source.takenAt = takenAt
          return undefined
        }
        await makeTable(draft)
        const before = source.files
        const taken = await kept.take(url, { ...validators, takenAt, from })
        state = taken.state
        source.takenAt = takenAt
        source.files = [taken.file]
        return before
      } finally {
        kept.discard(url)
      }
    },
  }
  return source
}

/** Publishers put the month into the names of their files. */
export function monthly(url: string, now: number): string {
  const [year = '', month = ''] = new Date(now).toISOString().split('-')
  return url.replaceAll('{YYYY}', year).replaceAll('{MM}', month)
}

/** What the reader stumbled over says little to an operator; what the system says (ENOENT, EACCES) does. */
export function plainFault(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' && /^E[A-Z]+$/.test(code) ? code : faultOf(error)
}
