import { dimensions, numberOf, type DimensionName } from '../../dimensions/dimensions.ts'
import type { Dimension } from '../../dimensions/dimension.ts'
import type { RowQueries, TextOf } from './row-queries.ts'
import type { Counts } from './stats-query.ts'
import type { CountOfValue, CountsById, ValueSums } from './value-sums.ts'
import { UNKNOWN } from '../text-ids.ts'

/** The scans of one value of a dimension; a city has its country. */
export type ValueCount = Counts & { value: string | null; country?: string | null }

export type Breakdowns = Record<DimensionName, ValueCount[]>

/**
 * The most frequent values of each dimension.
 * @param readTexts reads the texts of ids of the dictionary
 * @param limit how many values of each, in place of those that the dimension says; of sources always both
 */
export async function listBreakdowns(
  values: ValueSums,
  readTexts: RowQueries['texts'],
  limit?: number,
): Promise<Breakdowns> {
  const frequent = dimensions.map((dimension, at) => mostFrequent(dimension, values.of(at), limit))
  const textOf = await readTexts(frequent.flatMap((rows) => rows.map(({ id }) => id)))
  const tops = dimensions.map((dimension, at) => topValues(dimension, frequent[at] ?? [], textOf, limit))
  const all = sumOf(values.of(numberOf('source')))
  const listed = dimensions.map(({ name, rest }, at) => {
    const top = tops[at] ?? []
    const complete = rest === undefined ? top : withRest(top, rest, all, sumOf(values.of(at)))
    return [name, name === 'source' ? complete : complete.slice(0, limit)]
  })
  return Object.fromEntries(listed) as Breakdowns
}

/** Adds the scans that rollups do not count: of all scans, which each have one source, those that have no value. */
function withRest(top: ValueCount[], rest: string, all: CountOfValue, valued: CountOfValue): ValueCount[] {
  const scans = all.scans - valued.scans
  if (scans <= 0) return top
  const row = { value: rest === '' ? null : rest, scans, unique_visitors: all.firsts - valued.firsts }
  return [...top, row].sort(byScans)
}

function sumOf(counts: CountsById): CountOfValue {
  const sum = { scans: 0, firsts: 0 }
  for (const { scans, firsts } of counts.values()) {
    if (scans <= 0) continue
    sum.scans += scans
    sum.firsts += firsts
  }
  return sum
}

interface IdCount {
  id: number
  scans: number
  firsts: number
}

/** The values that may be listed: more than are, when several have as many scans as the last one. */
function mostFrequent({ rest, top }: Dimension, counts: CountsById, limit = 0): IdCount[] {
  // Raw scans have an unknown value where rollups have none.
  if (rest !== undefined) counts.delete(UNKNOWN)
  const sorted = [...counts].filter(([, { scans }]) => scans > 0).sort(([, a], [, b]) => b.scans - a.scans)
  const least = sorted[Math.max(top, limit) - 1]?.[1].scans ?? 0
  return sorted.filter(([, { scans }]) => scans >= least).map(([id, { scans, firsts }]) => ({ id, scans, firsts }))
}

/**
 * Sorted by scans and then by name; unknown ones last among equals. Never fewer than the dimension says: the scans of a sparse
 * one that have no value are what these leave.
 */
function topValues({ tell, top }: Dimension, frequent: IdCount[], textOf: TextOf, limit = 0): ValueCount[] {
  const named = frequent.map(({ id, scans, firsts }) => ({ value: textOf(id), scans, unique_visitors: firsts }))
  const listed = named.sort(byScans).slice(0, Math.max(top, limit))
  return listed.map(({ value, ...counts }) => ({ ...tell(value), ...counts }))
}

function byScans(a: ValueCount, b: ValueCount): number {
  return b.scans - a.scans || compareNames(a.value, b.value)
}

function compareNames(a: string | null, b: string | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  return a < b ? -1 : a > b ? 1 : 0
}
