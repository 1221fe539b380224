import type { FastifyRequest } from 'fastify'
import type { DimensionName } from '../../../dimensions/dimensions.ts'
import { whileConnected } from '../../../http/client-disconnect.ts'
import { waiterOf } from '../../../scans/api/routes.ts'
import type { Scans } from '../../../scans/open.ts'
import type { Slots } from '../../../limits/slots.ts'

/** Rows of a page of scans, and pages that are read at most: the page shows the last few of some thousand. */
const ROWS = 500
const MOST_PAGES = 4
/** How many are shown. */
const SHOWN = 3

/** A scan, as the page shows it: `scanned_at` in ISO 8601, each value as statistics name it. */
export type Arrival = { scanned_at: string; bot: boolean } & Record<DimensionName, string | null>

/** What reads the scans of a link. */
export interface ArrivalSources {
  scans: Pick<Scans, 'foldedAsOf' | 'page'>
  slots: Pick<Slots, 'stats'>
}

/** Which scans have arrived: those of people after a time, in milliseconds since 1970, that fit. */
export interface Awaited {
  since: number
  fits: (scan: Arrival) => boolean
}

/**
 * Reads the latest scans of a link since a time, newest first.
 * @throws {Problem} 503 when no slot is free
 */
export async function readArrivals(
  { scans, slots }: ArrivalSources,
  request: Pick<FastifyRequest, 'raw'>,
  linkId: number,
  { since, fits }: Awaited,
): Promise<Arrival[]> {
  const slot = slots.stats(request, linkId)
  try {
    await scans.foldedAsOf()
    return await whileConnected(request, async (disconnected) => {
      const who = waiterOf(slot, disconnected)
      const found: Arrival[] = []
      let after: readonly number[] | undefined = [since, -1]
      for (let pages = 0; after !== undefined && pages < MOST_PAGES; pages++) {
        const { text, next } = await scans.page(who, { name: 'scansNdjson', linkId }, after, ROWS)
        found.push(...linesOf(text).filter((scan) => !scan.bot && fits(scan)))
        after = next
      }
      return found.slice(-SHOWN).toReversed()
    })
  } finally {
    slot.release()
  }
}

function linesOf(text: string): Arrival[] {
  const lines = text.split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as Arrival)
}
