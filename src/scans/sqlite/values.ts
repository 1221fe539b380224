import type { Warehouse } from './warehouse.ts'
import { columnsOf, conditionOf } from '../statistics/audience-columns.ts'
import type { Audience } from '../statistics/stats-query.ts'
import { createValueSums, type CountOfValue, type ValueSums } from '../statistics/value-sums.ts'
import { dimensionNames } from '../../dimensions/dimensions.ts'
import type { Parts } from '../statistics/window.ts'

type Db = Pick<Warehouse, 'db'>

/** Counts the scans of a link by value. */
export function readValues(warehouse: Db, linkId: number, audience: Audience, parts: Parts): ValueSums {
  const sums = createValueSums()
  addRollups(warehouse, linkId, audience, parts, sums)
  addRawScans(warehouse, linkId, audience, parts, sums)
  return sums
}

function addRollups({ db }: Db, linkId: number, audience: Audience, parts: Parts, { add }: ValueSums): void {
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
      for (const row of read.all(linkId, ...range) as unknown as Parameters<ValueSums['add']>[]) add(...row)
    }
  }
}

/** Counts the raw scans at the edges of a window that are not whole UTC days, and subtracts those that its days have in excess. */
function addRawScans(warehouse: Db, linkId: number, audience: Audience, parts: Parts, sums: ValueSums): void {
  const count = createRawCounter(warehouse, audience)
  for (const range of parts.raw) count(linkId, range, sums.add)
  const counted = createValueLookup(warehouse, linkId, audience)
  for (const { day, from, to } of parts.excess) {
    const excess = createValueSums()
    count(linkId, [from, to], excess.add)
    for (const dimension of dimensionNames.keys()) {
      for (const [value, { scans, firsts }] of excess.of(dimension))
        sums.subtract(dimension, value, scans, firsts, counted(day, dimension, value))
    }
  }
}

/**
 * Counts raw scans by value, for each dimension. Each row is read once and counted here: SQLite would read and sort all rows
 * for each dimension. An iterator, because a link may have any number of rows.
 */
function createRawCounter({ db }: Db, audience: Audience) {
  const read = db.prepare(
    `select first, ${dimensionNames.join(', ')} from scans where link_id = ? and at >= ? and at < ? ${conditionOf[audience]}`,
  )
  read.setReturnArrays(true)
  return (linkId: number, range: [from: number, to: number], add: ValueSums['add']): void => {
    for (const row of read.iterate(linkId, ...range)) {
      const [first = 0, ...values] = row as unknown as number[]
      for (const [at, value] of values.entries()) add(at, value, 1, first)
    }
  }
}

/** Returns a function that returns what the row of a value in the rollup of a day has. */
function createValueLookup({ db }: Db, linkId: number, audience: Audience) {
  const { scans, firsts } = columnsOf[audience]
  const find = db.prepare(
    `select ${scans} as scans, ${firsts} as firsts from daily where link_id = ? and period = ? and dimension = ? and value = ?`,
  )
  return (day: number, dimension: number, value: number): CountOfValue =>
    (find.get(linkId, day, dimension, value) as CountOfValue | undefined) ?? { scans: 0, firsts: 0 }
}
