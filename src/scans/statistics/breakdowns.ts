import { splitCity } from '../texts-of-scan.ts'
import type { RowQueries, TextOf } from './row-queries.ts'
import type { Counts } from './stats-query.ts'
import type { CountsById, ValueSums } from './value-sums.ts'
import { dimensions, LINK_ITSELF, UNKNOWN, type Dimension } from '../warehouse-schema.ts'

/** The scans of one value of a dimension; a city has its country. */
export type ValueCount = Counts & { value: string | null; country?: string | null }

export type Breakdowns = Record<Dimension, ValueCount[]>

/** The values that a breakdown lists; of the answers, all: a link has at most 20 rules. */
const TOP = 10
const TOP_ANSWERS = 21

/**
 * The most frequent values of each dimension.
 * @param readTexts reads the texts of ids of the dictionary
 */
export async function listBreakdowns(values: ValueSums, readTexts: RowQueries['texts']): Promise<Breakdowns> {
  const frequent = dimensions.map((dimension, at) => mostFrequent(dimension, values.of(at)))
  const textOf = await readTexts(frequent.flatMap((rows) => rows.map(({ id }) => id)))
  const top = dimensions.map((dimension, at) => [dimension, topValues(dimension, frequent[at] ?? [], textOf)])
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

const lengthOf = (dimension: Dimension): number => (dimension === 'answer' ? TOP_ANSWERS : TOP)

interface IdCount {
  id: number
  scans: number
  firsts: number
}

/** The values that may be listed: more than are, when several have as many scans as the last one. */
function mostFrequent(dimension: Dimension, counts: CountsById): IdCount[] {
  // Raw scans have an unknown answer where rollups have none.
  if (dimension === 'answer') counts.delete(UNKNOWN)
  const sorted = [...counts].filter(([, { scans }]) => scans > 0).sort(([, a], [, b]) => b.scans - a.scans)
  const least = sorted[lengthOf(dimension) - 1]?.[1].scans ?? 0
  return sorted.filter(([, { scans }]) => scans >= least).map(([id, { scans, firsts }]) => ({ id, scans, firsts }))
}

/** Sorted by scans and then by name; unknown ones last among equals. */
function topValues(dimension: Dimension, frequent: IdCount[], textOf: TextOf): ValueCount[] {
  const named = frequent.map(({ id, scans, firsts }) => ({ value: textOf(id), scans, unique_visitors: firsts }))
  const top = named.sort(byScans).slice(0, lengthOf(dimension))
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
