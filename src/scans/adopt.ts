import { join } from 'node:path'
import { openToRead } from '../db/copy.ts'
import type { LinksInstance } from '../links/instance.ts'
import { findMismatch, readScans, unusable } from './belonging.ts'
import { readJournalFile } from './journal-file.ts'
import { journalsIn } from './journal.ts'
import { linkIdsAfter } from './purge.ts'
import { openWarehouse } from './warehouse.ts'

/** Links of one question. */
const PAGE = 1_000

/** How the scans of a folder fit the links of a store. */
export interface Fit {
  /** Why the service does not start on them; undefined when it does. */
  fault: string | undefined
  /** How many links that have folded scans are or were links of the store. */
  known: number
  /** Those that neither are nor were, and have scans. */
  unknown: number[]
}

/**
 * Looks through all scans of a folder that no service runs on; nothing is changed.
 * @throws {StartError} when they cannot be read
 */
export async function inspectScans(dataDir: string, links: LinksInstance): Promise<Fit> {
  const file = join(dataDir, 'scans.db')
  const scans = readScans(file)
  const fault = scans && (await findMismatch(scans, links))
  const unknown = new Set<number>()
  let known = 0
  const look = async (ids: number[]) => {
    const found = await links.known(ids)
    for (const id of ids) if (!found.has(id)) unknown.add(id)
    return found.size
  }
  if (scans !== undefined && scans.sample.length > 0) {
    for (const ids of pagesOf(file)) known += await look(ids)
  }
  const journalled = [...journalledLinks(join(dataDir, 'journal'))]
  for (let at = 0; at < journalled.length; at += PAGE) await look(journalled.slice(at, at + PAGE))
  // The newest link may have no scans.
  if (scans?.newest !== undefined) await look([scans.newest])
  return { fault, known, unknown: [...unknown] }
}

/**
 * Notes that the scans of a folder are of the links of a store.
 * @throws {StartError} when `scans.db` cannot be written
 */
export function takeOver(dataDir: string, instance: string): void {
  const file = join(dataDir, 'scans.db')
  try {
    const warehouse = openWarehouse(file)
    try {
      warehouse.belongTo(instance)
    } finally {
      warehouse.close()
    }
  } catch (error) {
    throw unusable(file, error as Error)
  }
}

function* pagesOf(file: string): Generator<number[]> {
  const db = openToRead(file)
  try {
    for (let ids = linkIdsAfter({ db }, 0, PAGE); ids.length > 0; ids = linkIdsAfter({ db }, ids.at(-1) ?? 0, PAGE)) {
      yield ids
    }
  } finally {
    db.close()
  }
}

/** The links whose scans are not folded yet; of what cannot be read, none. */
function journalledLinks(folder: string): Set<number> {
  const ids = new Set<number>()
  const gather = (file: string) => {
    for (const { scans } of readJournalFile(file, 0)) for (const { linkId } of scans) ids.add(linkId)
  }
  for (const name of journalsIn(folder)) {
    try {
      gather(join(folder, name))
    } catch {
      // Such a file is kept and not folded either.
    }
  }
  return ids
}
