import { hash } from 'node:crypto'
import { statSync } from 'node:fs'
import { faultOf, isRemote, obtain, sourceName, type Fetch } from '../lib/obtain.ts'
import { openBundled } from './bundled.ts'
import type { PlaceFile } from './record.ts'
import type { TableCache, TableState } from './table-cache.ts'
import type { TableTask, TableCalls } from './table-thread.ts'
import { withThread, type Thread } from '../lib/thread-calls.ts'

/** The delay before a failed source is retried, unless the operator requests a refresh. */
export const RETRY_MS = 3_600_000
/** In MiB; names are stored outside of the heap. */
const HEAP = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 64 }

/** One of the values of `GEOIP_DB`. */
export interface Source {
  name: string
  isRemote: boolean
  /** The files in use; empty while there are none. */
  files: PlaceFile[]
  /** Why the source, or its last refresh, cannot be used. */
  fault: string | null
  takenAt: number | undefined
  /**
   * Checks for a new version, and puts it into `files`.
   * @param isForced whether the operator requested it: then a version that was refused before is read again
   * @returns the replaced files, to be closed; undefined when there is no new version
   * @throws when the source cannot be used
   */
  refresh: (isForced: boolean) => Promise<PlaceFile[] | undefined>
}

export interface SourceDeps {
  tables: TableCache
  now: () => number
  fetch: Fetch
  /** Aborts work in progress. */
  signal: AbortSignal
}

/** @param setting a path, an https URL or `bundled` */
export function openSource(setting: string, deps: SourceDeps): Source {
  if (setting === 'bundled') return openBundledSource()
  return isRemote(setting) ? openRemote(setting, deps) : openFile(setting, deps)
}

export function openBundledSource(): Source {
  const source = { name: 'bundled', isRemote: false, takenAt: undefined, refresh: async () => undefined }
  try {
    return { ...source, files: openBundled(), fault: null }
  } catch (error) {
    return { ...source, files: [], fault: `${reasonOf(error)}: install again, or set GEOIP_DB` }
  }
}

/** A file of the operator, who may replace it at any time. */
function openFile(path: string, deps: SourceDeps): Source {
  const { source, currentState, replaceTable } = openTabled(path, path, deps)
  const from = hash('sha256', path)
  let refused: { stamp: string; error: unknown; at: number } | undefined
  return Object.assign(source, {
    async refresh(isForced: boolean) {
      const etag = stampOf(path)
      if (etag === currentState()?.etag) return undefined
      // A damaged file stays damaged until it is replaced, but a full disk may have space again: retried once an hour.
      if (etag === refused?.stamp && !isForced && deps.now() - refused.at < RETRY_MS) throw refused.error
      try {
        return await replaceTable(async (draft) => {
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
  const { tables, now, fetch, signal } = deps
  const { source, currentState, replaceTable } = openTabled(url, sourceName(url), deps)
  const refresh = () =>
    replaceTable(async (draft) => {
      const address = expandMonth(url, now())
      // Validators are valid for one address only; stored as a hash, because the address may contain a key.
      const from = hash('sha256', address)
      const state = currentState()
      const known = state?.from === from ? state : undefined
      const validators = await obtain(address, draft.file, { known, fetch, purpose: 'places' })
      const takenAt = now()
      if (validators === undefined) {
        if (state !== undefined) await tables.saveState(url, Object.assign(state, { takenAt }))
        source.takenAt = takenAt
        return undefined
      }
      await makeTable(draft, signal)
      source.takenAt = takenAt
      return { ...validators, takenAt, from }
    })
  return Object.assign(source, { isRemote: true, takenAt: currentState()?.takenAt, refresh })
}

/** A source that is converted into a table, which is stored. */
function openTabled(setting: string, name: string, { tables }: SourceDeps) {
  const stored = tables.load(setting)
  let state = stored?.state
  const files = stored === undefined ? [] : [stored.file]
  const source: Omit<Source, 'refresh'> = { name, isRemote: false, files, fault: null, takenAt: undefined }

  /**
   * @param make writes the table of the draft; returns undefined when there is no new version
   * @returns the replaced files
   */
  async function replaceTable(
    make: (draft: TableTask) => Promise<TableState | undefined>,
  ): Promise<PlaceFile[] | undefined> {
    try {
      const made = await make(tables.draft(setting))
      if (made === undefined) return undefined
      const table = await tables.replace(setting, made)
      const replaced = source.files
      state = table.state
      source.files = [table.file]
      return replaced
    } finally {
      tables.discardDraft(setting)
    }
  }

  return { source, currentState: () => state, replaceTable }
}

/** Replaces {YYYY} and {MM}: publishers put the month into the names of their files. */
function expandMonth(url: string, now: number): string {
  const [year = '', month = ''] = new Date(now).toISOString().split('-')
  return url.replaceAll('{YYYY}', year).replaceAll('{MM}', month)
}

/** The system's error code (ENOENT, EACCES) where there is one, which helps an operator more than the message. */
export function reasonOf(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  return typeof code === 'string' && /^E[A-Z]+$/.test(code) ? code : faultOf(error)
}

/**
 * Converts a file into a table on a thread, which ends afterwards, or when the signal aborts.
 * @throws when the file is damaged anywhere, or has no places
 */
function makeTable(task: TableTask, signal: AbortSignal): Promise<void> {
  const options = { name: 'the thread that makes tables', heap: HEAP, signal }
  return withThread(new URL('./table-thread.ts', import.meta.url), options, (thread: Thread<TableCalls>) =>
    thread.call('make', task),
  )
}
