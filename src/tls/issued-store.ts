import type { Executor } from '../db/database.ts'

/** Which certificates are counted. */
export interface IssuedQuery {
  registrable: string
  since: number
  /** Names that are not. */
  except: string[]
}

/**
 * How many names under a registrable domain have had their first certificates after a time, unless DNS has proven, or had when they were removed, whose they are. Names that were
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

/** The active names that have no certificate, and whose they are is not proven, under registrable domains with so many first ones after a time. */
export async function listUnprovenOfFull(
  db: Executor,
  { since, most }: { since: number; most: number },
): Promise<{ name: string; registrable: string }[]> {
  const full = db
    .selectFrom('certificates')
    .leftJoin('domains', 'domains.name', 'certificates.name')
    .select('certificates.registrable')
    .where('certificates.registrable', 'is not', null)
    .where('certificates.first_at', '>', since)
    .where('domains.claimed_at', 'is', null)
    .groupBy('certificates.registrable')
    .having((each) => each.fn.countAll<number>(), '>=', most)
  return db
    .selectFrom('domains')
    .leftJoin('certificates', 'certificates.name', 'domains.name')
    .select(['domains.name', 'domains.registrable'])
    .where('domains.registrable', 'in', full)
    .where('domains.status', '=', 'active')
    .where('domains.claimed_at', 'is', null)
    .where('certificates.name', 'is', null)
    .execute()
}

/** Notes which certificates are of names that DNS has proven to be somebody's: they do not count, also when the name is removed. */
export async function excludeProven(db: Executor): Promise<void> {
  const proven = db.selectFrom('domains').select('name').where('claimed_at', 'is not', null)
  await db
    .updateTable('certificates')
    .set({ first_at: null })
    .where('first_at', 'is not', null)
    .where('name', 'in', proven)
    .execute()
}

/** Whether DNS has proven whose a name is. */
export async function isProven(db: Executor, name: string): Promise<boolean> {
  const row = await db.selectFrom('domains').select('claimed_at').where('name', '=', name).executeTakeFirst()
  return (row?.claimed_at ?? null) !== null
}
