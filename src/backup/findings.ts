import { join } from 'node:path'
import { pluralize } from '../lib/pluralize.ts'
import { readJournalFile } from '../scans/journal/journal-file.ts'
import { listFolder } from './files.ts'
import { JOURNAL } from './manifest.ts'
import type { CollectionsSummary } from './collections-store.ts'
import type { LinksSummary, ScansSummary } from './store.ts'

/** The result of a check. */
export interface Finding {
  what: string
  isGood: boolean
  text: string
}

export type Result = Omit<Finding, 'what'>

/** Links that a finding lists. */
const MAX_NAMED = 5

export function describeLinks({ links, codes, schema, deleted = 0 }: Omit<LinksSummary, 'instance'>): string {
  const more = deleted === 0 ? '' : `${pluralize(deleted, 'deleted link')} that can be brought back, `
  return `${pluralize(links, 'link')}, ${more}${pluralize(codes, 'code')}, schema ${schema}`
}

export function describeScans({ scans, scanned, rows, schema }: ScansSummary): string {
  const raw = rows === scans ? '' : `, ${count(rows)} of them as raw scans`
  return `${pluralize(scans, 'scan')} of ${pluralize(scanned, 'link')}${raw}, schema ${schema}`
}

/**
 * Reads the scans in the journal of a data folder that are not folded yet.
 * @param positionOf how far a file has been folded, in bytes
 */
export function checkJournal(folder: string, positionOf: (journal: string) => number): Result {
  let [waiting, lost] = [0, 0]
  for (const name of listFolder(join(folder, JOURNAL)) ?? []) {
    if (!name.endsWith('.scans')) continue
    try {
      for (const part of readJournalFile(join(folder, JOURNAL, name), positionOf(name))) {
        waiting += part.scans.length
        lost += part.lost
      }
    } catch (error) {
      // Folded meanwhile.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') continue
      return { isGood: false, text: `${name} cannot be read: ${(error as Error).message}` }
    }
  }
  const text = `${pluralize(waiting, 'scan')} ${waiting === 1 ? 'is' : 'are'} not in the statistics yet`
  return lost === 0 ? { isGood: true, text } : { isGood: false, text: `${text}, ${count(lost)} are damaged` }
}

/** @param orphans links with scans that do not exist and never did */
export function orphansResult(orphans: number[]): Result {
  const text = orphans.length === 0 ? 'none' : `there are scans of ${named(orphans)} that do not exist`
  return { isGood: orphans.length === 0, text }
}

/** @param found undefined where an older version has written the store */
export function collectionsResult(found: CollectionsSummary | undefined): Result {
  if (found === undefined) return { isGood: true, text: 'none yet: written by an older version' }
  const strays = [
    ...(found.strayMembers > 0 ? [`${pluralize(found.strayMembers, 'membership')} of a link or collection`] : []),
    ...(found.strayLooks > 0 ? [`${pluralize(found.strayLooks, 'look')} of a collection`] : []),
    ...(found.strayShares > 0 ? [`${pluralize(found.strayShares, 'share')} of a collection`] : []),
    ...(found.strayEvents > 0 ? [`${pluralize(found.strayEvents, 'event')} of a webhook`] : []),
  ]
  if (strays.length > 0) return { isGood: false, text: `found ${strays.join(', and ')} that does not exist` }
  const { collections, members, looks, shares, webhooks } = found
  const counts = [pluralize(members, 'membership'), pluralize(looks, 'look'), pluralize(shares, 'share')]
  const counted = `${pluralize(collections, 'collection')} with ${counts.join(', ')} and ${pluralize(webhooks, 'webhook')}`
  return { isGood: true, text: counted }
}

/**
 * @param inconsistent links whose counts are
 * @param imported links that have taken rows of a bundle
 */
export function countsResult(inconsistent: number[], imported: number[]): Result {
  if (inconsistent.length === 0)
    return { isGood: true, text: 'the counts of each link are consistent with each other and with its scans' }
  const text = `the counts of ${named(inconsistent)} are inconsistent`
  const fromBundles = new Set(imported)
  const bundled = inconsistent.filter((linkId) => fromBundles.has(linkId))
  if (bundled.length === 0) return { isGood: false, text }
  const repeat = 'if "quirl import --from=quirl" was interrupted, run it again with the same file'
  return { isGood: false, text: `${text}; ${named(bundled)} came from a bundle: ${repeat}` }
}

function named(ids: number[]): string {
  const more = ids.length > MAX_NAMED ? ', …' : ''
  return `${pluralize(ids.length, 'link')} (${ids.slice(0, MAX_NAMED).join(', ')}${more})`
}

export function count(amount: number): string {
  return amount.toLocaleString('en')
}
