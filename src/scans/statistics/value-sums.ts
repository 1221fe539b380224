import { dimensionNames, isSparse } from '../../dimensions/dimensions.ts'
import { OTHER, UNKNOWN } from '../text-ids.ts'

export interface CountOfValue {
  scans: number
  firsts: number
}

/** Counts of one dimension by the id of their value. */
export type CountsById = Map<number, CountOfValue>

/** Counts of each dimension by value. */
export interface ValueSums {
  add: (dimension: number, value: number, scans: number, firsts: number) => void
  /**
   * Subtracts raw scans of a day that are not in the window.
   * @param counted what the value's row in the rollup of the day has; its other scans are in the row of the others
   */
  subtract: (dimension: number, value: number, scans: number, firsts: number, counted: CountOfValue) => void
  of: (dimension: number) => CountsById
}

export function createValueSums(): ValueSums {
  const sums: CountsById[] = dimensionNames.map(() => new Map())
  const add: ValueSums['add'] = (dimension, value, scans, firsts) => {
    const sum = sums[dimension]?.get(value)
    if (sum === undefined) {
      sums[dimension]?.set(value, { scans, firsts })
      return
    }
    sum.scans += scans
    sum.firsts += firsts
  }
  return {
    add,
    subtract(dimension, value, scans, firsts, counted) {
      // Rollups do not count these.
      if (value === UNKNOWN && isSparse[dimension] === true) return
      const own = { scans: Math.min(scans, counted.scans), firsts: Math.min(firsts, counted.firsts) }
      add(dimension, value, -own.scans, -own.firsts)
      if (own.scans < scans || own.firsts < firsts) add(dimension, OTHER, own.scans - scans, own.firsts - firsts)
    },
    of: (dimension) => sums[dimension] ?? new Map(),
  }
}
