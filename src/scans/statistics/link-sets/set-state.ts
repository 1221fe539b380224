import { SLOTS_OF_DAY } from '../../calendar.ts'
import { packKey, unpackKey } from '../../folding/increments.ts'
import { OTHER } from '../../text-ids.ts'
import { createCountTable, type CountTable } from './count-table.ts'
import type { GrowingRows, PeriodRow, Since } from '../set-queries.ts'

/** What is known of a link: what its growing rows were, so that newer ones can take their place in the sums. */
export interface Member {
  /** Its signature: all scans ever, and the rows that were imported. */
  signature: readonly number[]
  /** Its scans from before the growing rows. */
  before: readonly number[]
  /** Growing rows of the quarter-hourly rollup: slot, and counts. */
  slots: Int32Array
  /** Growing rows by value: whether of a month, period, dimension, value, and counts. */
  values: Int32Array
}

/** The sums of a set of links, of the periods that were asked for so far. It is in memory only. */
export interface SetState {
  /** Ascending. */
  ids: number[]
  since: Since
  members: Map<number, Member>
  /** Counts by value of days and months, by `periodKey`; of growing ones without scans there is none. */
  periods: Map<string, CountTable>
  /** Counts by quarter of an hour, of whole UTC days. */
  days: Map<number, Float64Array>
  /** Counts of each link in a range of time before the growing rows. */
  sums: Map<string, Float64Array>
  /** What was counted one by one at the edges of windows. */
  edges: Map<string, unknown>
  /** Whether there are too many values to keep it: then some count as others. */
  isTooLarge: boolean
}

export const COUNTS = 4
const SLOT_ROW = 1 + COUNTS
const VALUE_ROW = 4 + COUNTS
/** Growing rows in memory. */
const MAX_ROWS = 1_000_000
/** Different values of a period that are counted apart. */
export const MAX_VALUES_OF_SET = 100_000
const NO_ROWS = new Int32Array(0)
/** Stands for each day without scans: questions about a year of nothing take no memory from others. Nothing is written to it. */
export const EMPTY_DAY: Float64Array = new Float64Array(SLOTS_OF_DAY * COUNTS)

export function createSetState(since: Since): SetState {
  return {
    ids: [],
    since,
    members: new Map(),
    periods: new Map(),
    days: new Map(),
    sums: new Map(),
    edges: new Map(),
    isTooLarge: false,
  }
}

export const periodKey = (isMonth: boolean, period: number) => `${isMonth ? 'm' : 'd'}${period}`

/** Whether a period ended before the rows that are growing. */
export function isPast({ day, month }: Since, isMonth: boolean, period: number, monthOfDay: number): boolean {
  return isMonth ? period < (month ?? monthOfDay) : period < day
}

/** Arranges growing rows by link; links without rows have some, too. */
export function membersOf(linkIds: number[], { signatures, slots, values }: GrowingRows): Map<number, Member> {
  const signatureOf = new Map(signatures.map(([id, ...signature]) => [id, signature]))
  const slotsOf = Map.groupBy(slots, ([id]) => id)
  const valuesOf = Map.groupBy(values, ([id]) => id)
  return new Map(
    linkIds.map((id) => {
      const signature = signatureOf.get(id) ?? NO_SCANS
      const ofSlots = pack(slotsOf.get(id), SLOT_ROW)
      const before = signature.slice(0, COUNTS)
      for (let at = 0; at < ofSlots.length; at += SLOT_ROW)
        for (let count = 0; count < COUNTS; count++)
          before[count] = (before[count] ?? 0) - (ofSlots[at + 1 + count] ?? 0)
      return [id, { signature, before, slots: ofSlots, values: pack(valuesOf.get(id), VALUE_ROW) }]
    }),
  )
}

const NO_SCANS: readonly number[] = [0, 0, 0, 0, 0]
export const EMPTY_MEMBER: Member = { signature: NO_SCANS, before: [0, 0, 0, 0], slots: NO_ROWS, values: NO_ROWS }

/** Rows without their link, one after the other. */
function pack(rows: readonly (readonly number[])[] | undefined, width: number): Int32Array {
  if (rows === undefined) return NO_ROWS
  const packed = new Int32Array(rows.length * width)
  for (const [at, row] of rows.entries()) for (let c = 0; c < width; c++) packed[at * width + c] = row[c + 1] ?? 0
  return packed
}

/** Puts links in the place of what was known of them. */
export function putMembers(state: SetState, members: Map<number, Member>): void {
  for (const [id, member] of members) {
    const old = state.members.get(id)
    if (old !== undefined) addGrowing(state, old, -1)
    addGrowing(state, member, 1)
    state.members.set(id, member)
  }
  let rows = 0
  for (const { slots, values } of state.members.values()) rows += slots.length / SLOT_ROW + values.length / VALUE_ROW
  const tables = [...state.periods.values()]
  if (rows > MAX_ROWS || tables.some((table) => table.size() > MAX_VALUES_OF_SET)) state.isTooLarge = true
}

function addGrowing(state: SetState, { slots, values }: Member, sign: 1 | -1): void {
  for (let at = 0; at < slots.length; at += SLOT_ROW) addSlot(state.days, slots.subarray(at, at + SLOT_ROW), sign)
  for (let at = 0; at < values.length; at += VALUE_ROW) {
    const [isMonth = 0, period = 0, dimension = 0, value = 0, a = 0, b = 0, c = 0, d = 0] = values.subarray(
      at,
      at + VALUE_ROW,
    )
    const table = tableOf(state.periods, periodKey(isMonth === 1, period))
    table.add(packKey(dimension, value), sign * a, sign * b, sign * c, sign * d)
  }
}

/** Adds a row of the quarter-hourly rollup: its slot, and counts. */
export function addSlot(days: SetState['days'], row: ArrayLike<number>, sign: 1 | -1 = 1): void {
  const slot = row[0] ?? 0
  const day = Math.floor(slot / SLOTS_OF_DAY)
  let counts = days.get(day)
  if (counts === undefined || counts === EMPTY_DAY) days.set(day, (counts = new Float64Array(SLOTS_OF_DAY * COUNTS)))
  const at = (slot - day * SLOTS_OF_DAY) * COUNTS
  for (let count = 0; count < COUNTS; count++)
    counts[at + count] = (counts[at + count] ?? 0) + sign * (row[count + 1] ?? 0)
}

function tableOf(periods: Map<string, CountTable>, key: string): CountTable {
  let table = periods.get(key)
  if (table === undefined) periods.set(key, (table = createCountTable()))
  return table
}

/** Adds rows of periods to their tables, which stay below a number of values: the least frequent ones count as others then. */
export function addPeriods(
  state: SetState,
  periods: Map<string, CountTable>,
  isMonth: boolean,
  rows: PeriodRow[],
): void {
  for (const [period, dimension, value, a, b, c, d] of rows)
    tableOf(periods, periodKey(isMonth, period)).add(packKey(dimension, value), a, b, c, d)
  for (const [key, table] of periods) {
    if (table.size() <= MAX_VALUES_OF_SET) continue
    periods.set(key, squeeze(table))
    state.isTooLarge = true
  }
}

/** Has the less frequent half of the values count as others. */
export function squeeze(table: CountTable): CountTable {
  const scans: number[] = []
  table.forEach((_, humans, __, bots) => scans.push(humans + bots))
  const median = scans.toSorted((a, b) => b - a)[Math.floor(MAX_VALUES_OF_SET / 2)] ?? 0
  const squeezed = createCountTable()
  table.forEach((key, ...counts) => {
    const isOther = counts[0] + counts[2] <= median
    squeezed.add(isOther ? packKey(unpackKey(key)[0], OTHER) : key, ...counts)
  })
  return squeezed
}

/** Has what grew before a day be over: its sums stay, and only they are needed. */
export function advance(state: SetState, since: Since, monthOfDay: number): void {
  state.since = since
  if (since.month === undefined) forgetMonths(state, monthOfDay)
  for (const [id, member] of state.members)
    if (member.slots.length + member.values.length > 0) state.members.set(id, growingOf(member, since))
}

function forgetMonths({ periods }: SetState, from: number): void {
  for (const key of periods.keys()) if (key.startsWith('m') && Number(key.slice(1)) >= from) periods.delete(key)
}

/** A link, of whose growing rows those from before are over. */
function growingOf({ signature, before, slots, values }: Member, { day, month }: Since): Member {
  const firstSlot = day * SLOTS_OF_DAY
  const sums = [...before]
  for (let at = 0; at < slots.length; at += SLOT_ROW) {
    if ((slots[at] ?? 0) >= firstSlot) continue
    for (let count = 0; count < COUNTS; count++) sums[count] = (sums[count] ?? 0) + (slots[at + 1 + count] ?? 0)
  }
  const first = [day, month ?? Number.POSITIVE_INFINITY]
  return {
    signature,
    before: sums,
    slots: filterRows(slots, SLOT_ROW, (at) => (slots[at] ?? 0) >= firstSlot),
    values: filterRows(values, VALUE_ROW, (at) => (values[at + 1] ?? 0) >= (first[values[at] ?? 0] ?? 0)),
  }
}

function filterRows(rows: Int32Array, width: number, isKept: (at: number) => boolean): Int32Array {
  const kept: number[] = []
  for (let at = 0; at < rows.length; at += width) if (isKept(at)) kept.push(...rows.subarray(at, at + width))
  return Int32Array.from(kept)
}

/** Forgets all but what is growing. */
export function forgetPast(state: SetState, monthOfDay: number): void {
  const { since, periods, days, sums, edges } = state
  for (const key of periods.keys())
    if (isPast(since, key.startsWith('m'), Number(key.slice(1)), monthOfDay)) periods.delete(key)
  for (const day of days.keys()) if (day < since.day) days.delete(day)
  sums.clear()
  edges.clear()
}

/** Of a map. */
const BYTES_OF_ENTRY = 64

/** About how much memory a state takes. */
export function bytesOf({ members, periods, days, sums, edges }: SetState): number {
  let bytes = edges.size * 65_536 + (days.size + periods.size) * BYTES_OF_ENTRY
  for (const counts of days.values()) if (counts !== EMPTY_DAY) bytes += counts.byteLength
  for (const { slots, values } of members.values()) bytes += 400 + slots.byteLength + values.byteLength
  for (const table of periods.values()) bytes += table.bytes()
  for (const each of sums.values()) bytes += each.byteLength
  return bytes
}
