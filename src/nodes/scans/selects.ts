import type { Query } from '../database/session.ts'
import { columnsOf, conditionOf } from '../../scans/statistics/audience-columns.ts'
import type { SlotRange, WeekRange } from '../../scans/statistics/row-queries.ts'
import type { Audience } from '../../scans/statistics/stats-query.ts'
import { dimensionNames, numberOf } from '../../dimensions/dimensions.ts'
import { SLOTS_OF_WEEK } from '../../scans/statistics/heat.ts'
import { SLOTS_OF_HOUR } from '../../scans/statistics/periods.ts'
import type { RowRanges } from '../../scans/statistics/window.ts'
import type { Bind } from './sql.ts'

/** What the columns of a row are. */
export const SLOTS = 0
export const VALUES = 1
export const EXCESS = 2
export const SOURCES = 3
export const BEHIND = 4
export const MISSING = 5
export const RAW = 6
export const HEAT = 7

/** A node that has not folded for so long is gone: nothing says when the rest of its journal will be folded. */
const LIVE_FOR = '1 hour'

/** The columns after the kind. */
const COLUMNS = ['a', 'b', 'c', 'd', 'e', 'f']

/** Selects some of the columns, from the tables, and with the conditions, that follow `from`. */
export interface Select {
  kind: number
  columns: string[]
  from: string
}

/** A row of a statement of statistics: its kind says what its columns are. */
export type UnionRow = [kind: number, a: number, b: number, c: number, d: number, e: number, f: number]

/**
 * Runs selects of different rows as one statement, whose rows are of one moment: PostgreSQL reads them all in one snapshot. It
 * returns them as one text: `pg` needs 15 times as long for the columns of thousands of rows.
 */
export async function readUnion(query: Query, selects: Select[], values: unknown[]): Promise<UnionRow[]> {
  const row = `concat_ws(',', kind, ${COLUMNS.join(', ')})`
  const [result] = await query<{ rows: string }>(
    `select '[' || string_agg(${row}, '],[') || ']' as rows from (${union(selects)}) as rows`,
    values,
  )
  return JSON.parse(`[${result?.rows ?? ''}]`) as UnionRow[]
}

function union(selects: Select[]): string {
  const texts = selects.map(({ kind, columns, from }) => {
    const padded = COLUMNS.map((name, at) => `(${columns[at] ?? '0'})::bigint as ${name}`)
    return `select ${kind} as kind, ${padded.join(', ')} from ${from}`
  })
  return texts.join(' union all ')
}

const sums = ['humans', 'human_firsts', 'bots', 'bot_firsts']

/** Sums of ranges of the quarter-hourly rollup: the link, the number of the range from 1, and the sums. */
export function selectSlots(bind: Bind, linkIds: number[], ranges: SlotRange[]): Select {
  const links = `unnest(${bind(linkIds)}::bigint[]) as link (id)`
  const from = bind(ranges.map(({ fromSlot }) => fromSlot))
  const to = bind(ranges.map(({ toSlot }) => toSlot))
  const range = `unnest(${from}::int[], ${to}::int[]) with ordinality as range (from_slot, to_slot, at)`
  const summed = `select ${sums.map((name) => `sum(${name}) as ${name}`).join(', ')} from quirl_scans.quarter_hourly
    where link_id = link.id and slot >= range.from_slot and slot < range.to_slot`
  return {
    kind: SLOTS,
    columns: ['link.id', 'range.at', ...sums.map((name) => `summed.${name}`)],
    // An index scan for each range, however many slots it has.
    from: `${links} cross join ${range} cross join lateral (${summed}) as summed where summed.humans is not null`,
  }
}

/** Scans of a link by the hour of the week: the hour, and the scans. */
export function selectHeat(bind: Bind, linkId: number, audience: Audience, ranges: WeekRange[]): Select {
  const columns = (['fromSlot', 'toSlot', 'shift'] as const).map(
    (name) => `${bind(ranges.map((range) => range[name]))}::int[]`,
  )
  const { scans } = columnsOf[audience]
  return {
    kind: HEAT,
    columns: ['hour', 'scans'],
    from: `(select (slot + shift) % ${SLOTS_OF_WEEK} / ${SLOTS_OF_HOUR} as hour, sum(${scans}) as scans
      from unnest(${columns.join()}) as range (from_slot, to_slot, shift) join quirl_scans.quarter_hourly
      on link_id = ${bind(linkId)}::bigint and slot >= from_slot and slot < to_slot group by hour) as heat`,
  }
}

/** Counts of the rollups by dimension and value: dimension, value, scans, first-of-day scans. */
export function selectRollups(bind: Bind, linkId: number, audience: Audience, { months, days }: RowRanges): Select {
  const { scans, firsts } = columnsOf[audience]
  const rollup = (table: string, periods: string) =>
    `select dimension, value, ${scans} as scans, ${firsts} as firsts from quirl_scans.${table}
     where link_id = ${link} and period = any(${periods}::int[])`
  const link = `${bind(linkId)}::bigint`
  const rows = `${rollup('monthly', bind(periodsOf(months)))} union all ${rollup('daily', bind(periodsOf(days)))}`
  return {
    kind: VALUES,
    columns: ['dimension', 'value', 'sum(scans)', 'sum(firsts)'],
    from: `(${rows}) as rollups group by dimension, value`,
  }
}

/** What `grouping` returns for the groups of each dimension: a bit for each other one. */
const masks = dimensionNames.map((_, at) => (1 << dimensionNames.length) - 1 - (1 << (dimensionNames.length - 1 - at)))
const dimensionOf = `array_position(array[${masks.join()}], grouping(${dimensionNames.join()})) - 1`
const sets = dimensionNames.map((name) => `(${name})`).join()

/** Counts raw scans by dimension and value, all dimensions in one pass over the rows. */
function countScans(bind: Bind, linkId: number, audience: Audience, [from, to]: [from: number, to: number]): string {
  const isInRange = `link_id = ${bind(linkId)}::bigint and at >= ${bind(from)}::bigint and at < ${bind(to)}::bigint`
  return `select ${dimensionOf} as dimension, coalesce(${dimensionNames.join()}) as value, count(*) as scans, sum(first) as firsts
    from quirl_scans.scans where ${isInRange} ${conditionOf[audience]} group by grouping sets (${sets})`
}

/** The same columns of the raw scans at the edges of a window. */
export function selectEdges(bind: Bind, linkId: number, audience: Audience, { raw }: RowRanges): Select[] {
  return raw.map((range) => ({
    kind: VALUES,
    columns: ['dimension', 'value', 'scans', 'firsts'],
    from: `(${countScans(bind, linkId, audience, range)}) as edge`,
  }))
}

/** The same columns of the raw scans that days have in excess, and what the value's row in the rollup of the day has. */
export function selectExcess(bind: Bind, linkId: number, audience: Audience, { excess }: RowRanges): Select[] {
  const { scans, firsts } = columnsOf[audience]
  const row = `select dimension, value, ${scans} as scans, ${firsts} as firsts from quirl_scans.daily`
  const counted = ['coalesce(counted.scans, 0)', 'coalesce(counted.firsts, 0)']
  return excess.map(({ day, from, to }) => ({
    kind: EXCESS,
    columns: ['excess.dimension', 'excess.value', 'excess.scans', 'excess.firsts', ...counted],
    from: `(${countScans(bind, linkId, audience, [from, to])}) as excess
      left join (${row} where link_id = ${bind(linkId)}::bigint and period = ${bind(day)}::int) as counted
      using (dimension, value)`,
  }))
}

/** Scans of links by source: the link, those of the QR image, all, and which of several windows it is. */
export function selectSources(
  bind: Bind,
  linkIds: number[],
  audience: Audience,
  rowRanges: RowRanges,
  window = 0,
): Select {
  const links = `${bind(linkIds)}::bigint[]`
  const { scans } = columnsOf[audience]
  const rollup = (table: string, ranges: RowRanges['days']) =>
    `select link_id, value, ${scans} as scans from quirl_scans.${table}
     where link_id = any(${links}) and period = any(${bind(periodsOf(ranges))}::int[]) and dimension = ${numberOf('source')}`
  const edge = (sign: 1 | -1, from: number, to: number) =>
    `select link_id, source, ${sign} * count(*) from quirl_scans.scans where link_id = any(${links})
     and at >= ${bind(from)}::bigint and at < ${bind(to)}::bigint ${conditionOf[audience]} group by link_id, source`
  const rows = [
    rollup('monthly', rowRanges.months),
    rollup('daily', rowRanges.days),
    ...rowRanges.raw.map(([from, to]) => edge(1, from, to)),
    ...rowRanges.excess.map(({ from, to }) => edge(-1, from, to)),
  ]
  const qr = `(select id from quirl_scans.dictionary where text = 'qr')`
  return {
    kind: SOURCES,
    columns: ['link_id', `coalesce(sum(scans) filter (where value = ${qr}), 0)`, 'sum(scans)', String(window)],
    from: `(${rows.join(' union all ')}) as sources group by link_id`,
  }
}

/** How many scans of a link and range are counted and have no row. */
export function selectMissing(bind: Bind, linkId: number, { fromSlot, toSlot }: SlotRange): Select {
  const sum = `select sum(humans + bots) from quirl_scans.raw_missing
    where link_id = ${bind(linkId)}::bigint and slot >= ${bind(fromSlot)}::int and slot < ${bind(toSlot)}::int`
  return { kind: MISSING, columns: [`coalesce((${sum}), 0)`], from: '(values (0)) as one' }
}

/** How many scans of links have a row in some ranges. */
export function selectRaw(bind: Bind, linkIds: number[], ranges: SlotRange[]): Select {
  const links = `${bind(linkIds)}::bigint[]`
  const from = bind(ranges.map(({ fromSlot }) => fromSlot))
  const to = bind(ranges.map(({ toSlot }) => toSlot))
  const sumOf = (table: string) =>
    `coalesce((select sum(humans + bots) from quirl_scans.${table}
     where link_id = any(${links}) and slot >= from_slot and slot < to_slot), 0)`
  return {
    kind: RAW,
    columns: [`coalesce(sum(${sumOf('quarter_hourly')} - ${sumOf('raw_missing')}), 0)`],
    from: `unnest(${from}::int[], ${to}::int[]) as range (from_slot, to_slot)`,
  }
}

/** How far the fold of another node is behind, in milliseconds by the clock of PostgreSQL; of nodes that have folded lately. */
export function selectBehind(bind: Bind, folder: string): Select {
  const behind = `select max(extract(epoch from clock_timestamp() - folded_until)) * 1000 from quirl_scans.folds
    where folder <> ${bind(folder)} and folded_until > clock_timestamp() - interval '${LIVE_FOR}'`
  return { kind: BEHIND, columns: [`coalesce((${behind}), 0)`], from: '(values (0)) as one' }
}

function periodsOf(ranges: [from: number, to: number][]): number[] {
  return ranges.flatMap(([from, to]) => Array.from({ length: to - from + 1 }, (_, at) => from + at))
}
