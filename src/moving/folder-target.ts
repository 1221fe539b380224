import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { lockFolder } from '../db/lock.ts'
import { MOVED, MOVING, requireRestored } from '../db/open.ts'
import { openSqlite } from '../db/sqlite/database.ts'
import { StartError } from '../lib/start-error.ts'
import { syncPath } from '../lib/sync-path.ts'
import { assignScans } from '../scans/sqlite/adopt.ts'
import { openSqliteWarehouse } from '../scans/sqlite/warehouse.ts'
import type { Source } from './source.ts'
import { openSqliteStore } from './sqlite-store.ts'
import type { Target } from './target.ts'

/** The file with the id of the store that is copied, and the one that says that all of it is there. */
const INSTANCE = 'instance'
const COMPLETE = 'complete'
const files = ['scans.db', 'links.db']

/**
 * Opens a data folder for a copy of the store with this id: one without a store, or one that has a part of this copy.
 * A node on PostgreSQL may be using the folder for everything else.
 */
export async function openFolderTarget(
  dataDir: string,
  { instance }: Pick<Source, 'instance'>,
  now: () => number,
): Promise<Target> {
  const folder = join(dataDir, MOVING)
  requireRestored(dataDir)
  requireNoStore(dataDir)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const lock = lockFolder(folder)
  try {
    claim(folder, instance)
    const [scans, links] = files.map((name) => join(folder, name)) as [string, string]
    await (await openSqlite(links, now)).close()
    openSqliteWarehouse(scans).close()
    const store = openSqliteStore({ links, scans }, true)
    return {
      store,
      // The system holds its lock until this process ends.
      lost: new AbortController().signal,
      async finish() {
        // The last connection to be closed writes the log into the file.
        await store.close()
        assignScans(folder, instance)
        for (const name of files) syncPath(join(folder, name))
        writeFileSync(join(folder, COMPLETE), '', { mode: 0o600, flush: true })
        syncPath(folder)
        publish(dataDir)
      },
      close: async () => lock.release(),
    }
  } catch (error) {
    lock.release()
    throw error
  }
}

function requireNoStore(dataDir: string): void {
  const found = [...files, MOVED].find((name) => existsSync(join(dataDir, name)))
  if (found === undefined) return
  throw new StartError(`DATA_DIR=${dataDir} has a ${found} already: move it away, or name another folder`)
}

function claim(folder: string, instance: string): void {
  const file = join(folder, INSTANCE)
  if (!existsSync(file)) writeFileSync(file, instance, { mode: 0o600, flush: true })
  if (readFileSync(file, 'utf8') !== instance)
    throw new StartError(`${folder} has an unfinished copy of another store: remove it, or name another folder`)
}

/** Whether a move into a folder was interrupted at its very end, when all was there. */
export function isComplete(dataDir: string): boolean {
  return existsSync(join(dataDir, MOVING, COMPLETE))
}

/** Moves complete files to their places. The links are last: without them a folder with scans is refused. */
export function publish(dataDir: string): void {
  const folder = join(dataDir, MOVING)
  for (const name of files) if (existsSync(join(folder, name))) renameSync(join(folder, name), join(dataDir, name))
  syncPath(dataDir)
  rmSync(folder, { recursive: true })
  syncPath(dataDir)
}
