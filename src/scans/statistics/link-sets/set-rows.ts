import { slotOf, SLOTS_OF_DAY } from '../../calendar.ts'
import { dimensionNames, numberOf } from '../../../dimensions/dimensions.ts'
import { unpackKey } from '../../folding/increments.ts'
import { HOURS_OF_WEEK, SLOTS_OF_WEEK } from '../heat.ts'
import { SLOTS_OF_HOUR } from '../periods.ts'
import type { AudienceSums } from '../quarter-hours.ts'
import type { CountedRows, LinkQuery, LinkRows, RowQueries, SlotRange, Sources, WeekRange } from '../row-queries.ts'
import type { Audience } from '../stats-query.ts'
import { createValueSums, type ValueSums } from '../value-sums.ts'
import type { RowRanges } from '../window.ts'
import { earlierWindows, type Windows } from '../windows.ts'
import { createCountTable } from './count-table.ts'
import { monthOfDay, rangesOf, readDays, readPeriods, readSums, refresh, type SetReading } from './refresh.ts'
import { COUNTS, isPast, MAX_VALUES_OF_SET, periodKey, squeeze, type SetState } from './set-state.ts'

/** Reads of rows, and of the edges of windows, for a set of links. */
export interface SetRowsReading extends SetReading {
  rows: RowQueries
}

/** The counts of a set in the windows of a question. */
export interface SetRows {
  /** As of one link. */
  rows: CountedRows
  /** The scans of each link in the window, and the first ones of a day: two numbers for each, in the order of the links. */
  links: Float64Array
}

/** Ranges of time that are kept for each link, and edges. */
const MAX_SUMS = 6
const MAX_EDGES = 32

/** Reads what a question needs of a set that is not in its state yet. */
export async function readSet(
  reading: SetRowsReading,
  state: SetState,
  ids: number[],
  windows: Windows,
): Promise<SetRows> {
  const all = [windows.rowRanges, ...earlierWindows(windows).map(({ rowRanges }) => rowRanges)]
  const month = monthOfDay(state.since.day)
  const hasMonths = all.some(({ months }) => months.some(([, to]) => to >= month))
  await refresh(reading, state, ids, { now: windows.now, hasMonths })
  const scansOf = (id: number) => {
    const [humans = 0, , bots = 0] = state.members.get(id)?.signature ?? []
    return humans + bots
  }
  await load(reading, state, windows, all, scansOf)
  const links = await sumLinks(reading, state, windows, scansOf)
  return {
    links,
    rows: {
      ofLink: (_, query) => collect(reading, state, query),
      ofLinks: () => Promise.reject(new Error('a set is read as one link')),
      texts: reading.rows.texts,
    },
  }
}

async function load(
  reading: SetReading,
  state: SetState,
  windows: Windows,
  all: RowRanges[],
  scansOf: (id: number) => number,
): Promise<void> {
  const { ids, since } = state
  for (const table of ['daily', 'monthly'] as const) {
    const isMonth = table === 'monthly'
    const ranges = all.flatMap((each) => (isMonth ? each.months : each.days))
    const missing = [...new Set(ranges.flatMap(numbersOf))].filter(
      (period) =>
        isPast(since, isMonth, period, monthOfDay(since.day)) && !state.periods.has(periodKey(isMonth, period)),
    )
    for (const range of rangesOf(table, missing)) await readPeriods(reading, state, ids, range, scansOf)
  }
  const slots = [windows.whole, ...earlierWindows(windows)].map(({ fromSlot, toSlot }): [number, number] => [
    dayOfSlot(fromSlot),
    dayOfSlot(toSlot - 1),
  ])
  const missing = [...new Set(slots.flatMap(numbersOf))].filter((day) => day < since.day && !state.days.has(day))
  for (const { from, to } of rangesOf('daily', missing)) await readDays(reading, state, ids, [from, to], scansOf)
}

const numbersOf = ([from, to]: [number, number]) =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, at) => from + at)
const dayOfSlot = (slot: number) => Math.floor(slot / SLOTS_OF_DAY)

/** Sums the scans of each link in the window. */
async function sumLinks(
  reading: SetReading,
  state: SetState,
  { whole, query: { audience } }: Windows,
  scansOf: (id: number) => number,
): Promise<Float64Array> {
  const { ids, since, members, sums } = state
  const grows = since.day * SLOTS_OF_DAY
  const range = [whole.fromSlot, Math.min(whole.toSlot, grows)] as const
  const past =
    range[0] >= range[1]
      ? new Float64Array(ids.length * COUNTS)
      : await keep(sums, range.join(), MAX_SUMS, () => readSums(reading, ids, [...range], scansOf))
  const links = new Float64Array(ids.length * 2)
  for (const [at, id] of ids.entries()) {
    const counts = [...past.subarray(at * COUNTS, (at + 1) * COUNTS)]
    const { slots } = members.get(id) ?? { slots: new Int32Array(0) }
    for (let row = 0; row < slots.length; row += 1 + COUNTS) {
      const slot = slots[row] ?? 0
      if (slot < whole.fromSlot || slot >= whole.toSlot) continue
      for (let count = 0; count < COUNTS; count++) counts[count] = (counts[count] ?? 0) + (slots[row + 1 + count] ?? 0)
    }
    links.set(heardOf(counts, audience), at * 2)
  }
  return links
}

/** Scans and first ones of an audience. */
function heardOf(
  [humans = 0, humanFirsts = 0, bots = 0, botFirsts = 0]: ArrayLike<number> & Iterable<number>,
  audience: Audience,
): [number, number] {
  if (audience === 'human') return [humans, humanFirsts]
  return audience === 'bot' ? [bots, botFirsts] : [humans + bots, humanFirsts + botFirsts]
}

/** What a map has; else it is made, and the oldest entry goes when there are too many. */
async function keep<T>(map: Map<string, T>, key: string, most: number, make: () => Promise<T>): Promise<T> {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = await make()
  const [oldest] = map.keys()
  if (map.size >= most && oldest !== undefined) map.delete(oldest)
  map.set(key, made)
  return made
}

async function collect(
  reading: SetRowsReading,
  state: SetState,
  { audience, slots, rowRanges, earlier, heat, window }: LinkQuery,
): Promise<LinkRows> {
  const values = sumValues(state, audience, rowRanges)
  for (const [dimension, value, scans, firsts] of await edgesOf(reading, state, audience, rowRanges))
    values.add(dimension, value, scans, firsts)
  const sources: Sources[] = []
  for (const each of earlier) sources.push(await sumSources(reading, state, audience, each))
  return {
    slots: slots.map((range) => sumSlots(state, range)),
    values,
    earlier: sources,
    heat: sumHeat(state, audience, heat),
    missing: await reading.rows.missingOf(state.ids, window.fromSlot, window.toSlot),
    behindMs: await reading.rows.behindMs(),
  }
}

/** Sums what is over, and what is growing, by value. */
function sumValues(
  { periods }: SetState,
  audience: Audience,
  { days, months }: Pick<RowRanges, 'days' | 'months'>,
): ValueSums {
  const keys = [
    ...days.flatMap(numbersOf).map((day) => periodKey(false, day)),
    ...months.flatMap(numbersOf).map((month) => periodKey(true, month)),
  ]
  let table = createCountTable()
  for (const key of keys) {
    periods.get(key)?.forEach(table.add)
    if (table.size() > 2 * MAX_VALUES_OF_SET) table = squeeze(table)
  }
  const values = createValueSums()
  table.forEach((key, ...counts) => {
    const [scans, firsts] = heardOf(counts, audience)
    if (scans !== 0) values.add(...unpackKey(key), scans, firsts)
  })
  return values
}

function sumSlots({ days }: SetState, { fromSlot, toSlot }: SlotRange): AudienceSums {
  const sums: AudienceSums = { humans: 0, humanFirsts: 0, bots: 0, botFirsts: 0 }
  for (let slot = fromSlot; slot < toSlot; slot++) {
    const counts = days.get(dayOfSlot(slot))
    if (counts === undefined) {
      slot = (dayOfSlot(slot) + 1) * SLOTS_OF_DAY - 1
      continue
    }
    const at = (slot % SLOTS_OF_DAY) * COUNTS
    sums.humans += counts[at] ?? 0
    sums.humanFirsts += counts[at + 1] ?? 0
    sums.bots += counts[at + 2] ?? 0
    sums.botFirsts += counts[at + 3] ?? 0
  }
  return sums
}

/** Sums the scans of each hour of the week. */
function sumHeat(state: SetState, audience: Audience, ranges: WeekRange[]): number[] {
  const hours = Array.from({ length: HOURS_OF_WEEK }, () => 0)
  for (const { fromSlot, toSlot, shift } of ranges) {
    for (let slot = fromSlot; slot < toSlot; slot++) {
      const hour = Math.floor(((slot + shift) % SLOTS_OF_WEEK) / SLOTS_OF_HOUR)
      const { humans, bots } = sumSlots(state, { fromSlot: slot, toSlot: slot + 1 })
      hours[hour] = (hours[hour] ?? 0) + heardOf([humans, 0, bots, 0], audience)[0]
    }
  }
  return hours
}

type Edges = Pick<RowRanges, 'raw' | 'excess'>
type EdgeRow = [dimension: number, value: number, scans: number, firsts: number]

/** Whether the edges are over: then they stay what they are. */
const areOver = ({ since }: SetState, { raw, excess }: Edges) =>
  [...raw.map(([, to]) => to), ...excess.map(({ to }) => to)].every((to) => slotOf(to) <= since.day * SLOTS_OF_DAY)

/** Reads what is counted one by one, or what it has in excess, link by link as the statistics of each do. */
async function readEdges<T>(
  reading: SetRowsReading,
  state: SetState,
  kind: string,
  edges: Edges,
  read: (active: number[]) => Promise<T>,
): Promise<T> {
  const { raw, excess } = edges
  const make = async () => read(await activeAt(reading, state.ids, edges))
  const key = JSON.stringify([kind, raw, excess])
  return areOver(state, edges) ? keep(state.edges as Map<string, T>, key, MAX_EDGES, make) : make()
}

/** The links that have scans at edges. */
async function activeAt(reading: SetRowsReading, ids: number[], { raw, excess }: Edges): Promise<number[]> {
  const active = new Set<number>()
  for (const [from, to] of [...raw, ...excess.map((each) => [each.from, each.to] as const)]) {
    reading.spend(ids.length / 5)
    let scans = 0
    for (const [id, humans, , bots] of await reading.rows.sumsOf(ids, slotOf(from), slotOf(to))) {
      scans += humans + bots
      active.add(id)
    }
    reading.spend(scans)
    await reading.pause()
  }
  return [...active]
}

async function edgesOf(
  reading: SetRowsReading,
  state: SetState,
  audience: Audience,
  { raw, excess }: Edges,
): Promise<EdgeRow[]> {
  if (raw.length + excess.length === 0) return []
  return readEdges(reading, state, `values ${audience}`, { raw, excess }, async (active) => {
    reading.spend(active.length * 50)
    const table = createValueSums()
    for (const id of active) {
      const { values } = await reading.rows.ofLink(id, {
        audience,
        slots: [],
        rowRanges: { months: [], days: [], raw, excess },
        earlier: [],
        heat: [],
        window: { fromSlot: 0, toSlot: 0 },
      })
      for (const dimension of dimensionNames.keys())
        for (const [value, { scans, firsts }] of values.of(dimension)) table.add(dimension, value, scans, firsts)
      await reading.pause()
    }
    return [...dimensionNames.keys()].flatMap((dimension) =>
      [...table.of(dimension)].map(([value, { scans, firsts }]): EdgeRow => [dimension, value, scans, firsts]),
    )
  })
}

const SOURCE = numberOf('source')

async function sumSources(
  reading: SetRowsReading,
  state: SetState,
  audience: Audience,
  rowRanges: RowRanges,
): Promise<Sources> {
  const sums: Sources = { qr: 0, link: 0 }
  const counts = sumValues(state, audience, rowRanges).of(SOURCE)
  const textOf = await reading.rows.texts(counts.keys())
  for (const [id, { scans }] of counts) sums[textOf(id) === 'qr' ? 'qr' : 'link'] += scans
  const { raw, excess } = rowRanges
  if (raw.length + excess.length === 0) return sums
  const edges = await readEdges(reading, state, `sources ${audience}`, { raw, excess }, async (active) => {
    const query = { audience, slots: [], rowRanges: { months: [], days: [], raw, excess } }
    const all: Sources = { qr: 0, link: 0 }
    for (let at = 0; at < active.length; at += LINKS_OF_STEP) {
      for (const { sources } of (await reading.rows.ofLinks(active.slice(at, at + LINKS_OF_STEP), query)).links) {
        all.qr += sources.qr
        all.link += sources.link
      }
      await reading.pause()
    }
    return all
  })
  return { qr: sums.qr + edges.qr, link: sums.link + edges.link }
}

const LINKS_OF_STEP = 200
