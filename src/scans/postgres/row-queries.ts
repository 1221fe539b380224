import type { Query } from '../../db/postgres/session.ts'
import type { AudienceSums } from '../statistics/quarter-hours.ts'
import {
  NO_TOTALS,
  type LinkQuery,
  type LinkRows,
  type ManyRows,
  type CountsQuery,
  type RowQueries,
  type Sources,
  type TotalsRow,
} from '../statistics/row-queries.ts'
import { createValueSums } from '../statistics/value-sums.ts'
import { openPages } from './pages.ts'
import {
  BEHIND,
  MISSING,
  selectMissing,
  selectRaw,
  EXCESS,
  readUnion,
  selectEdges,
  selectExcess,
  selectBehind,
  selectRollups,
  type CountsRow,
  type Select,
  selectSlots,
  selectSources,
  SLOTS,
  SOURCES,
  VALUES,
} from './selects.ts'
import { createParameters, type Bind } from './sql.ts'
import { createTexts } from './texts.ts'

const NO_SCANS: AudienceSums = { humans: 0, humanFirsts: 0, bots: 0, botFirsts: 0 }
const NO_SOURCES: Sources = { qr: 0, link: 0 }

/**
 * Reads the rows in PostgreSQL: what statistics need in one statement, and texts that are not cached in a second one. Statements
 * have no names, so that a pooler may run each on another connection.
 * @param folder the id of this node's journal folder
 */
export function openRowQueries(query: Query, folder: string): RowQueries {
  return {
    async totals(linkIds) {
      const rows = await query<TotalsRow & { link_id: number }>(
        'select * from quirl_scans.totals where link_id = any($1::bigint[])',
        [linkIds],
      )
      const byLink = new Map(rows.map((row) => [row.link_id, row]))
      return linkIds.map((linkId) => byLink.get(linkId) ?? NO_TOTALS)
    },
    behindMs: () => readNumber(query, (bind) => selectBehind(bind, folder)),
    missing: (linkId) => readNumber(query, (bind) => selectMissing(bind, linkId, EVER)),
    rawScans: (linkIds, ranges) => readNumber(query, (bind) => selectRaw(bind, linkIds, ranges)),
    async ofLink(linkId, asked) {
      const { bind, values } = createParameters()
      const selects = [...selectLink(bind, linkId, asked), selectBehind(bind, folder)]
      return collectLink(await readUnion(query, selects, values), asked)
    },
    async ofLinks(linkIds, asked) {
      const { bind, values } = createParameters()
      const { audience, slots, parts } = asked
      const selects = [
        selectSlots(bind, linkIds, slots),
        selectSources(bind, linkIds, audience, parts),
        selectBehind(bind, folder),
      ]
      return collectMany(await readUnion(query, selects, values), linkIds, asked)
    },
    ...openPages(query),
    texts: createTexts(query),
  }
}

/** Reads what a statement of one row and column selects. */
async function readNumber(query: Query, select: (bind: Bind) => Select): Promise<number> {
  const { bind, values } = createParameters()
  const [row] = await readUnion(query, [select(bind)], values)
  return row?.[1] ?? 0
}

const EVER = { fromSlot: 0, toSlot: 2 ** 31 - 1 }

function selectLink(bind: Bind, linkId: number, { audience, slots, parts, previous, window }: LinkQuery): Select[] {
  return [
    selectSlots(bind, [linkId], slots),
    selectMissing(bind, linkId, window),
    selectRollups(bind, linkId, audience, parts),
    ...selectEdges(bind, linkId, audience, parts),
    ...selectExcess(bind, linkId, audience, parts),
    ...(previous === undefined ? [] : [selectSources(bind, [linkId], audience, previous)]),
  ]
}

function collectLink(rows: CountsRow[], { slots, previous }: LinkQuery): LinkRows {
  const sums = slots.map(() => NO_SCANS)
  const values = createValueSums()
  let [sources, behindMs, missing] = [NO_SOURCES, 0, 0]
  for (const row of rows) {
    const [kind, a, b, c, d, e, f] = row
    if (kind === VALUES) values.add(a, b, c, d)
    else if (kind === EXCESS) values.subtract(a, b, c, d, { scans: e, firsts: f })
    else if (kind === SLOTS) sums[b - 1] = sumsOf(row)
    else if (kind === SOURCES) sources = sourcesOf(row)
    else if (kind === MISSING) missing = a
    else behindMs = a
  }
  return { slots: sums, values, previous: previous && sources, missing, behindMs }
}

function collectMany(rows: CountsRow[], linkIds: number[], { slots }: CountsQuery): ManyRows {
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

function sumsOf([, , , humans, humanFirsts, bots, botFirsts]: CountsRow): AudienceSums {
  return { humans, humanFirsts, bots, botFirsts }
}

function sourcesOf([, , qr, all]: CountsRow): Sources {
  return { qr, link: all - qr }
}
