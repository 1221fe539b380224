import { readdirSync } from 'node:fs'
import type { Query } from '../database/session.ts'
import { FileError } from '../../scans/folding/fold-file.ts'
import type { Mark } from '../../scans/folding/fold-target.ts'

/** The folder of a journal. */
export interface JournalFolder {
  path: string
  /** Its permanent id. */
  id: string
}

/** How far a journal file has been folded, and whether damage was found so far. */
export async function readPosition(query: Query, journal: string): Promise<Pick<Mark, 'position' | 'isDamaged'>> {
  const [row] = await query<{ position: number; damaged: number }>(
    'select position, damaged from quirl_scans.journal_positions where journal = $1',
    [journal],
  )
  return { position: row?.position ?? 0, isDamaged: row?.damaged === 1 }
}

/**
 * Moves the position of a journal file, in a transaction.
 * @throws {FileError} when another process has folded a part of the file since its position was read
 */
export async function movePosition(query: Query, folder: JournalFolder, mark: Mark & { from: number }): Promise<void> {
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

/** Removes the positions of all files of a folder but those that still exist. */
export async function retainPositions(query: Query, { id, path }: JournalFolder): Promise<void> {
  await query('delete from quirl_scans.journal_positions where folder = $1 and journal <> all($2)', [
    id,
    readdirSync(path),
  ])
}

/** Makes a folder known to the store, so that another node can adopt it from the first scan on. */
export async function registerFolder(query: Query, folder: string): Promise<void> {
  await query('insert into quirl_scans.folds values ($1, clock_timestamp(), true) on conflict do nothing', [folder])
}

/** Records that everything in a folder is folded that was recorded until this long ago. */
export async function recordFold(query: Query, folder: string, ageMs: number): Promise<void> {
  await query(
    `insert into quirl_scans.folds values ($1, clock_timestamp() - make_interval(secs => $2), true)
     on conflict (folder) do update set folded_until = excluded.folded_until, keeps_texts = true`,
    [folder, ageMs / 1000],
  )
}

/** The folders that have not been folded for this long, by the clock of the store. */
export async function silentFolders(query: Query, seconds: number): Promise<string[]> {
  const rows = await query<{ folder: string }>(
    'select folder from quirl_scans.folds where folded_until < clock_timestamp() - make_interval(secs => $1)',
    [seconds],
  )
  return rows.map(({ folder }) => folder)
}

/** Removes a folder that is empty: statistics do not wait for its node. */
export async function removeFolder(query: Query, folder: string): Promise<void> {
  await query('delete from quirl_scans.folds where folder = $1', [folder])
}

/** Scans that were lost to damage of journals, ever. */
export async function readLost(query: Query): Promise<number> {
  const [row] = await query<{ scans: number }>('select scans from quirl_scans.lost')
  return row?.scans ?? 0
}
