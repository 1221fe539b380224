import type { DatabaseSync } from 'node:sqlite'
import { slotOf, startOfSlot } from './calendar.ts'
import { dimensions } from './warehouse-schema.ts'

/** What a link's rows of a table come to: scans and first-of-day scans, by audience. */
type Counts = number[]
const columns = ['humans', 'human_firsts', 'bots', 'bot_firsts']

const sumsOf = (times = 1) => columns.map((name) => `total(${name}) / ${times}`).join(', ')
const countRows = 'total(bot = 0), total(bot = 0 and first), total(bot), total(bot and first)'

// Each in the order of its table's key, so that nothing is sorted.
const byLink = (what: string, table: string) =>
  `select link_id, ${what} from ${table} group by link_id order by link_id`
const ofTotals = `select link_id, ${columns.join(', ')} from totals order by link_id`
const ofRows = byLink(countRows, 'scans')
// A scan is counted once in each dimension.
const ofValues = ['daily', 'monthly'].map((table) => byLink(sumsOf(dimensions.length), table))
const ofRollups = [byLink(sumsOf(), 'pulse'), ...ofValues]

/**
 * The links whose counts do not agree: totals, counts by time and counts by value, each with the others and with the raw
 * scans. Where `SCAN_RETENTION` has removed a link's oldest scans, those since then are compared. In one pass and bounded
 * memory; to be called in a transaction when others write.
 */
export function* linksOfUnequalSums(db: DatabaseSync): Generator<number> {
  const totals = openSums(db, ofTotals)
  const rows = openSums(db, ofRows)
  const rollups = ofRollups.map((query) => openSums(db, query))
  const all = [totals, rows, ...rollups]
  for (;;) {
    const linkId = Math.min(...all.map((each) => each.next()))
    if (linkId === Number.POSITIVE_INFINITY) return
    const [total, raw, ...others] = all.map((each) => each.take(linkId))
    const agrees =
      others.every((other) => isEqual(other, total)) && (isEqual(raw, total) || isPruned(db, linkId, total, raw))
    if (!agrees) yield linkId
  }
}

/** The rows of a query one link after the other. */
function openSums(db: DatabaseSync, query: string) {
  const statement = db.prepare(query)
  statement.setReturnArrays(true)
  const rows = statement.iterate() as unknown as Iterator<[number, ...Counts]>
  let at = rows.next()
  return {
    /** The link of the next row. */
    next: () => (at.done === true ? Number.POSITIVE_INFINITY : at.value[0]),
    /** What the link's rows come to; nothing, when it has none. */
    take(linkId: number): Counts {
      if (at.done === true || at.value[0] !== linkId) return columns.map(() => 0)
      const [, ...counts] = at.value
      at = rows.next()
      return counts
    },
  }
}

/** Whether a link has fewer raw scans than counted ones, and every one that was counted after its oldest. */
function isPruned(db: DatabaseSync, linkId: number, total: Counts = [], raw: Counts = []): boolean {
  if (sizeOf(raw) >= sizeOf(total)) return false
  const { at } = db.prepare('select min(at) as at from scans where link_id = ?').get(linkId) as { at: number | null }
  if (at === null) return true
  // The slot in which the removal ended is counted whole.
  const slot = slotOf(at) + 1
  const rows = readCounts(db, `select ${countRows} from scans where link_id = ? and at >= ?`, linkId, startOfSlot(slot))
  const pulse = readCounts(db, `select ${sumsOf()} from pulse where link_id = ? and slot >= ?`, linkId, slot)
  return isEqual(rows, pulse)
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
