import { statSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../../lib/start-error.ts'
import type { LinksInstance } from '../../links/instance.ts'
import { readScansIdentity, type ScansIdentity } from './identity.ts'
import { isSqliteUnavailable, resultCode } from '../../db/sqlite/errors.ts'
import { journalsIn } from '../journal/journal-files.ts'

/** More unknown links than this, and more than one in ten of those with scans, cannot come from crashes and power loss. */
const MANY = 10
const ONE_IN = 10

/**
 * Checks whether scans belong to a store of links. Scans may be older than their links: ids are never reused, and the
 * store knows links that were deleted since.
 * @returns why they belong to another store, or to a newer copy; undefined when they match
 */
export async function findMismatch(scans: ScansIdentity, links: LinksInstance): Promise<string | undefined> {
  if (scans.instance !== undefined && scans.instance !== (await links.id())) {
    return 'its scans belong to another links.db'
  }
  const { newest, sample } = scans
  if (newest !== undefined && !(await links.known([newest])).has(newest)) {
    return 'it is newer: it has links that links.db does not know'
  }
  const known = await links.known(sample)
  const unknown = sample.filter((id) => !known.has(id)).length
  if (unknown <= MANY || unknown * ONE_IN <= sample.length) return undefined
  return `links.db does not know ${unknown} of ${sample.length} links that have scans`
}

/**
 * Requires `links.db` in a folder that has scans: without it, every scan would belong to an unknown link. To be called
 * before `links.db` is created, which is the first file of a new folder.
 * @throws {StartError} when it is missing
 */
export function requireLinks(dataDir: string): void {
  const exists = (name: string) => (statSync(join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0) > 0
  if (exists('links.db') || !(exists('scans.db') || journalsIn(join(dataDir, 'journal')).length > 0)) return
  throw new StartError(
    `DATA_DIR=${dataDir} holds scans but no links.db: restore links.db, move everything away and "quirl restore" a backup, or move scans.db and journal away to start without scans`,
  )
}

/**
 * Requires that `scans.db` matches the links, without changing it.
 * @returns whether it exists
 * @throws {StartError} when it does not match, or cannot be read
 */
export async function requireMatchingScans(dataDir: string, links: LinksInstance): Promise<boolean> {
  const scans = readScans(join(dataDir, 'scans.db'))
  const mismatch = scans && (await findMismatch(scans, links))
  if (mismatch === undefined) return scans !== undefined
  throw new StartError(
    `scans.db does not match links.db in DATA_DIR=${dataDir} (${mismatch}): restore two files that belong together, or see what "quirl adopt" would give up`,
  )
}

/** @throws {StartError} when the file is not a database */
export function readScans(file: string): ScansIdentity | undefined {
  try {
    return readScansIdentity(file)
  } catch (error) {
    throw unusable(file, error as Error)
  }
}

/** The error for a `scans.db` that cannot be used. Only one that SQLite has read and refuses is to be replaced. */
export function unusable(file: string, error: Error): StartError {
  const isRefused = resultCode(error) !== undefined && !isSqliteUnavailable(error)
  const advice = ': replace it with the scans.db of a backup, or move it away to start the statistics anew'
  return new StartError(`${file} cannot be used (${error.message})${isRefused ? advice : ''}`, { cause: error })
}
