import type { LinksInstance } from '../links/instance.ts'
import type { ScansIdentity } from './identity.ts'

/** So many unknown links, and so many of those that have scans (one in), are more than crashes and power losses leave. */
const MANY = 10
const ONE_IN = 10

/**
 * Why scans do not belong to a store of links, or to an older copy of it; undefined when they do. Scans may be older than
 * their links: no number of a link is ever given again, and links that were deleted since are known as deleted.
 */
export async function findMismatch(scans: ScansIdentity, links: LinksInstance): Promise<string | undefined> {
  if (scans.instance !== undefined && scans.instance !== (await links.id())) {
    return 'they are of the links of another links.db'
  }
  const { newest, sample } = scans
  if (newest !== undefined && !(await links.known([newest])).has(newest)) {
    return 'they are of links that links.db does not know, so that it is an older copy'
  }
  const known = await links.known(sample)
  const unknown = sample.filter((id) => !known.has(id)).length
  if (unknown <= MANY || unknown * ONE_IN <= sample.length) return undefined
  return `links.db does not know ${unknown} of ${sample.length} links that have scans`
}
