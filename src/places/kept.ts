import { hash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Validators } from '../lib/obtain.ts'
import { openCompact } from './compact.ts'
import type { PlaceFile } from './record.ts'
import type { TableTask } from './table-thread.ts'

/** What is known of a download. */
export interface KeptState extends Validators {
  /** When it was last asked for with success, in milliseconds since 1970. */
  takenAt: number
  /** A hash of the address that answered. */
  from: string
}

export interface Kept {
  state: KeptState
  file: PlaceFile
}

/** Tables of what was downloaded, which outlive the process. */
export interface KeptTables {
  /** A file for what is being fetched, one for what it is unpacked to, and one for its table. */
  draft: (source: string) => TableTask
  /** What was kept of a source; undefined when there is nothing, or nothing whole. */
  load: (source: string) => Kept | undefined
  /** Lets the table of the draft take the place of the last one. */
  take: (source: string, state: KeptState) => Promise<Kept>
  save: (source: string, state: KeptState) => Promise<void>
  discard: (source: string) => void
}

/** What has another name is the operator's, who may keep databases there. */
const ownName = /^[\da-f]{16}\.(?:json|table|new)(?:\.\w+)*$/

/** @param sources what else was kept in the folder belongs to none, and is removed */
export function openKeptTables(folder: string, sources: readonly string[]): KeptTables {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // Addresses are not written down: they may hold the key of an account.
  const nameOf = (source: string) => hash('sha256', source).slice(0, 16)
  const pathOf = (source: string, ending: string) => join(folder, `${nameOf(source)}.${ending}`)
  const wanted = new Set(sources.flatMap((source) => [`${nameOf(source)}.table`, `${nameOf(source)}.json`]))
  for (const file of readdirSync(folder)) {
    if (ownName.test(file) && !wanted.has(file)) rmSync(join(folder, file), { recursive: true, force: true })
  }
  const save: KeptTables['save'] = async (source, state) => {
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
        const state = JSON.parse(readFileSync(pathOf(source, 'json'), 'utf8')) as KeptState
        return { state, file: openCompact(pathOf(source, 'table')) }
      } catch {
        return undefined
      }
    },
    async take(source, state) {
      // What cannot be opened does not take the place of what can.
      const file = openCompact(pathOf(source, 'new.table'), undefined, pathOf(source, 'table'))
      try {
        await rename(pathOf(source, 'new.table'), pathOf(source, 'table'))
        await save(source, state)
        return { state, file }
      } catch (error) {
        file.close()
        throw error
      }
    },
    save,
    discard(source) {
      for (const ending of ['new', 'new.mmdb', 'new.table', 'new.table.tmp']) {
        rmSync(pathOf(source, ending), { recursive: true, force: true })
      }
    },
  }
}
