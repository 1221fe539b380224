import { ENCODING, requireUtf8, type Encoded } from '../database/encoding.ts'
import { openPostgresSession, type PostgresSession } from '../database/session.ts'
import { StartError } from '../../lib/start-error.ts'
import { createFold, type FoldResult } from '../../scans/folding/fold.ts'
import { UNBOUNDED, type RawBound } from '../../scans/folding/raw-bound.ts'
import { journalsIn } from '../../scans/journal/journal-files.ts'
import { readFolderId } from '../../scans/journal/journal-folder.ts'
import { openPostgresFoldTarget } from './fold-target.ts'
import { migrateScans } from './migrations.ts'

/**
 * Folds the journal of a node that no longer runs, whose folder is locked, into the store that it belonged to.
 * @param path the folder of the journal
 * @returns the result, and the files that are left
 * @throws {StartError} when the node was none of this store, or that is not in UTF-8
 */
export async function adoptJournal(url: string, path: string): Promise<FoldResult & { left: number }> {
  const session = openPostgresSession({ url, max: 2, isPatient: true })
  try {
    requireUtf8((await session.query<Encoded>(ENCODING))[0], 'the database of DATABASE_URL')
    await migrateScans(session)
    const result = await foldForeignJournal(session, path)
    return { ...result, left: journalsIn(path).length }
  } finally {
    await session.close()
  }
}

/** The same by connections to the store, whose tables exist. @param bound which scans are stored one by one */
export async function foldForeignJournal(
  session: PostgresSession,
  path: string,
  bound: RawBound = UNBOUNDED,
): Promise<FoldResult> {
  const id = readFolderId(path)
  const [known] = await session.query('select 1 from quirl_scans.folds where folder = $1', [id ?? ''])
  const journals = journalsIn(path).sort()
  // Ids of links mean other links in another store.
  if (id === undefined || (known === undefined && journals.length > 0))
    throw new StartError(`${path} is not the journal of a node of the store of DATABASE_URL, or was folded already`)
  const target = openPostgresFoldTarget(session, { path, id }, bound)
  const fold = createFold(target, path)
  target.begin()
  const result = await fold.run(journals, Date.now())
  await fold.close()
  return result
}
