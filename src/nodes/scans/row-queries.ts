import type { Query } from '../database/session.ts'
import type { AudienceSums } from '../../scans/statistics/quarter-hours.ts'
import {
  NO_TOTALS,
  type BriefTotalsRow,
  type LinkQuery,
  type LinkRows,
  type ManyRows,
  type CountsQuery,
  type RawRow,
  type RawSlot,
  type RowQueries,
  type Sources,
  type TotalsRow,
  type PageQueries,
  type ScanRow,
  type SlotRow,
  type ValueRow,
} from '../../scans/statistics/row-queries.ts'
import { HOURS_OF_WEEK } from '../../scans/statistics/heat.ts'
import { createValueSums } from '../../scans/statistics/value-sums.ts'
import {
  BEHIND,
  HEAT,
  MISSING,
  selectHeat,
  selectMissing,
  selectRaw,
  EXCESS,
  readUnion,
  selectEdges,
  selectExcess,
  selectBehind,
  selectRollups,
  type UnionRow,
  type Select,
  selectSlots,
  selectSources,
  SLOTS,
  SOURCES,
  VALUES,
} from './selects.ts'
import { createParameters, type Bind } from './sql.ts'
import { dimensionNames } from '../../dimensions/dimensions.ts'
import { setImmediate as yieldToEventLoop } from 'node:timers/promises'
import { startOfSlot } from '../../scans/calendar.ts'
import { BOT, FIRST } from '../../scans/statistics/filtered/block.ts'
import { createBoundedCache } from '../../lib/bounded-cache.ts'
import { UNKNOWN } from '../../scans/text-ids.ts'

const NO_SCANS: AudienceSums = { humans: 0, humanFirsts: 0, bots: 0, botFirsts: 0 }
const NO_SOURCES: Sources = { qr: 0, link: 0 }
const counts = 'humans, human_firsts, bots, bot_firsts'
/** Texts in the cache; each has 100 characters at most. */
const CACHED = 20_000

/**
 * Reads the rows in PostgreSQL: what statistics need in one statement, and texts that are not cached in a second one. Statements
 * have no names, so that a pooler may run each on another connection.
 * @param folder the id of this node's journal folder
 */
export function openRowQueries(query: Query, folder: string): RowQueries {
  /** The number that a statement of one row has; 0 without one. */
  const readNumber = async (selectOf: (bind: Bind) => Select) => {
    const { bind, values } = createParameters()
    const [row] = await readUnion(query, [selectOf(bind)], values)
    return row?.[1] ?? 0
  }
  return {
    async totals(linkIds) {
      const rows = await query<TotalsRow & { link_id: number }>(
        'select * from quirl_scans.totals where link_id = any($1::bigint[])',
        [linkIds],
      )
      const byLink = new Map(rows.map((row) => [row.link_id, row]))
      return linkIds.map((linkId) => byLink.get(linkId) ?? NO_TOTALS)
    },
    async briefTotals(linkIds) {
      // As one text, of which `pg` need not read each column.
      const [row] = await query<{ rows: BriefTotalsRow[] | null }>(
        `select json_agg(json_build_array(link_id, humans + bots, humans, last_at)) as rows
         from quirl_scans.totals where link_id = any($1::bigint[]) and humans + bots > 0`,
        [linkIds],
      )
      return row?.rows ?? []
    },
    behindMs: () => readNumber((bind) => selectBehind(bind, folder)),
    missing: (linkId) => readNumber((bind) => selectMissing(bind, linkId, EVER)),
    rawScans: (linkIds, ranges) => readNumber((bind) => selectRaw(bind, linkIds, ranges)),
    async ofLink(linkId, asked) {
      const { bind, values } = createParameters()
      const selects = [...selectLink(bind, linkId, asked), selectBehind(bind, folder)]
      return collectLink(await readUnion(query, selects, values), asked)
    },
    async ofLinks(linkIds, asked) {
      const { bind, values } = createParameters()
      const { audience, slots, rowRanges } = asked
      const selects = [
        selectSlots(bind, linkIds, slots),
        selectSources(bind, linkIds, audience, rowRanges),
        selectBehind(bind, folder),
      ]
      return collectMany(await readUnion(query, selects, values), linkIds, asked)
    },
    ...openRaw(query),
    pause: () => yieldToEventLoop(),
    ...openPages(query),
    texts: createTexts(query),
  }
}

const EVER = { fromSlot: 0, toSlot: 2 ** 31 - 1 }

function selectLink(
  bind: Bind,
  linkId: number,
  { audience, slots, rowRanges, earlier, heat, window }: LinkQuery,
): Select[] {
  return [
    selectSlots(bind, [linkId], slots),
    selectMissing(bind, linkId, window),
    selectRollups(bind, linkId, audience, rowRanges),
    ...selectEdges(bind, linkId, audience, rowRanges),
    ...selectExcess(bind, linkId, audience, rowRanges),
    ...earlier.map((each, at) => selectSources(bind, [linkId], audience, each, at)),
    ...(heat.length === 0 ? [] : [selectHeat(bind, linkId, audience, heat)]),
  ]
}

function collectLink(rows: UnionRow[], { slots, earlier }: LinkQuery): LinkRows {
  const sums = slots.map(() => NO_SCANS)
  const values = createValueSums()
  const heat = Array.from({ length: HOURS_OF_WEEK }, () => 0)
  const sources = earlier.map(() => NO_SOURCES)
  let [behindMs, missing] = [0, 0]
  for (const row of rows) {
    const [kind, a, b, c, d, e, f] = row
    if (kind === VALUES) values.add(a, b, c, d)
    else if (kind === EXCESS) values.subtract(a, b, c, d, { scans: e, firsts: f })
    else if (kind === SLOTS) sums[b - 1] = sumsOf(row)
    else if (kind === SOURCES) sources[d] = sourcesOf(row)
    else if (kind === HEAT) heat[a] = b
    else if (kind === MISSING) missing = a
    else behindMs = a
  }
  return { slots: sums, values, earlier: sources, heat, missing, behindMs }
}

function collectMany(rows: UnionRow[], linkIds: number[], { slots }: CountsQuery): ManyRows {
  const byLink = new Map(linkIds.map((id) => [id, { slots: slots.map(() => NO_SCANS), sources: NO_SOURCES }]))
  let behindMs = 0
  for (const row of rows) {
    const [kind, a, b] = row
    const link = byLink.get(a)
    if (kind === BEHIND) behindMs = a
    else if (link === undefined) continue
    else if (kind === SLOTS) link.slots[b - 1] = sumsOf(row)
    else link.sources = sourcesOf(row)
  }
  const links = linkIds.map((id) => byLink.get(id) ?? { slots: [], sources: NO_SOURCES })
  return { links, behindMs }
}

function sumsOf([, , , humans, humanFirsts, bots, botFirsts]: UnionRow): AudienceSums {
  return { humans, humanFirsts, bots, botFirsts }
}

function sourcesOf([, , qr, all]: UnionRow): Sources {
  return { qr, link: all - qr }
}

/** Reads pages of the tables of a link. */
function openPages(query: Query): PageQueries {
  return {
    // The second condition, which the first one implies, excludes the partitions of the months before.
    scansAfter: (linkId, [at = 0, n = 0], limit) =>
      query<ScanRow>(
        `select at, n, ${dimensionNames.join()}, first, bot from quirl_scans.scans
         where link_id = $1 and (at, n) > ($2, $3) and at >= $2 order by at, n limit $4`,
        [linkId, at, n, limit],
      ),
    slotsAfter: (linkId, [slot = -1], limit) =>
      query<SlotRow>(
        `select slot, ${counts} from quirl_scans.quarter_hourly where link_id = $1 and slot > $2 order by slot limit $3`,
        [linkId, slot, limit],
      ),
    valuesAfter: (table, linkId, [period = -1, dimension = 0, value = 0], limit) =>
      query<ValueRow>(
        `select period, dimension, value, ${counts} from quirl_scans.${table}
         where link_id = $1 and (period, dimension, value) > ($2, $3, $4) order by period, dimension, value limit $5`,
        [linkId, period, dimension, value, limit],
      ),
  }
}

/** Reads raw scans to be counted with filters: all rows as one text, of which `pg` need not read each column. */
function openRaw(query: Query): Pick<RowQueries, 'rawSlots' | 'rawRows'> {
  const row = `concat_ws(',', at / ${startOfSlot(1)}, first * ${FIRST} + bot * ${BOT}, ${dimensionNames.join()})`
  const missing = 'coalesce(m.humans + m.bots, 0)'
  return {
    async rawSlots(linkId, { fromSlot, toSlot }) {
      const [result] = await query<{ imported: number; slots: RawSlot[] | null }>(
        `select
           coalesce((select position from quirl_scans.imported where link_id = $1), 0) as imported,
           (select json_agg(json_build_array(slot, q.humans + q.bots - ${missing}, ${missing}) order by slot)
            from quirl_scans.quarter_hourly q left join quirl_scans.raw_missing m using (link_id, slot)
            where link_id = $1 and slot >= $2 and slot < $3) as slots`,
        [linkId, fromSlot, toSlot],
      )
      return { imported: result?.imported ?? 0, slots: result?.slots ?? [] }
    },
    async rawRows(linkId, from, to) {
      const [result] = await query<{ rows: string | null }>(
        `select '[' || string_agg(${row}, '],[') || ']' as rows from quirl_scans.scans
         where link_id = $1 and at >= $2 and at < $3`,
        [linkId, from, to],
      )
      return JSON.parse(`[${result?.rows ?? ''}]`) as RawRow[]
    },
  }
}

/** Reads texts of the dictionary, which never change, and caches them. */
function createTexts(query: Query): RowQueries['texts'] {
  const cache = createBoundedCache<string>(CACHED)
  return async (ids) => {
    const texts = new Map<number, string | null>([[UNKNOWN, null]])
    const unknown = new Set<number>()
    for (const id of ids) {
      if (texts.has(id) || unknown.has(id)) continue
      const text = cache.get(String(id))
      if (text === undefined) unknown.add(id)
      else texts.set(id, text)
    }
    if (unknown.size > 0) {
      const rows = await query<{ id: number; text: string }>(
        'select id, text from quirl_scans.dictionary where id = any($1::bigint[])',
        [[...unknown]],
      )
      for (const { id, text } of rows) {
        texts.set(id, text)
        cache.set(String(id), text, 1)
      }
    }
    return (id) => texts.get(id) ?? null
  }
}
