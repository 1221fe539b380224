import type { Warehouse } from './warehouse.ts'
import type { AudienceSums } from '../statistics/quarter-hours.ts'
import { NO_TOTALS, type RowQueries, type SlotRange, type TextOf, type TotalsRow } from '../statistics/row-queries.ts'
import { openPages } from './pages.ts'
import { createSourceReader } from './sources.ts'
import { readValues } from './values.ts'

/** Nobody else folds into this store. */
const BEHIND_MS = 0

/** Reads the rows of the embedded store. Each call does so in one turn of the event loop, so that no fold comes between. */
export function openRowQueries(warehouse: Pick<Warehouse, 'db' | 'dictionary'>): RowQueries {
  const { db, dictionary } = warehouse
  return {
    async totals(linkIds) {
      const read = db.prepare('select * from totals where link_id = ?')
      return linkIds.map((linkId) => (read.get(linkId) as TotalsRow | undefined) ?? NO_TOTALS)
    },
    behindMs: async () => BEHIND_MS,
    missing: async (linkId) => readMissing(warehouse, linkId, EVER),
    async ofLink(linkId, { audience, slots, parts, previous, window }) {
      return {
        slots: readSlots(warehouse, slots)(linkId),
        values: readValues(warehouse, linkId, audience, parts),
        previous: previous && createSourceReader(warehouse, audience, previous)(linkId),
        missing: readMissing(warehouse, linkId, window),
        behindMs: BEHIND_MS,
      }
    },
    async ofLinks(linkIds, { audience, slots, parts }) {
      const slotsOf = readSlots(warehouse, slots)
      const sourcesOf = createSourceReader(warehouse, audience, parts)
      const links = linkIds.map((linkId) => ({ slots: slotsOf(linkId), sources: sourcesOf(linkId) }))
      return { links, behindMs: BEHIND_MS }
    },
    ...openPages(db),
    texts: async () => memoize(dictionary.text),
  }
}

/** Prepares to read ranges of the quarter-hourly rollup, whose borders fit every time zone. */
function readSlots({ db }: Pick<Warehouse, 'db'>, ranges: SlotRange[]): (linkId: number) => AudienceSums[] {
  const read = db.prepare(
    `select total(humans) as humans, total(human_firsts) as humanFirsts, total(bots) as bots, total(bot_firsts) as botFirsts
     from quarter_hourly where link_id = ? and slot >= ? and slot < ?`,
  )
  return (linkId) => ranges.map(({ fromSlot, toSlot }) => read.get(linkId, fromSlot, toSlot) as unknown as AudienceSums)
}

const EVER: SlotRange = { fromSlot: 0, toSlot: 2 ** 31 - 1 }

/** Counts the scans of a range that have no row. */
function readMissing({ db }: Pick<Warehouse, 'db'>, linkId: number, { fromSlot, toSlot }: SlotRange): number {
  const read = db.prepare(
    'select total(humans + bots) as scans from raw_missing where link_id = ? and slot >= ? and slot < ?',
  )
  return (read.get(linkId, fromSlot, toSlot) as { scans: number }).scans
}

/** Reads each text once: a page of the export has few, each many times. */
function memoize(read: TextOf): TextOf {
  const texts = new Map<number, string | null>()
  return (id) => {
    let text = texts.get(id)
    if (text === undefined) texts.set(id, (text = read(id)))
    return text
  }
}
