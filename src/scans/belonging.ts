import { statSync } from 'node:fs'
import { join } from 'node:path'
import { StartError } from '../lib/start-error.ts'
import type { LinksInstance } from '../links/instance.ts'
import { readScansIdentity, type ScansIdentity } from './identity.ts'
import { journalsIn } from './journal.ts'

/** So many unknown links, and so many of those that have scans (one in), are more than crashes and power losses leave. */
const MANY = 10
const ONE_IN = 10

/**
 * Why scans do not belong to a store of links, or to an older copy of it; undefined when they do. Scans may be older than
 * their links: no number of a link is ever given again, and links that were deleted since are known as deleted.
 */
export async function findMismatch(scans: ScansIdentity, links: LinksInstance): Promise<string | undefined> {
  if (scans.instance !== undefined && scans.instance !== (await links.id())) {
    return 'its scans are of another links.db'
  }
  const { newest, sample } = scans
  if (newest !== undefined && !(await links.known([newest])).has(newest)) {
    return 'it is newer, of links that links.db does not know'
  }
  const known = await links.known(sample)
  const unknown = sample.filter((id) => !known.has(id)).length
  if (unknown <= MANY || unknown * ONE_IN <= sample.length) return undefined
  return `links.db does not know ${unknown} of ${sample.length} links that have scans`
}

/**
 * Makes sure that a folder with scans has links: without them every scan would be one of an unknown link. To be called
 * before `links.db` is made, which comes before everything else in a new folder.
 * @throws {StartError} when it has none
 */
export function requireLinks(dataDir: string): void {
  const isThere = (name: string) => (statSync(join(dataDir, name), { throwIfNoEntry: false })?.size ?? 0) > 0
  if (isThere('links.db') || !(isThere('scans.db') || journalsIn(join(dataDir, 'journal')).length > 0)) return
  throw new StartError(
    `DATA_DIR=${dataDir} holds scans but no links.db: put links.db back, move all of it away and "quirl restore" a backup, or move scans.db and journal away to begin anew`,
  )
}

/**
 * Makes sure that `scans.db` belongs to the links, without changing it.
 * @returns whether there is one
 * @throws {StartError} when it does not, or cannot be read
 */
export async function requireBelonging(dataDir: string, links: LinksInstance): Promise<boolean> {
  const scans = readScans(join(dataDir, 'scans.db'))
  const fault = scans && (await findMismatch(scans, links))
  if (fault === undefined) return scans !== undefined
  throw new StartError(
    `scans.db does not fit links.db in DATA_DIR=${dataDir} (${fault}): put back two that belong together, or see what "quirl adopt" would give up`,
  )
}

/** @throws {StartError} when it is no database */
export function readScans(file: string): ScansIdentity | undefined {
  try {
    return readScansIdentity(file)
  } catch (error) {
    throw unusable(file, error as Error)
  }
}

/** What is said of a `scans.db` that is damaged or locked. */
export function unusable(file: string, { message }: Error): StartError {
  return new StartError(
    `${file} cannot be used (${message}): put the scans.db of a backup in its place, or move it away to begin the statistics anew`,
  )
}
