import type { Query } from '../../db/postgres/session.ts'
import type { AudienceSums } from '../statistics/quarter-hours.ts'
import type {
  LinkQuery,
  LinkRows,
  ManyRows,
  CountsQuery,
  RowQueries,
  Sources,
  TotalsRow,
} from '../statistics/row-queries.ts'
import { createValueSums } from '../statistics/value-sums.ts'
import { openPages } from './pages.ts'
import {
  BEHIND,
  EXCESS,
  selectEdges,
  selectExcess,
  selectBehind,
  selectRollups,
  type Select,
  selectSlots,
  selectSources,
  SLOTS,
  SOURCES,
  union,
  VALUES,
} from './selects.ts'
import { createParameters, type Bind } from './sql.ts'
import { createTexts } from './texts.ts'

/** A row of a statement of statistics: its kind says what its columns are. */
interface CountsRow {
  kind: number
  a: number
  b: number
  c: number
  d: number
  e: number
  f: number
}

const NONE: TotalsRow = { humans: 0, bots: 0, human_firsts: 0, bot_firsts: 0, qr: 0, last_at: undefined }
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
      return linkIds.map((linkId) => byLink.get(linkId) ?? NONE)
    },
    async ofLink(linkId, asked) {
      const { bind, values } = createParameters()
      const selects = [...selectLink(bind, linkId, asked), selectBehind(bind, folder)]
      return collectLink(await query<CountsRow>(union(selects), values), asked)
    },
    async ofLinks(linkIds, asked) {
      const { bind, values } = createParameters()
      const { audience, slots, parts } = asked
      const selects = [
        selectSlots(bind, linkIds, slots),
        selectSources(bind, linkIds, audience, parts),
        selectBehind(bind, folder),
      ]
      return collectMany(await query<CountsRow>(union(selects), values), linkIds, asked)
    },
    ...openPages(query),
    texts: createTexts(query),
  }
}

function selectLink(bind: Bind, linkId: number, { audience, slots, parts, previous }: LinkQuery): Select[] {
  return [
    selectSlots(bind, [linkId], slots),
    selectRollups(bind, linkId, audience, parts),
    ...selectEdges(bind, linkId, audience, parts),
    ...selectExcess(bind, linkId, audience, parts),
    ...(previous === undefined ? [] : [selectSources(bind, [linkId], audience, previous)]),
  ]
}

function collectLink(rows: CountsRow[], { slots, previous }: LinkQuery): LinkRows {
  const sums = slots.map(() => NO_SCANS)
  const values = createValueSums()
  let [sources, behindMs] = [NO_SOURCES, 0]
  for (const row of rows) {
    if (row.kind === VALUES) values.add(row.a, row.b, row.c, row.d)
    else if (row.kind === EXCESS) values.subtract(row.a, row.b, row.c, row.d, row.e === 1)
    else if (row.kind === SLOTS) sums[row.b - 1] = sumsOf(row)
    else if (row.kind === SOURCES) sources = sourcesOf(row)
    else behindMs = row.a
  }
  return { slots: sums, values, previous: previous && sources, behindMs }
}

function collectMany(rows: CountsRow[], linkIds: number[], { slots }: CountsQuery): ManyRows {
  const byLink = new Map(linkIds.map((id) => [id, { slots: slots.map(() => NO_SCANS), sources: NO_SOURCES }]))
  let behindMs = 0
  for (const row of rows) {
    const link = byLink.get(row.a)
    if (row.kind === BEHIND) behindMs = row.a
    else if (link === undefined) continue
    else if (row.kind === SLOTS) link.slots[row.b - 1] = sumsOf(row)
    else link.sources = sourcesOf(row)
  }
  const links = linkIds.map((id) => byLink.get(id) ?? { slots: [], sources: NO_SOURCES })
  return { links, behindMs }
}

function sumsOf({ c, d, e, f }: CountsRow): AudienceSums {
  return { humans: c, humanFirsts: d, bots: e, botFirsts: f }
}

function sourcesOf({ b: qr, c: all }: CountsRow): Sources {
  return { qr, link: all - qr }
}
