import { retryConflicts } from '../database/retry-conflicts.ts'
import { stateOf, type Copy, type PostgresSession, type Query } from '../database/session.ts'
import { syncPath } from '../../lib/sync-path.ts'
import type { FoldTarget, Mark } from '../../scans/folding/fold-target.ts'
import { journalsIn } from '../../scans/journal/journal-files.ts'
import { groupScans, type Group } from '../../scans/folding/increments.ts'
import { untoldOf } from '../../scans/folding/first-visits.ts'
import {
  selectRaw,
  UNBOUNDED,
  type RawBound,
  hourOfSlot,
  type MissingRows,
  type StoredRows,
} from '../../scans/folding/raw-bound.ts'
import type { FoldedScan, Scan } from '../../scans/scan.ts'
import { dimensionNames } from '../../dimensions/dimensions.ts'
import { openPostgresDictionary, TextsRemoved, type IdsOf } from './dictionary.ts'
import {
  movePosition,
  readLost,
  readPosition,
  recordFold,
  removeFolder,
  retainPositions,
  type JournalFolder,
} from './journal-positions.ts'
import { openPartitions } from './partitions.ts'
import { writeRollups, addTo } from './rollup-writer.ts'
import { numbers } from './sql.ts'
import { openVisitorDays, type VisitorDays } from './visitor-days.ts'
import { slotOf } from '../../scans/calendar.ts'
import { countColumns } from './bounded-values.ts'

// SQLSTATE codes: another node has removed the table of a day, or the partition of a month, since this one has seen it.
const UNDEFINED_TABLE = '42P01'
const NO_PARTITION = '23514'

/** How often a node looks for tables of days that are over. */
const CLEAN_MS = 60_000

/** What folds move scans into, which several nodes do at the same time. */
export interface PostgresFoldTarget extends FoldTarget {
  /** To be called before a run: everything that was recorded until now is folded when the run is complete. */
  begin: () => void
}

/**
 * @param bound which scans are stored one by one
 * @param monotonic milliseconds
 */
export function openPostgresFoldTarget(
  session: PostgresSession,
  folder: JournalFolder,
  bound = UNBOUNDED,
  monotonic: () => number = () => performance.now(),
): PostgresFoldTarget {
  const days = openVisitorDays(session)
  const { query } = session
  let begun = monotonic()
  // A minute after the start: by then it has folded what earlier runs have left of past days.
  let cleaned = begun

  return {
    begin: () => void (begun = monotonic()),
    mark: (journal) => readPosition(query, journal),
    commit: createCommit(session, folder, days, bound),
    // What PostgreSQL has committed, every process finds.
    confirm() {},
    async finish(_now, isComplete) {
      if (isComplete) await recordFold(query, folder.id, monotonic() - begun)
      if (monotonic() - cleaned < CLEAN_MS) return
      cleaned = monotonic()
      await days.dropPast()
      // A power loss can bring a removed file back until its removal is synced; its position keeps it from being folded twice.
      syncPath(folder.path)
      await retainPositions(query, folder)
    },
    damagedKeys: () => [],
    lost: () => readLost(query),
    async close() {
      // Other nodes wait for scans that this one has not folded, but not for a node that has none.
      if (journalsIn(folder.path).length === 0) await removeFolder(query, folder.id)
    },
  }
}

function createCommit(
  session: PostgresSession,
  folder: JournalFolder,
  days: VisitorDays,
  bound: RawBound,
): FoldTarget['commit'] {
  const dictionary = openPostgresDictionary(session.query)
  const partitions = openPartitions(session)

  async function commit(scans: Scan[], mark: Mark & { from: number }) {
    await partitions.prepare(scans)
    await days.prepare(scans)
    const idsOf = await dictionary.prepare(scans, !bound.onlyCounts())
    return session.transaction(async (query, copy) => {
      await movePosition(query, folder, mark)
      const existing = await lockLinks(query, scans)
      const kept = scans.filter(({ linkId }) => existing.has(linkId))
      await dictionary.keep(query, kept.flatMap(idsOf))
      await lockTotals(query, kept)
      const selection = selectRaw(bound, await readStored(query, kept, bound))
      const flagged = await days.flag(query, kept, bound.addsVisitors())
      await writeRollups(query, await writeScans(copy, flagged, idsOf, selection.keeps))
      await writeMissing(query, selection.missing)
      return { onlyCounted: selection.count(), untold: untoldOf(flagged) }
    })
  }

  /** Whether another node has removed something since this one has seen it, which is then to be prepared anew. */
  function isOld(error: unknown): boolean {
    if (error instanceof TextsRemoved) return true
    if (![UNDEFINED_TABLE, NO_PARTITION].includes(stateOf(error) ?? '')) return false
    partitions.clearCache()
    days.clearCache()
    return true
  }

  return async (scans, mark) => {
    const { onlyCounted, untold } = await retryConflicts(() => commit(scans, mark), isOld)
    bound.noteUntold(untold)
    return onlyCounted
  }
}

/** Keeps the links of scans from being deleted before the transaction ends. @returns those that exist */
export async function lockLinks(query: Query, scans: readonly { linkId: number }[]): Promise<Set<number>> {
  const ids = [...new Set(scans.map(({ linkId }) => linkId))]
  const rows = await query<{ id: number }>('select id from links where id = any($1) order by id for key share', [
    numbers(ids),
  ])
  return new Set(rows.map(({ id }) => id))
}

/** Locks the totals of links until the transaction ends: no other node counts visitors of these links meanwhile. */
async function lockTotals(query: Query, scans: readonly Scan[]): Promise<void> {
  const ids = numbers([...new Set(scans.map(({ linkId }) => linkId))].sort((a, b) => a - b))
  await query(
    `insert into quirl_scans.totals (link_id, humans, human_firsts, bots, bot_firsts, qr, last_at)
     select id, 0, 0, 0, 0, 0, 0 from unnest($1::bigint[]) as id
     where not exists (select 1 from quirl_scans.totals where link_id = id) order by id on conflict do nothing`,
    [ids],
  )
  await query('select 1 from quirl_scans.totals where link_id = any($1) order by link_id for update', [ids])
}

const columns = `quirl_scans.scans (${['link_id', 'at', ...dimensionNames, 'first', 'bot'].join()})`

/** Adds those raw scans that are kept. @returns all in groups, for the rollups */
export async function writeScans(
  copy: Copy,
  scans: FoldedScan[],
  idsOf: IdsOf,
  keeps: (scan: FoldedScan) => boolean = () => true,
): Promise<Iterable<Group>> {
  const lines: string[] = []
  const groups = groupScans(scans, idsOf, (scan, ids) => {
    if (!keeps(scan)) return
    const { linkId, at, first, bot } = scan
    lines.push([linkId, at, ...ids, Number(first), Number(bot)].join('\t'))
  })
  if (lines.length > 0) await copy(columns, lines.join('\n'))
  return groups
}

/**
 * Reads how many scans have rows, of the links and hours of these scans. What other nodes write at the same time is not in it: of
 * a link that two nodes fold, each may store a transaction more.
 */
async function readStored(
  query: Query,
  scans: readonly Scan[],
  { perHour }: Pick<RawBound, 'perHour'>,
): Promise<StoredRows> {
  if (perHour === Number.POSITIVE_INFINITY || scans.length === 0) return { atMost: () => 0, inHour: () => 0 }
  const hours = scans.map(({ at }) => hourOfSlot(slotOf(at)))
  const least = hours.reduce((a, b) => Math.min(a, b))
  const most = hours.reduce((a, b) => Math.max(a, b))
  const rows = (table: string, sign: string) =>
    `select link_id, slot, ${sign} (humans + bots) as scans from quirl_scans.${table}
     where link_id = any($1::bigint[]) and slot between $2::int and $3::int`
  const sums = await query<{ link_id: number; hour: number; scans: number }>(
    `select link_id, slot / 4 as hour, sum(scans)::bigint as scans
     from (${rows('quarter_hourly', '+')} union all ${rows('raw_missing', '-')}) as counted group by 1, 2`,
    [numbers([...new Set(scans.map(({ linkId }) => linkId))]), least * 4, most * 4 + 3],
  )
  const stored = new Map(sums.map((row) => [`${row.link_id}|${row.hour}`, row.scans]))
  // What is read for all at once is exact.
  const atMost = () => perHour
  return { atMost, inHour: (linkId, hour) => stored.get(`${linkId}|${hour}`) ?? 0 }
}

/** Adds scans that are counted and have no row, in the transaction that counts them. */
async function writeMissing(query: Query, missing: MissingRows): Promise<void> {
  const rows = [...missing].flatMap(([linkId, slots]) => [...slots].map(([slot, counts]) => [linkId, slot, ...counts]))
  if (rows.length === 0) return
  const columns = ['link_id', 'slot', ...countColumns]
  const arrays = columns.map((name, at) => `$${at + 1}::${name === 'slot' ? 'integer' : 'bigint'}[]`)
  await query(
    `insert into quirl_scans.raw_missing (${columns.join()}) select * from unnest(${arrays.join()}) order by 1, 2
     on conflict (link_id, slot) do update set ${addTo('raw_missing')}`,
    columns.map((_, column) => numbers(rows.map((row) => row[column]))),
  )
}
