import { addCounts, addTo, packKey, type Counts, type Increments, type Values } from '../folding/increments.ts'
import { SOURCE } from '../warehouse-schema.ts'
import type { TableRows, ImportedValue } from './records.ts'

/** A part of the tables of a bundle, to be added to a link once. */
export type ImportedPart = TableRows & {
  linkId: number
  /** Identifies the bundle. */
  bundle: string
  /** The number of rows that the parts before have, of all tables. */
  position: number
  /** Rows that the position counts: with those that are too old to be stored. */
  count: number
  /** When the last visit was, in milliseconds since 1970. */
  lastAt: number
}

/** What a link has taken: a part is added only when it is the next one of the same bundle. */
export type Taken = Pick<ImportedPart, 'bundle' | 'position'>

/** What a part of a rollup adds; undefined for scans, which are in the rollups already. */
export function partIncrements(part: ImportedPart, idOf: (text: string | null) => number): Increments | undefined {
  if (part.table === 'scans') return undefined
  const sums: Increments = {
    quarterHourly: new Map(),
    days: new Map(),
    months: new Map(),
    totals: [0, 0, 0, 0],
    qr: 0,
    lastAt: part.lastAt,
  }
  if (part.table === 'quarterHours') {
    for (const { slot, counts } of part.rows) {
      addTo(sums.quarterHourly, slot, counts)
      addCounts(sums.totals, counts)
    }
    return sums
  }
  for (const row of part.rows) addValue(sums[part.table], row, idOf)
  // Each scan has one source: the totals need those of the QR image, in one of both tables.
  if (part.table === 'months') sums.qr = part.rows.filter(isQr).reduce((sum, { counts }) => sum + scansOf(counts), 0)
  return sums
}

const isQr = ({ dimension, text }: ImportedValue) => dimension === SOURCE && text === 'qr'
const scansOf = ([humans, , bots]: Counts) => humans + bots

function addValue(
  periods: Map<number, Values>,
  { period, dimension, text, counts }: ImportedValue,
  idOf: (text: string | null) => number,
): void {
  let values = periods.get(period)
  if (values === undefined) periods.set(period, (values = new Map()))
  addTo(values, packKey(dimension, idOf(text)), counts)
}
