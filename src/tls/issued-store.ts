import type { Executor } from '../db/database.ts'

/** Which certificates are counted. */
export interface IssuedQuery {
  registrable: string
  since: number
  /** Names that are not. */
  except: string[]
}

/**
 * How many names under a registrable domain have had their first certificates after a time, unless DNS has proven whose they are. Names that were
 * removed meanwhile count as well: strangers make names of others active where a wildcard record leads here, and remove them again.
 */
export async function countUnprovenIssued(db: Executor, { registrable, since, except }: IssuedQuery): Promise<number> {
  const query = db
    .selectFrom('certificates')
    .leftJoin('domains', 'domains.name', 'certificates.name')
    .select((each) => each.fn.countAll<number>().as('count'))
    .where('certificates.registrable', '=', registrable)
    .where('certificates.first_at', '>', since)
    .where('domains.claimed_at', 'is', null)
  const counted = except.length === 0 ? query : query.where('certificates.name', 'not in', except)
  return (await counted.executeTakeFirstOrThrow()).count
}

/** Whether DNS has proven whose a name is. */
export async function isProven(db: Executor, name: string): Promise<boolean> {
  const row = await db.selectFrom('domains').select('claimed_at').where('name', '=', name).executeTakeFirst()
  return (row?.claimed_at ?? null) !== null
}
