import { join } from 'node:path'
import { openToRead } from '../../db/sqlite/copy.ts'
import type { LinksInstance } from '../../links/instance.ts'
import { findMismatch, readScans, unusable } from './instance-check.ts'
import { readJournalFile } from '../journal/journal-file.ts'
import { journalsIn } from '../journal/journal-files.ts'
import { linkIdsAfter } from './purge.ts'
import { openSqliteWarehouse } from './warehouse.ts'

/** Links of one query. */
const PAGE = 1_000

/** How the scans of a folder match the links of a store. */
export interface Inspection {
  /** Why the service refuses to start on them; undefined when it starts. */
  mismatch: string | undefined
  /** The number of links with folded scans that are, or were, links of the store. */
  known: number
  /** The links with scans that are not, and never were. */
  unknown: number[]
}

/**
 * Inspects all scans of a folder on which no service runs, without changing anything.
 * @throws {StartError} when they cannot be read
 */
export async function inspectScans(dataDir: string, links: LinksInstance): Promise<Inspection> {
  const file = join(dataDir, 'scans.db')
  const scans = readScans(file)
  const mismatch = scans && (await findMismatch(scans, links))
  const unknown = new Set<number>()
  let known = 0
  const check = async (ids: number[]) => {
    const found = await links.known(ids)
    for (const id of ids) if (!found.has(id)) unknown.add(id)
    return found.size
  }
  if (scans !== undefined && scans.sample.length > 0) {
    for (const ids of pagesOf(file)) known += await check(ids)
  }
  const journalled = [...journalledLinks(join(dataDir, 'journal'))]
  for (let at = 0; at < journalled.length; at += PAGE) await check(journalled.slice(at, at + PAGE))
  // The newest link may have no scans.
  if (scans?.newest !== undefined) await check([scans.newest])
  return { mismatch, known, unknown: [...unknown] }
}

/**
 * Records in `scans.db` that its scans belong to a store of links.
 * @throws {StartError} when the file cannot be written
 */
export function assignScans(dataDir: string, instance: string): void {
  const file = join(dataDir, 'scans.db')
  try {
    const warehouse = openSqliteWarehouse(file)
    try {
      warehouse.setInstance(instance)
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

/** The links of scans that are not folded yet, except in unreadable files. */
function journalledLinks(folder: string): Set<number> {
  const ids = new Set<number>()
  const addLinksOf = (file: string) => {
    for (const { scans } of readJournalFile(file, 0)) for (const { linkId } of scans) ids.add(linkId)
  }
  for (const name of journalsIn(folder)) {
    try {
      addLinksOf(join(folder, name))
    } catch {
      // The fold cannot read such a file either, and leaves it.
    }
  }
  return ids
}
