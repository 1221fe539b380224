import { dayOf, monthOf, SLOTS_OF_DAY, startOfDay } from '../../calendar.ts'
import { createCountTable, type CountTable } from './count-table.ts'
import type { PeriodRange, SetQueries, SignatureRow } from '../set-queries.ts'
import {
  addPeriods,
  addSlot,
  advance,
  COUNTS,
  EMPTY_DAY,
  EMPTY_MEMBER,
  forgetPast,
  membersOf,
  periodKey,
  putMembers,
  type Member,
  type SetState,
} from './set-state.ts'

/** How the rows of a set are read. */
export interface SetReading {
  rows: SetQueries
  /** Called before about so many rows are read. @throws `TooMuch` when they are more than may be read now */
  spend: (rows: number) => void
  /** Lets other calls go on. @throws what the signal of the question aborts with */
  pause: () => Promise<void>
}

/** More rows would have to be read than may be. */
export class TooMuch extends Error {}

/** Rows of one statement, about. */
const STEP = 10_000
/** A link and period have 200 values of each dimension at most, of which most links have few. */
const MAX_ROWS_OF_PERIOD = 1_800
/** Rows of a scan: one for each dimension, and one by time. */
const ROWS_OF_SCAN = 8
/** A day goes on growing for so long after it is over: nodes fold its last scans then. */
const SETTLE_MS = 3_600_000

/** The day since when rows are growing. */
export const growingSince = (now: number): number => dayOf(now - SETTLE_MS)

export const monthOfDay = (day: number): number => monthOf(startOfDay(day))

/**
 * Brings a state up to date: reads the growing rows of each link that has changed. What is over is only read again when it has
 * changed nevertheless, by scans that come very late or are imported.
 * @param hasMonths whether the month that is not over is asked for as a whole
 */
export async function refresh(
  reading: SetReading,
  state: SetState,
  ids: number[],
  { now, hasMonths }: { now: number; hasMonths: boolean },
): Promise<void> {
  const wanted = monthOfDay(state.since.day)
  if (hasMonths && state.since.month === undefined) restartWithMonths(state, wanted)
  reading.spend(ids.length / 10)
  const signatures = new Map((await reading.rows.signatures(ids)).map((row) => [row[0], row]))
  const changed = ids.filter((id) => isChanged(state.members.get(id), signatures.get(id)))
  const scansOf = (id: number) => scansIn(signatures.get(id))
  const members = await readMembers(reading, state, changed, scansOf)
  const added = ids.filter((id) => !state.members.has(id))
  const isExtended = added.length > 0 && state.ids.length > 0
  const more = isExtended ? await readPastOf(reading, state, added, scansOf) : undefined
  // From here on, nothing waits: a state is never between two moments.
  const isLate = [...members].some(([id, member]) => isPastChanged(state.members.get(id), member))
  for (const id of added) if (!members.has(id)) members.set(id, EMPTY_MEMBER)
  putMembers(state, members)
  state.ids = ids
  if (isLate) forgetPast(state, wanted)
  else if (more !== undefined) addPast(state, more)
  const day = growingSince(now)
  if (day <= state.since.day) return
  const month = monthOfDay(day)
  // Months that are not over are rarely asked for.
  advance(state, { day, month: month === state.since.month ? month : undefined }, month)
}

/** Growing months are read from now on, of all links. */
function restartWithMonths(state: SetState, month: number): void {
  forgetPast(state, month)
  state.periods.clear()
  state.days.clear()
  state.members.clear()
  state.ids = []
  state.since = { ...state.since, month }
}

const scansIn = (row: SignatureRow | undefined) => (row === undefined ? 0 : row[1] + row[3])

function isChanged(member: Member | undefined, row: SignatureRow | undefined): boolean {
  const { signature } = member ?? EMPTY_MEMBER
  return signature.some((count, at) => count !== (row?.[at + 1] ?? 0))
}

/** Whether the scans of before, or the imported rows, are others than they were. */
function isPastChanged(old: Member | undefined, { before, signature }: Member): boolean {
  if (old === undefined) return false
  return old.signature[COUNTS] !== signature[COUNTS] || old.before.some((count, at) => count !== before[at])
}

async function readMembers(
  reading: SetReading,
  { since, members: known }: SetState,
  ids: number[],
  scansOf: (id: number) => number,
): Promise<Map<number, Member>> {
  const members = new Map<number, Member>()
  const before = (id: number) => {
    const [humans = 0, , bots = 0] = known.get(id)?.before ?? []
    return humans + bots
  }
  const rowsOf = (id: number) => 1 + Math.min(MAX_ROWS_OF_PERIOD, (scansOf(id) - before(id)) * ROWS_OF_SCAN)
  for (const step of stepsOf(ids, rowsOf)) {
    reading.spend(sum(step, rowsOf))
    for (const [id, member] of membersOf(step, await reading.rows.growing(step, since))) members.set(id, member)
    await reading.pause()
  }
  return members
}

/** What is over: tables of periods, and days by quarter of an hour. */
type Past = Pick<SetState, 'periods' | 'days'>

/** Reads of links what is known of the others. */
async function readPastOf(
  reading: SetReading,
  state: SetState,
  ids: number[],
  scansOf: (id: number) => number,
): Promise<Past & { isTooLarge: boolean }> {
  const { since } = state
  const numbers = (isMonth: boolean) =>
    [...state.periods.keys()].filter((key) => key.startsWith(isMonth ? 'm' : 'd')).map((key) => Number(key.slice(1)))
  const pastDays = numbers(false).filter((day) => day < since.day)
  const pastMonths = numbers(true).filter((month) => month < monthOfDay(since.day))
  const more = { ...state, periods: new Map<string, CountTable>(), days: new Map<number, Float64Array>() }
  for (const range of rangesOf('daily', pastDays)) await readPeriods(reading, more, ids, range, scansOf)
  for (const range of rangesOf('monthly', pastMonths)) await readPeriods(reading, more, ids, range, scansOf)
  for (const { from, to } of rangesOf(
    'daily',
    [...state.days.keys()].filter((day) => day < since.day),
  ))
    await readDays(reading, more, ids, [from, to], scansOf)
  return more
}

function addPast(state: SetState, more: Past & { isTooLarge: boolean }): void {
  for (const [key, table] of more.periods) {
    const sums = state.periods.get(key)
    table.forEach((...counts) => sums?.add(...counts))
  }
  for (const [day, counts] of more.days) {
    const sums = state.days.get(day)
    if (counts === EMPTY_DAY) continue
    if (sums === EMPTY_DAY) {
      state.days.set(day, counts)
      continue
    }
    for (const [at, count] of counts.entries()) if (sums !== undefined) sums[at] = (sums[at] ?? 0) + count
  }
  state.isTooLarge ||= more.isTooLarge
  state.sums.clear()
  state.edges.clear()
}

/** Reads periods that are over, and puts them into a state. */
export async function readPeriods(
  reading: SetReading,
  state: SetState,
  ids: number[],
  range: PeriodRange,
  scansOf: (id: number) => number,
): Promise<void> {
  const isMonth = range.table === 'monthly'
  const tables = new Map<string, CountTable>()
  for (let period = range.from; period <= range.to; period++) tables.set(periodKey(isMonth, period), createCountTable())
  const most = MAX_ROWS_OF_PERIOD * (range.to - range.from + 1)
  const rowsOf = (id: number) => 1 + Math.min(most, scansOf(id) * ROWS_OF_SCAN)
  for (const step of stepsOf(ids, rowsOf)) {
    reading.spend(sum(step, rowsOf))
    addPeriods(state, tables, isMonth, await reading.rows.periods(step, range))
    await reading.pause()
  }
  for (const [key, table] of tables) state.periods.set(key, table)
}

/** Reads the quarters of an hour of days that are over, and puts them into a state. */
export async function readDays(
  reading: SetReading,
  state: Pick<SetState, 'days'>,
  ids: number[],
  [from, to]: [from: number, to: number],
  scansOf: (id: number) => number,
): Promise<void> {
  const days = new Map<number, Float64Array>()
  for (let day = from; day <= to; day++) days.set(day, EMPTY_DAY)
  const slots = (to - from + 1) * SLOTS_OF_DAY
  for (const step of stepsOf(ids, (id) => 1 + Math.min(slots, scansOf(id)) / 2)) {
    reading.spend(sum(step, (id) => 1 + Math.min(slots, scansOf(id)) / 4))
    for (const row of await reading.rows.slotsOf(step, from * SLOTS_OF_DAY, (to + 1) * SLOTS_OF_DAY)) addSlot(days, row)
    await reading.pause()
  }
  for (const [day, counts] of days) state.days.set(day, counts)
}

/** Reads the sums of each link in a range of time, in the order of the links. */
export async function readSums(
  reading: SetReading,
  ids: number[],
  [fromSlot, toSlot]: [from: number, to: number],
  scansOf: (id: number) => number,
): Promise<Float64Array> {
  const sums = new Float64Array(ids.length * COUNTS)
  const places = new Map(ids.map((id, at) => [id, at]))
  const rowsOf = (id: number) => 1 + Math.min(toSlot - fromSlot, scansOf(id)) / 4
  for (const step of stepsOf(ids, rowsOf)) {
    reading.spend(sum(step, rowsOf) / 2)
    for (const [id, ...counts] of await reading.rows.sumsOf(step, fromSlot, toSlot))
      sums.set(counts, (places.get(id) ?? 0) * COUNTS)
    await reading.pause()
  }
  return sums
}

/** Splits links into steps of about as many rows. */
function* stepsOf(ids: number[], rowsOf: (id: number) => number): Generator<number[]> {
  let [step, rows] = [[] as number[], 0]
  for (const id of ids) {
    step.push(id)
    rows += rowsOf(id)
    if (rows < STEP) continue
    yield step
    ;[step, rows] = [[], 0]
  }
  if (step.length > 0) yield step
}

const sum = (ids: number[], of: (id: number) => number) => ids.reduce((total, id) => total + of(id), 0)

/** Neighbouring periods as ranges. */
export function rangesOf(table: PeriodRange['table'], periods: number[]): PeriodRange[] {
  const ranges: PeriodRange[] = []
  for (const period of periods.toSorted((a, b) => a - b)) {
    const last = ranges.at(-1)
    if (last !== undefined && last.to === period - 1) last.to = period
    else ranges.push({ table, from: period, to: period })
  }
  return ranges
}
