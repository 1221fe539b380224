import {
  addCounts,
  addTo,
  groupScans,
  packKey,
  type Counts,
  type Group,
  type Increments,
  type Values,
} from '../folding/increments.ts'
import type { FoldedScan } from '../scan.ts'
import { numberOf } from '../../dimensions/dimensions.ts'
import { importedGroups, type ImportedCount } from './clicks.ts'
import type { ImportedScan, ImportedValue, TableRows } from './records.ts'

/** Visits that another service has recorded one by one, which no rollup counts yet. */
export interface VisitRows {
  table: 'visits'
  rows: ImportedScan[]
  /** Those that are too old to be stored by themselves: they only count. */
  old: ImportedScan[]
  /** Further visits of which only the number is known. */
  rest: Omit<ImportedCount, 'linkId'>
}

/** A part of the tables of a bundle, or of the visits from another service, to be added to a link once. */
export type ImportPart = (TableRows | VisitRows) & {
  linkId: number
  /** Identifies the bundle, or the visits. */
  bundle: string
  /** The number of rows that the parts before have, of all tables. */
  position: number
  /** Rows that the position counts: with those that are too old to be stored. */
  count: number
  /** When the last visit was, in milliseconds since 1970. */
  lastAt: number
}

/** What a link has taken: a part is added only when it is the next one of the same bundle. */
export type Taken = Pick<ImportPart, 'bundle' | 'position'>

/** Adds a part of a bundle or of visits if it is the next one. @returns what the link has taken then; undefined when it is deleted */
export type AddPart = (part: ImportPart) => Promise<Taken | undefined>

/** A part without the scans from before a time: those of a bundle are in its rollups, other ones only count from now on. */
export function withoutOld(part: ImportPart, before: number): ImportPart {
  if (part.table !== 'scans' && part.table !== 'visits') return part
  const rows = part.rows.filter(({ at }) => at >= before)
  if (part.table === 'scans') return { ...part, rows }
  return { ...part, rows, old: part.rows.filter(({ at }) => at < before) }
}

/** The scans that a part stores. */
export function storedScans(part: ImportPart): FoldedScan[] {
  return part.table === 'scans' || part.table === 'visits' ? ofLink(part, part.rows) : []
}

/** The scans that a part only counts. */
export function countedScans(part: ImportPart): FoldedScan[] {
  return part.table === 'visits' ? ofLink(part, part.old) : []
}

function ofLink({ linkId }: ImportPart, scans: ImportedScan[]): FoldedScan[] {
  return scans.map((scan) => ({ ...scan, linkId }))
}

/** What visits add to the rollups, beside the groups of those that are stored. Scans of a bundle add nothing. */
export function visitGroups(part: ImportPart, stored: Iterable<Group>, idsOf: (scan: FoldedScan) => number[]) {
  if (part.table !== 'visits') return []
  const { linkId, rest } = part
  const old = groupScans(countedScans(part), idsOf, () => {})
  return [...stored, ...old, ...importedGroups(rest.clicks === 0 ? [] : [{ ...rest, linkId }])]
}

/** What a part of a rollup adds; undefined for scans, which are in the rollups already, and for visits. */
export function partIncrements(part: ImportPart, idOf: (text: string | null) => number): Increments | undefined {
  if (part.table === 'scans' || part.table === 'visits') return undefined
  const sums: Increments = {
    quarterHourly: new Map(),
    days: new Map(),
    months: new Map(),
    totals: [0, 0, 0, 0],
    peopleAgain: 0,
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

const SOURCE = numberOf('source')
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
