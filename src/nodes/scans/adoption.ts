import { readdirSync, type Dirent } from 'node:fs'
import { join } from 'node:path'
import { FolderInUse, lockFolder } from '../../db/lock.ts'
import type { PostgresSession } from '../database/session.ts'
import { union, type FoldResult } from '../../scans/folding/fold.ts'
import type { RawBound } from '../../scans/folding/raw-bound.ts'
import { readFolderId } from '../../scans/journal/journal-folder.ts'
import { foldForeignJournal } from './adopt-journal.ts'
import { silentFolders, type JournalFolder } from './journal-positions.ts'

/** How often a node looks for others that are gone. */
const CHECK_MS = 10_000
/** For how long a node must not have folded: one that restarts folds its own journal. */
const SILENT_SECONDS = 60
/** How many folders of nodes are looked at. */
const MAX_FOLDERS = 1000

/** Folds the journals of nodes that no longer run. */
export interface Adoption {
  /** Adds what was adopted since the last call to the result of a fold. */
  addTo: (result: FoldResult) => FoldResult
  close: () => Promise<void>
}

export interface AdoptionOptions {
  session: PostgresSession
  /** The folder of this node. */
  own: JournalFolder
  /** Holds the DATA_DIR of each node. */
  from: string
  checkMs?: number
  bound?: RawBound
}

/** Looks for nodes that are gone, until it is closed. */
export function startAdoption({ session, own, from, checkMs = CHECK_MS, bound }: AdoptionOptions): Adoption {
  let results: { folder: string; result: FoldResult }[] = []
  let running: Promise<void> | undefined

  async function check(): Promise<void> {
    const silent = new Set(await silentFolders(session.query, SILENT_SECONDS))
    silent.delete(own.id)
    if (silent.size === 0) return
    for (const folder of nodeFolders(from)) {
      const result = silent.has(idOf(folder)) ? await adopt(session, folder, bound) : undefined
      if (result !== undefined) results.push({ folder, result })
    }
  }
  const run = () => {
    running ??= check()
      // The fold of this node reports what is wrong with the store; the next check tries again.
      .catch(() => {})
      .finally(() => (running = undefined))
  }
  run()
  const timer = setInterval(run, checkMs)

  return {
    addTo(result) {
      const taken = results
      results = []
      return taken.reduce(withAdopted, result)
    },
    async close() {
      clearInterval(timer)
      await running
    },
  }
}

function withAdopted(sum: FoldResult, { folder, result }: { folder: string; result: FoldResult }): FoldResult {
  const { moved, onlyCounted, changed, damaged, failed } = result
  return {
    ...sum,
    moved: sum.moved + moved,
    onlyCounted: sum.onlyCounted + onlyCounted,
    changed: union(sum.changed, changed),
    damaged: [...sum.damaged, ...damaged.map((file) => join(folder, 'journal', file))],
    adopted: [...(sum.adopted ?? []), { folder, scans: moved, failed }],
  }
}

/** Folds the journal of a node; undefined while the node runs. */
async function adopt(session: PostgresSession, folder: string, bound?: RawBound): Promise<FoldResult | undefined> {
  let lock: ReturnType<typeof lockFolder>
  try {
    lock = lockFolder(folder)
  } catch (error) {
    if (error instanceof FolderInUse) return undefined
    const failed = [{ file: folder, reason: (error as Error).message }]
    return { moved: 0, onlyCounted: 0, changed: [], damaged: [], lost: 0, failed }
  }
  try {
    return await foldForeignJournal(session, join(folder, 'journal'), bound)
  } finally {
    lock.release()
  }
}

function nodeFolders(from: string): string[] {
  let entries: Dirent[]
  try {
    entries = readdirSync(from, { withFileTypes: true })
  } catch {
    return []
  }
  return entries
    .filter((entry) => entry.isDirectory())
    .slice(0, MAX_FOLDERS)
    .map(({ name }) => join(from, name))
}

/** The id of a node's journal; an empty text when it has none that can be read. */
function idOf(folder: string): string {
  try {
    return readFolderId(join(folder, 'journal')) ?? ''
  } catch {
    return ''
  }
}
