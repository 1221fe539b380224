import { retryConflicts } from '../../nodes/database/retry-conflicts.ts'
import { stateOf, type Copy, type PostgresSession, type Query } from '../../nodes/database/session.ts'
import { syncPath } from '../../lib/sync-path.ts'
import type { FoldTarget, Mark } from '../folding/fold-target.ts'
import { journalsIn } from '../journal/journal-files.ts'
import { groupScans, type Group } from '../folding/increments.ts'
import { untoldOf } from '../folding/first-visits.ts'
import { selectRaw, UNBOUNDED, type RawBound } from '../folding/raw-bound.ts'
import type { FoldedScan, Scan } from '../scan.ts'
import { dimensionNames } from '../../dimensions/dimensions.ts'
import { openSharedDictionary, TextsRemoved, type IdsOf } from './dictionary.ts'
import {
  movePosition,
  readLost,
  readPosition,
  recordFold,
  removeFolder,
  retainPositions,
  type JournalFolder,
} from './journal-positions.ts'
import { readStored, writeMissing } from './missing-rows.ts'
import { openPartitions } from './partitions.ts'
import { writeRollups } from './rollup-writer.ts'
import { numbers } from './sql.ts'
import { openVisitorDays, type VisitorDays } from './visitor-days.ts'

// SQLSTATE codes: another node has removed the table of a day, or the partition of a month, since this one has seen it.
const UNDEFINED_TABLE = '42P01'
const NO_PARTITION = '23514'

/** How often a node looks for tables of days that are over. */
const CLEAN_MS = 60_000

/** What folds move scans into, which several nodes do at the same time. */
export interface SharedTarget extends FoldTarget {
  /** To be called before a run: everything that was recorded until now is folded when the run is complete. */
  begin: () => void
}

/**
 * @param bound which scans are stored one by one
 * @param monotonic milliseconds
 */
export function openSharedTarget(
  session: PostgresSession,
  folder: JournalFolder,
  bound = UNBOUNDED,
  monotonic: () => number = () => performance.now(),
): SharedTarget {
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
  const dictionary = openSharedDictionary(session.query)
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
