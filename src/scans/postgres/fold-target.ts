import { readdirSync } from 'node:fs'
import { stateOf, type PostgresSession, type Query } from '../../db/postgres-session.ts'
import { syncPath } from '../../lib/sync-path.ts'
import { FileError } from '../fold-file.ts'
import type { FoldTarget, Mark } from '../fold.ts'
import { journalsIn } from '../journal.ts'
import { groupScans, type Group } from '../rollup.ts'
import type { FoldedScan, Scan } from '../scan.ts'
import { dimensions } from '../warehouse-schema.ts'
import { openSharedDictionary, type IdsOf } from './dictionary.ts'
import { openPartitions } from './partitions.ts'
import { writeRollups } from './rollup-writer.ts'
import { openVisitorDays } from './visitor-days.ts'

// SQLSTATE codes: another node has removed the table of a day, or the partition of a month, since this one has seen it.
const UNDEFINED_TABLE = '42P01'
const NO_PARTITION = '23514'

/** How often a node looks for tables of days that are over. */
const CLEAN_MS = 60_000

/** The folder of a journal. */
export interface JournalFolder {
  path: string
  /** Its permanent id. */
  id: string
}

/** What folds move scans into, which several nodes do at the same time. */
export interface SharedTarget extends FoldTarget {
  /** To be called before a run: everything that was recorded until now is folded when the run is complete. */
  begin: () => void
}

/** @param monotonic milliseconds */
export function openSharedTarget(
  session: PostgresSession,
  folder: JournalFolder,
  monotonic: () => number = () => performance.now(),
): SharedTarget {
  const dictionary = openSharedDictionary(session.query)
  const partitions = openPartitions(session)
  const days = openVisitorDays(session)
  const { query } = session
  let begun = monotonic()
  let cleaned = Number.NEGATIVE_INFINITY

  async function commit(scans: Scan[], mark: Mark & { from: number }): Promise<void> {
    await Promise.all([partitions.prepare(scans), days.prepare(scans)])
    const idsOf = await dictionary.prepare(scans)
    await session.transaction(async (inTransaction) => {
      await movePosition(inTransaction, folder, mark)
      const existing = await lockLinks(inTransaction, scans)
      const flagged = await days.flag(
        inTransaction,
        scans.filter(({ linkId }) => existing.has(linkId)),
      )
      await writeRollups(inTransaction, await writeScans(inTransaction, flagged, idsOf))
    })
  }

  return {
    begin: () => void (begun = monotonic()),
    async mark(journal) {
      const [row] = await query<{ position: number; damaged: number }>(
        'select position, damaged from quirl_scans.journal_positions where journal = $1',
        [journal],
      )
      return { position: row?.position ?? 0, isDamaged: row?.damaged === 1 }
    },
    async commit(scans, mark) {
      try {
        await commit(scans, mark)
      } catch (error) {
        if (![UNDEFINED_TABLE, NO_PARTITION].includes(stateOf(error) ?? '')) throw error
        partitions.clearCache()
        days.clearCache()
        await commit(scans, mark)
      }
    },
    async finish(_now, isComplete) {
      if (isComplete) await recordFold(query, folder.id, monotonic() - begun)
      if (monotonic() - cleaned < CLEAN_MS) return
      cleaned = monotonic()
      await days.dropPast()
      // A power loss can bring a removed file back until its removal is synced; its position keeps it from being folded twice.
      syncPath(folder.path)
      await query('delete from quirl_scans.journal_positions where folder = $1 and journal <> all($2)', [
        folder.id,
        readdirSync(folder.path),
      ])
    },
    damagedKeys: () => [],
    async lost() {
      const [row] = await query<{ scans: number }>('select scans from quirl_scans.lost')
      return row?.scans ?? 0
    },
    async close() {
      // Other nodes wait for scans that this one has not folded, but not for a node that has none.
      if (journalsIn(folder.path).length === 0)
        await query('delete from quirl_scans.folds where folder = $1', [folder.id])
    },
  }
}

/** @throws {FileError} when another process has folded a part of the file since its position was read */
async function movePosition(query: Query, folder: JournalFolder, mark: Mark & { from: number }): Promise<void> {
  const { journal, from, position, lost, isDamaged } = mark
  const moved = await query(
    `insert into quirl_scans.journal_positions as p (journal, folder, position, damaged)
     select $1, $2, $3::bigint, $4::smallint where $5::bigint = 0 or exists (select from quirl_scans.journal_positions where journal = $1)
     on conflict (journal) do update set position = excluded.position, damaged = excluded.damaged, folder = excluded.folder
     where p.position = $5 returning 1`,
    [journal, folder.id, position, isDamaged ? 1 : 0, from],
  )
  if (moved.length === 0) throw new FileError('another process folds it')
  if (lost > 0) await query('update quirl_scans.lost set scans = scans + $1', [lost])
}

/** Keeps the links of scans from being deleted before the transaction ends. @returns those that exist */
async function lockLinks(query: Query, scans: Scan[]): Promise<Set<number>> {
  const ids = [...new Set(scans.map(({ linkId }) => linkId))]
  const rows = await query<{ id: number }>('select id from links where id = any($1) order by id for key share', [ids])
  return new Set(rows.map(({ id }) => id))
}

const columns = ['link_id', 'at', ...dimensions, 'first', 'bot']
const types = ['bigint', 'bigint', ...dimensions.map(() => 'integer'), 'smallint', 'smallint']

/** Adds raw scans. @returns them in groups, for the rollups */
export async function writeScans(query: Query, scans: FoldedScan[], idsOf: IdsOf): Promise<Iterable<Group>> {
  const rows: number[][] = []
  const groups = groupScans(scans, idsOf, ({ linkId, at, first, bot }, ids) => {
    rows.push([linkId, at, ...ids, first ? 1 : 0, bot ? 1 : 0])
  })
  if (rows.length > 0)
    await query(
      `insert into quirl_scans.scans (${columns.join()}) select * from unnest(${types.map((type, at) => `$${at + 1}::${type}[]`).join()})`,
      columns.map((_, at) => rows.map((row) => row[at])),
    )
  return groups
}

/** Makes a folder known to the store, so that another node can adopt it from the first scan on. */
export async function registerFolder(query: Query, folder: string): Promise<void> {
  await query('insert into quirl_scans.folds values ($1, clock_timestamp()) on conflict do nothing', [folder])
}

async function recordFold(query: Query, folder: string, ageMs: number): Promise<void> {
  await query(
    `insert into quirl_scans.folds values ($1, clock_timestamp() - make_interval(secs => $2))
     on conflict (folder) do update set folded_until = excluded.folded_until`,
    [folder, ageMs / 1000],
  )
}
