import { ANSWER, dimensions, OTHER, UNKNOWN } from '../warehouse-schema.ts'

/** Counts of one dimension by the id of their value. */
export type CountsById = Map<number, { scans: number; firsts: number }>

/** Counts of each dimension by value. */
export interface ValueSums {
  add: (dimension: number, value: number, scans: number, firsts: number) => void
  /**
   * Subtracts raw scans of a day that are not in the window.
   * @param isCounted whether the rollup of the day has the value: its scans are all in its row, or all in that of the others
   */
  subtract: (dimension: number, value: number, scans: number, firsts: number, isCounted: boolean) => void
  of: (dimension: number) => CountsById
}

export function createValueSums(): ValueSums {
  const sums: CountsById[] = dimensions.map(() => new Map())
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
    subtract(dimension, value, scans, firsts, isCounted) {
      // Rollups count no scans that the link itself answered.
      if (dimension === ANSWER && value === UNKNOWN) return
      add(dimension, isCounted ? value : OTHER, -scans, -firsts)
    },
    of: (dimension) => sums[dimension] ?? new Map(),
  }
}
