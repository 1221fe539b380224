import { hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Validators } from '../lib/obtain.ts'
import { openCompact } from './compact.ts'
import type { PlaceFile } from './record.ts'
import type { TableTask } from './table-thread.ts'

/** The origin of a stored table. */
export interface TableState extends Validators {
  /** The time of the last successful request, in milliseconds since 1970. */
  takenAt: number
  /** A hash of the address that was requested. */
  from: string
}

export interface StoredTable {
  state: TableState
  file: PlaceFile
}

/** Stores the tables of files and downloads, for this process and later ones. */
export interface TableCache {
  /** Paths for the download, the unpacked file and the new table of a source. */
  draft: (source: string) => TableTask
  /** Opens the table of a source; undefined when there is no valid one. */
  load: (source: string) => StoredTable | undefined
  /** Replaces the table of a source by the drafted one. */
  replace: (source: string, state: TableState) => Promise<StoredTable>
  saveState: (source: string, state: TableState) => Promise<void>
  discardDraft: (source: string) => void
}

/** The names of this cache; other files in the folder are the operator's. */
const cacheName = /^[\da-f]{16}\.(?:json|table|new)(?:\.\w+)*$/

const draftEndings = ['new', 'new.mmdb', 'new.table', 'new.table.tmp']

/** @param sources files in the cache that belong to no source are removed */
export function openTableCache(folder: string, sources: readonly string[]): TableCache {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  removeUnused(folder, sources)
  const pathOf = (source: string, ending: string) => join(folder, `${nameOf(source)}.${ending}`)
  const saveState: TableCache['saveState'] = async (source, state) => {
    await writeFile(pathOf(source, 'json.tmp'), JSON.stringify(state), { mode: 0o600 })
    await rename(pathOf(source, 'json.tmp'), pathOf(source, 'json'))
  }

  return {
    draft: (source) => ({
      file: pathOf(source, 'new'),
      unpacked: pathOf(source, 'new.mmdb'),
      table: pathOf(source, 'new.table'),
    }),
    load(source) {
      try {
        const state = JSON.parse(readFileSync(pathOf(source, 'json'), 'utf8')) as TableState
        return { state, file: openCompact(pathOf(source, 'table')) }
      } catch {
        return undefined
      }
    },
    async replace(source, state) {
      // Opened first: an invalid table must not replace a valid one.
      const file = openCompact(pathOf(source, 'new.table'), undefined, pathOf(source, 'table'))
      try {
        await rename(pathOf(source, 'new.table'), pathOf(source, 'table'))
        await saveState(source, state)
        return { state, file }
      } catch (error) {
        file.close()
        throw error
      }
    },
    saveState,
    discardDraft(source) {
      for (const ending of draftEndings) rmSync(pathOf(source, ending), { recursive: true, force: true })
    },
  }
}

/** A hash, because an address may contain the key of an account. */
function nameOf(source: string): string {
  return hash('sha256', source).slice(0, 16)
}

function removeUnused(folder: string, sources: readonly string[]): void {
  const used = new Set(sources.flatMap((source) => [`${nameOf(source)}.table`, `${nameOf(source)}.json`]))
  for (const file of readdirSync(folder)) {
    if (cacheName.test(file) && !used.has(file)) rmSync(join(folder, file), { recursive: true, force: true })
  }
}
