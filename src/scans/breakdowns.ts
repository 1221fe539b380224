import { splitCity } from './dictionary.ts'
import { ANSWER, dimensions, LINK_ITSELF, OTHER, UNKNOWN, type Dimension } from './warehouse-schema.ts'
import type { Warehouse } from './warehouse.ts'
import type { Parts } from './window.ts'

export type Audience = 'all' | 'human' | 'bot'

export interface Counts {
  scans: number
  unique_visitors: number
}

/** The scans of one value of a dimension; a city has its country. */
export type ValueCount = Counts & { value: string | null; country?: string | null }

export type Breakdowns = Record<Dimension, ValueCount[]>

/** The columns that an audience sums. */
export const columnsOf: Record<Audience, { scans: string; firsts: string }> = {
  all: { scans: 'humans + bots', firsts: 'human_firsts + bot_firsts' },
  human: { scans: 'humans', firsts: 'human_firsts' },
  bot: { scans: 'bots', firsts: 'bot_firsts' },
}

/** The values that a breakdown lists; of the answers, all: a link has at most 20 rules. */
const TOP = 10
const TOP_ANSWERS = 21

/** Counts of one dimension by the id of their value. */
type CountsById = Map<number, { scans: number; firsts: number }>

/** Reads the most frequent values of each dimension in a window. */
export function readBreakdowns(warehouse: Warehouse, linkId: number, audience: Audience, parts: Parts): Breakdowns {
  const counts = createSums()
  addRollups(warehouse, linkId, audience, parts, counts.add)
  addRawScans(warehouse, linkId, audience, parts, counts.add)
  const top = dimensions.map((dimension, at) => [dimension, topValues(warehouse, dimension, counts.of(at))])
  const breakdowns = Object.fromEntries(top) as Breakdowns
  return { ...breakdowns, answer: withLinkItself(breakdowns.answer, breakdowns.source) }
}

/** Adds the scans that the link itself answered: of all scans, which each have one source, those that no rule did. */
function withLinkItself(rules: ValueCount[], sources: ValueCount[]): ValueCount[] {
  const difference = (name: keyof Counts) =>
    sources.reduce((sum, row) => sum + row[name], 0) - rules.reduce((sum, row) => sum + row[name], 0)
  const scans = difference('scans')
  if (scans <= 0) return rules
  const row = { value: LINK_ITSELF, scans, unique_visitors: difference('unique_visitors') }
  return [...rules, row].sort(byScans)
}

type Add = (dimension: number, value: number, scans: number, firsts: number) => void

function createSums() {
  const sums: CountsById[] = dimensions.map(() => new Map())
  const add: Add = (dimension, value, scans, firsts) => {
    const sum = sums[dimension]?.get(value)
    if (sum === undefined) {
      sums[dimension]?.set(value, { scans, firsts })
      return
    }
    sum.scans += scans
    sum.firsts += firsts
  }
  return { add, of: (dimension: number): CountsById => sums[dimension] ?? new Map() }
}

function addRollups({ db }: Warehouse, linkId: number, audience: Audience, parts: Parts, add: Add): void {
  const { scans, firsts } = columnsOf[audience]
  for (const [table, ranges] of [
    ['monthly', parts.months],
    ['daily', parts.days],
  ] as const) {
    // Summed here: a month has some ten thousand rows, and SQLite would sort them all to group them.
    const read = db.prepare(
      `select dimension, value, ${scans}, ${firsts} from ${table} where link_id = ? and period between ? and ?`,
    )
    read.setReturnArrays(true)
    for (const range of ranges) {
      for (const row of read.all(linkId, ...range) as unknown as Parameters<Add>[]) add(...row)
    }
  }
}

/** Counts the raw scans at the edges of a window that are not whole UTC days, and subtracts those that its days have in excess. */
function addRawScans(warehouse: Warehouse, linkId: number, audience: Audience, parts: Parts, add: Add): void {
  const count = createRawCounter(warehouse, audience)
  for (const range of parts.raw) {
    for (const [at, counts] of count(linkId, ...range).entries())
      for (const [value, { scans, firsts }] of counts) add(at, value, scans, firsts)
  }
  const isCounted = createValueLookup(warehouse, linkId)
  for (const { day, from, to } of parts.excess) {
    for (const [at, counts] of count(linkId, from, to).entries()) {
      // Rollups count no scans that the link itself answered.
      if (at === ANSWER) counts.delete(UNKNOWN)
      for (const [value, { scans, firsts }] of counts)
        add(at, isCounted(day, at, value) ? value : OTHER, -scans, -firsts)
    }
  }
}

/**
 * Counts raw scans by value, for each dimension. Each row is read once and counted here: SQLite would read and sort all rows
 * for each dimension. An iterator, because a link may have any number of rows.
 */
function createRawCounter({ db }: Warehouse, audience: Audience) {
  const bots = { all: '', human: 'and bot = 0', bot: 'and bot = 1' }[audience]
  const read = db.prepare(
    `select first, ${dimensions.join(', ')} from scans where link_id = ? and at >= ? and at < ? ${bots}`,
  )
  read.setReturnArrays(true)
  return (linkId: number, from: number, to: number): CountsById[] => {
    const { add, of } = createSums()
    for (const row of read.iterate(linkId, from, to)) {
      const [first = 0, ...values] = row as unknown as number[]
      for (const [at, value] of values.entries()) add(at, value, 1, first)
    }
    return dimensions.map((_, at) => of(at))
  }
}

/** Whether the rollup of a day has a value: the scans of a value are all in its row, or all in that of the others. */
function createValueLookup({ db }: Warehouse, linkId: number) {
  const find = db.prepare('select 1 from daily where link_id = ? and period = ? and dimension = ? and value = ?')
  return (day: number, dimension: number, value: number): boolean =>
    find.get(linkId, day, dimension, value) !== undefined
}

/** The most frequent values, by scans and then by name; unknown ones last among equals. */
function topValues({ dictionary }: Warehouse, dimension: Dimension, counts: CountsById): ValueCount[] {
  const length = dimension === 'answer' ? TOP_ANSWERS : TOP
  // Raw scans have an unknown answer where rollups have none.
  if (dimension === 'answer') counts.delete(UNKNOWN)
  const sorted = [...counts].filter(([, { scans }]) => scans > 0).sort(([, a], [, b]) => b.scans - a.scans)
  const least = sorted[length - 1]?.[1].scans ?? 0
  const named = sorted
    .filter(([, { scans }]) => scans >= least)
    .map(([id, { scans, firsts }]) => ({ value: dictionary.text(id), scans, unique_visitors: firsts }))
  const top = named.sort(byScans).slice(0, length)
  if (dimension !== 'city') return top
  return top.map(({ value, scans, unique_visitors }) => {
    const { city, country } = splitCity(value)
    return { value: city, country, scans, unique_visitors }
  })
}

function byScans(a: ValueCount, b: ValueCount): number {
  return b.scans - a.scans || compareNames(a.value, b.value)
}

function compareNames(a: string | null, b: string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  return a < b ? -1 : a > b ? 1 : 0
}
