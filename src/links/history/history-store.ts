import { sql } from '#kysely'
import { compiled } from '../../db/compiled.ts'
import type { Executor } from '../../db/database.ts'

/** A revision that a change has replaced. */
export interface ReplacedRevision {
  revision: number
  /** When it began, milliseconds since 1970, UTC. */
  at: number
  /** The values of the fields that the change has replaced, by the names of the API. */
  replaced: Record<string, unknown>
}

/** What a history holds at most, besides the revision that was replaced last. */
export interface HistoryBounds {
  revisions: number
  bytes: number
}

/** The stored revisions of a link, newest first. */
export async function findRevisions(db: Executor, linkId: number): Promise<ReplacedRevision[]> {
  const query = db.selectFrom('revisions').select(['revision', 'at', 'replaced']).where('link_id', '=', linkId)
  const rows = await query.orderBy('revision', 'desc').execute()
  return rows.map((row) => ({ ...row, replaced: JSON.parse(row.replaced) as ReplacedRevision['replaced'] }))
}

/** Stores a revision that a change replaces, in the transaction of the change, and deletes those beyond the bounds. */
export async function insertRevision(
  transaction: Executor,
  linkId: number,
  { revision, at, replaced }: ReplacedRevision,
  bounds: HistoryBounds,
): Promise<void> {
  await insertRow(transaction, [linkId, revision, at, JSON.stringify(replaced)])
  await deleteBeyond(transaction, [linkId, linkId, 1, bounds.revisions, bounds.bytes])
}

const insertRow = compiled((db) => db.insertInto('revisions').values({ link_id: 0, revision: 0, at: 0, replaced: '' }))

/** Its values are the link's ID twice, the number of revisions that are kept of any size, and the bounds. */
const deleteBeyond = compiled((db) => {
  const ranked = db
    .selectFrom('revisions')
    .select([
      'revision',
      sql<number>`row_number() over (order by revision desc)`.as('place'),
      sql<number>`sum(octet_length(replaced)) over (order by revision desc)`.as('bytes'),
    ])
    .where('link_id', '=', 0)
  const beyond = db
    .selectFrom(ranked.as('ranked'))
    .select('revision')
    .where('place', '>', 1)
    .where((of) => of.or([of('place', '>', 0), of('bytes', '>', 0)]))
  return db.deleteFrom('revisions').where('link_id', '=', 0).where('revision', 'in', beyond)
})
