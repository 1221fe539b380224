import { sendScansOf, type CollectionExportNeeds } from '../collections/export-routes.ts'
import type { LinkCount } from '../collections/breakdowns.ts'
import { readStatsOf, type CollectionStatsNeeds, type CollectionStatsParameters } from '../collections/stats-routes.ts'
import type { Database } from '../db/database.ts'
import { invalidRequest } from '../http/problem.ts'
import type { ManageRequest } from '../links/api/owner-routes.ts'
import { codeKey } from '../links/code.ts'
import type { Link } from '../links/link.ts'
import { linksOfCodes } from '../links/look-up.ts'
import { readInParts, type PartBounds } from '../lib/read-in-parts.ts'
import type { ReadableLinks } from '../scans/access.ts'
import { shownDestinations, type SharedLinks } from './open.ts'

/** What the statistics and exports of shared links need of the rest of the program. */
export type SharedLinksNeeds = CollectionStatsNeeds & CollectionExportNeeds & { db: Pick<Database, 'read'> }

/** Of how many links the statistics say where they lead: those with most scans. */
const MAX_DESTINATIONS = 100
/** Characters of these in all: a page of links may have 200,000. */
const MAX_CHARACTERS = 256 * 1024
/** Links that one statement reads, for which visits wait. */
const PART: PartBounds = { rows: 20, characters: 512 * 1024 }

/** The links of a share, which answer for themselves. */
export function readableLinks(needs: SharedLinksNeeds, shared: SharedLinks): ReadableLinks {
  return {
    readStats: (request) => readSharedStats(needs, request, shared, request.query as CollectionStatsParameters),
    async sendScans(request, reply, ending) {
      const { campaign } = request.query as Pick<CollectionStatsParameters, 'campaign'>
      return sendScansOf(needs, request, reply, {
        collection: shared.collection,
        campaign: campaignIn(shared, campaign),
        ending,
      })
    },
  }
}

/**
 * Reads the statistics of shared links, with where they lead if the share includes that.
 * @throws {Problem} 400 for an invalid parameter, 503 when no slot is free
 */
export async function readSharedStats(
  needs: SharedLinksNeeds,
  request: Pick<ManageRequest, 'raw'>,
  shared: SharedLinks,
  { campaign: asked, ...parameters }: CollectionStatsParameters,
) {
  const campaign = campaignIn(shared, asked)
  const stats = await readStatsOf(needs, request, shared.collection, {
    ...parameters,
    ...(campaign !== undefined && { campaign }),
  })
  if (!shared.destination) return stats
  const turn = () => needs.turnToRender(request)
  const link = await withDestinations({ db: needs.db, turn }, stats.breakdowns.link)
  return { ...stats, breakdowns: { ...stats.breakdowns, link } }
}

/** @throws {Problem} 400 when another campaign is asked for than the share has */
function campaignIn({ campaign }: SharedLinks, asked: string | undefined): string | undefined {
  if (campaign === null) return asked
  if (asked === undefined || asked === campaign) return campaign
  throw invalidRequest([{ pointer: '/campaign', detail: 'must be absent: the share has the links of one campaign' }])
}

/** How links are read. */
interface Reading extends Pick<SharedLinksNeeds, 'db'> {
  /** Waits until the next links may be read. */
  turn: () => Promise<void>
}

async function withDestinations(reading: Reading, counts: LinkCount[]) {
  const codes = counts.slice(0, MAX_DESTINATIONS).map(({ code }) => codeKey(code))
  const found = await readDestinations(reading, codes)
  return counts.map((count): LinkCount & { destinations?: string[] } => {
    const destinations = found.get(codeKey(count.code))
    return destinations === undefined ? count : { ...count, destinations }
  })
}

/** Where the links of these codes lead, as far as there is room. */
async function readDestinations({ db, turn }: Reading, codes: string[]): Promise<Map<string, string[]>> {
  const read = async (some: string[]) => {
    await turn()
    return [...(await linksOfCodes({ db }, some)).values()]
  }
  const found = new Map<string, string[]>()
  let room = MAX_CHARACTERS
  for await (const links of readInParts(codes, read, charactersOf, PART)) {
    for (const link of links) {
      const destinations = shownDestinations(link)
      const characters = destinations?.reduce((sum, { length }) => sum + length, 0) ?? 0
      if (destinations === undefined || characters > room) continue
      room -= characters
      found.set(codeKey(link.code), destinations)
    }
  }
  return found
}

const charactersOf = (link: Link) => JSON.stringify(link).length
