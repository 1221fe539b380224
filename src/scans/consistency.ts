import { prepareArrays } from '../db/sqlite/array-rows.ts'
import type { DatabaseSync } from 'node:sqlite'
import { fullNumbers } from '../dimensions/dimensions.ts'
import { slotOf, startOfSlot } from './calendar.ts'

/** The sums of a link's rows in a table: scans and first-of-day scans, by audience. */
type Counts = number[]
const columns = ['humans', 'human_firsts', 'bots', 'bot_firsts']

const sums = (divisor = 1) => columns.map((name) => `total(${name}) / ${divisor}`).join(', ')
const countRows = 'total(bot = 0), total(bot = 0 and first), total(bot), total(bot and first)'

// Each query reads in the order of its table's key, so that SQLite sorts nothing.
const byLink = (what: string, table: string) =>
  `select link_id, ${what} from ${table} group by link_id order by link_id`
const ofTotals = `select link_id, ${columns.join(', ')} from totals order by link_id`
const ofRows = byLink(countRows, 'scans')
// Each of these dimensions counts every scan once.
const ofValues = ['daily', 'monthly'].map((table) =>
  byLink(sums(fullNumbers.length), `${table} where dimension in (${fullNumbers.join()})`),
)

/** The table of quarter-hourly counts; older schemas, which a backup may have, name it `pulse`. */
function quarterHourlyTable(db: DatabaseSync): string {
  const isOlder = db.prepare("select 1 from sqlite_schema where name = 'pulse'").get() !== undefined
  return isOlder ? 'pulse' : 'quarter_hourly'
}

/**
 * Yields the links whose counts are inconsistent: totals, quarter-hourly counts and counts by value must equal each other
 * and the raw scans, with those that are counted and have no row. For a link whose oldest scans `SCAN_RETENTION` has removed, only
 * the counts since then are compared.
 * Takes one pass over each table and bounded memory; beside a writer, call it in a transaction.
 */
export function* findInconsistentLinks(db: DatabaseSync): Generator<number> {
  const totals = openSums(db, ofTotals)
  const rows = openSums(db, ofRows)
  const missing = hasMissingRows(db) ? openSums(db, byLink(sums(), 'raw_missing')) : undefined
  const quarterHourly = quarterHourlyTable(db)
  const rollups = [byLink(sums(), quarterHourly), ...ofValues].map((query) => openSums(db, query))
  const all = [totals, rows, ...rollups]
  for (;;) {
    const linkId = Math.min(...all.map((each) => each.nextLink()))
    if (linkId === Number.POSITIVE_INFINITY) return
    const [total, stored, ...others] = all.map((each) => each.take(linkId))
    const raw = sumOf(stored, missing?.take(linkId))
    const isConsistent =
      others.every((other) => isEqual(other, total)) &&
      (isEqual(raw, total) || isPruned(db, quarterHourly, linkId, [total, raw]))
    if (!isConsistent) yield linkId
  }
}

/** Whether the schema has the counts of scans without rows; older ones have a row for each. */
function hasMissingRows(db: DatabaseSync): boolean {
  return db.prepare("select 1 from sqlite_schema where name = 'raw_missing'").get() !== undefined
}

function sumOf(a: Counts = [], b: Counts = []): Counts {
  return a.map((count, at) => count + (b[at] ?? 0))
}

/** Iterates over the rows of a query, link by link. */
function openSums(db: DatabaseSync, query: string) {
  const rows = prepareArrays<[number, ...Counts]>(db, query).iterate()
  let at = rows.next()
  return {
    /** The link of the next row; infinity after the last. */
    nextLink: () => (at.done === true ? Number.POSITIVE_INFINITY : at.value[0]),
    /** Returns the link's counts and moves on; zeros when it has no row. */
    take(linkId: number): Counts {
      if (at.done === true || at.value[0] !== linkId) return columns.map(() => 0)
      const [, ...counts] = at.value
      at = rows.next()
      return counts
    },
  }
}

/** Whether a link has fewer raw scans than counted ones, but all that were counted since its oldest. */
function isPruned(
  db: DatabaseSync,
  quarterHourly: string,
  linkId: number,
  [total = [], raw = []]: [total: Counts | undefined, raw: Counts | undefined],
): boolean {
  if (sizeOf(raw) >= sizeOf(total)) return false
  const { at } = db.prepare('select min(at) as at from scans where link_id = ?').get(linkId) as { at: number | null }
  if (at === null) return true
  // Skips the slot in which the removal ended, which was counted whole.
  const slot = slotOf(at) + 1
  const rows = readCounts(db, `select ${countRows} from scans where link_id = ? and at >= ?`, linkId, startOfSlot(slot))
  const sumsOf = (table: string) =>
    readCounts(db, `select ${sums()} from ${table} where link_id = ? and slot >= ?`, linkId, slot)
  return isEqual(sumOf(rows, hasMissingRows(db) ? sumsOf('raw_missing') : undefined), sumsOf(quarterHourly))
}

function readCounts(db: DatabaseSync, query: string, linkId: number, since: number): Counts {
  return Object.values(db.prepare(query).get(linkId, since) ?? {}) as Counts
}

function sizeOf([humans = 0, , bots = 0]: Counts): number {
  return humans + bots
}

function isEqual(a: Counts = [], b: Counts = []): boolean {
  return a.every((count, at) => count === b[at])
}
