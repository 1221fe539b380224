import { hash } from 'node:crypto'
import { statSync } from 'node:fs'
import { faultOf, isRemote, obtain, sourceName, type Fetch } from '../lib/obtain.ts'
import { openBundled } from './bundled.ts'
import type { KeptState, KeptTables } from './kept.ts'
import { makeTable } from './make-table.ts'
import type { PlaceFile } from './record.ts'
import type { TableTask } from './table-thread.ts'

/** How long what has failed rests, unless somebody asks for it. */
export const RETRY_MS = 3_600_000

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
   * @param isAsked whether somebody waits for it, so that also what was refused before is looked at
   * @returns what is no longer in use and shall be closed; undefined when nothing is new
   * @throws what keeps it from being used
   */
  refresh: (isAsked: boolean) => Promise<PlaceFile[] | undefined>
}

export interface SourceDeps {
  kept: KeptTables
  now: () => number
  fetch: Fetch
  /** Ends work that is under way. */
  signal: AbortSignal
}

export function openSource(word: string, deps: SourceDeps): Source {
  if (word === 'bundled') return openBundledSource()
  return isRemote(word) ? openRemote(word, deps) : openFile(word, deps)
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
function openFile(path: string, deps: SourceDeps): Source {
  const { source, knownState, take } = openTabled(path, path, deps)
  const from = hash('sha256', path)
  let refused: { stamp: string; error: unknown; at: number } | undefined
  return Object.assign(source, {
    async refresh(isAsked: boolean) {
      const etag = stampOf(path)
      if (etag === knownState()?.etag) return undefined
      // What is damaged stays so until it is replaced: it is not read anew each minute. A full disk may have room again.
      if (etag === refused?.stamp && !isAsked && deps.now() - refused.at < RETRY_MS) throw refused.error
      try {
        return await take(async (draft) => {
          await makeTable({ ...draft, file: path }, deps.signal)
          if (stampOf(path) !== etag) throw new Error('it was changed while it was read')
          return { etag, lastModified: null, takenAt: deps.now(), from }
        })
      } catch (error) {
        refused = { stamp: etag, error, at: deps.now() }
        throw error
      }
    },
  })
}

function stampOf(path: string): string {
  const { size, mtimeMs, ino } = statSync(path)
  return `${size}-${mtimeMs}-${ino}`
}

function openRemote(url: string, deps: SourceDeps): Source {
  const { kept, now, fetch, signal } = deps
  const { source, knownState, take } = openTabled(url, sourceName(url), deps)
  const refresh = () =>
    take(async (draft) => {
      const asked = monthly(url, now())
      // What another address answered last month says nothing of this one; the address may hold a key.
      const from = hash('sha256', asked)
      const state = knownState()
      const known = state?.from === from ? state : undefined
      const validators = await obtain(asked, draft.file, { known, fetch, purpose: 'places' })
      const takenAt = now()
      if (validators === undefined) {
        if (state !== undefined) await kept.save(url, Object.assign(state, { takenAt }))
        source.takenAt = takenAt
        return undefined
      }
      await makeTable(draft, signal)
      source.takenAt = takenAt
      return { ...validators, takenAt, from }
    })
  return Object.assign(source, { isRemote: true, takenAt: knownState()?.takenAt, refresh })
}

/** A source that is read by way of a table, which is kept. */
function openTabled(word: string, name: string, { kept }: SourceDeps) {
  const found = kept.load(word)
  let state = found?.state
  const files = found === undefined ? [] : [found.file]
  const source: Omit<Source, 'refresh'> = { name, isRemote: false, files, fault: null, takenAt: undefined }

  /** @param make makes the table of the draft; undefined when there is nothing new */
  async function take(make: (draft: TableTask) => Promise<KeptState | undefined>): Promise<PlaceFile[] | undefined> {
    try {
      const made = await make(kept.draft(word))
      if (made === undefined) return undefined
      const taken = await kept.take(word, made)
      const before = source.files
      state = taken.state
      source.files = [taken.file]
      return before
    } finally {
      kept.discard(word)
    }
  }

  return { source, knownState: () => state, take }
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
