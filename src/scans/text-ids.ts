import { dimensionNames } from '../dimensions/dimensions.ts'

/** Ids of texts that the dictionary of each store reserves: an unknown value, and `(other)`. */
export const UNKNOWN = 0
export const OTHER = 1

/** The columns with ids of texts, by table, in both stores: those first in which most texts are soon found. */
export const textColumns: Readonly<Record<string, readonly string[]>> = {
  monthly: ['value'],
  daily: ['value'],
  scans: dimensionNames,
}
