import { lockTransaction, type PostgresSession, type Query } from '../database/session.ts'
import { dimensionNames } from '../../dimensions/dimensions.ts'
import { OTHER } from '../../scans/text-ids.ts'
import { numbers } from './sql.ts'

/** Rows of one statement. */
const STEP = 10_000

/** Nodes that have not folded for this long no longer do. */
const GONE = `interval '1 hour'`

const valueKey = ['link_id', 'period', 'dimension', 'value']

/** Held together by transactions that add rows, and alone by one that removes texts. */
const LOCK = 'texts'

/** The part of a statement that notes the texts of the rows in `removed`, which it removes. */
export function noteTexts(columns: readonly string[]): string {
  return `insert into quirl_scans.unused select distinct id
    from removed cross join lateral unnest(array[${columns.join()}]) as id where id > ${OTHER} on conflict do nothing`
}

/** Notes all texts: when a table is dropped, with whatever texts it has. */
export async function noteAllTexts(query: Query): Promise<void> {
  await query(
    `insert into quirl_scans.unused select id from quirl_scans.dictionary where id > ${OTHER} on conflict do nothing`,
  )
}

/** How often texts have been removed. */
export async function readSweeps(query: Query): Promise<number> {
  const [row] = await query<{ number: number }>('select number from quirl_scans.sweeps')
  return row?.number ?? 0
}

/**
 * Says that a transaction is about to add rows with these texts, which keeps them. @returns how often texts have been
 * removed: until the transaction ends, none will be
 */
export async function keepTexts(query: Query, ids: readonly number[]): Promise<number> {
  await query('select pg_advisory_xact_lock_shared(hashtextextended($1, 0))', [`quirl ${LOCK}`])
  // In the order of ids, so that two nodes never wait for each other.
  const used = 'select id from quirl_scans.unused where id = any($1::integer[]) order by id for update'
  const [row] = await query<{ number: number }>(
    `with kept as (delete from quirl_scans.unused where id in (${used})) select number from quirl_scans.sweeps`,
    [numbers(ids)],
  )
  return row?.number ?? 0
}

/** Whether the dictionary has all of these ids. */
export async function hasTexts(query: Query, ids: readonly number[]): Promise<boolean> {
  const missing = `select from unnest($1::integer[]) as id
    where not exists (select from quirl_scans.dictionary where dictionary.id = id.id) limit 1`
  return (await query(missing, [numbers(ids)])).length === 0
}

/**
 * Removes texts that no row has any more: reads every row, until all are found. What rows are added with meanwhile is kept,
 * by whichever node: it is no longer noted as unused, or noted anew.
 */
export async function sweepTexts(session: PostgresSession): Promise<void> {
  const { query } = session
  // The version of the row tells when it was noted.
  const listed = await query<{ id: number; noted: string }>('select id, xmin::text as noted from quirl_scans.unused')
  if (listed.length === 0 || !(await allKeepTexts(query))) return
  // Waits for transactions that began before: the rows of all others are seen from here on, or keep their texts.
  await session.transaction((inTransaction) => lockTransaction(inTransaction, LOCK))
  const unused = new Set(listed.map(({ id }) => id))
  for (const table of ['monthly', 'daily']) await findUsed(query, `quirl_scans.${table}`, valueKey, ['value'], unused)
  for (const partition of unused.size === 0 ? [] : await partitionsOf(query))
    await findUsed(query, partition, ['link_id', 'at', 'n'], dimensionNames, unused)
  await remove(session, listed, unused)
}

/** Whether no node of a release runs that does not keep texts. */
async function allKeepTexts(query: Query): Promise<boolean> {
  const older = await query(
    `select from quirl_scans.folds where not keeps_texts and folded_until > clock_timestamp() - ${GONE} limit 1`,
  )
  return older.length === 0
}

async function partitionsOf(query: Query): Promise<string[]> {
  const rows = await query<{ name: string }>(
    `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'quirl_scans.scans'::regclass`,
  )
  return rows.map(({ name }) => name)
}

/** Takes what the rows of a table have out of the set. */
async function findUsed(
  query: Query,
  table: string,
  key: string[],
  columns: readonly string[],
  unused: Set<number>,
): Promise<void> {
  const keys = key.join()
  const page = `with page as (
      select ${[...new Set([...key, ...columns])].join()} from ${table}
      where (${keys}) > (${key.map((_, at) => `$${at + 1}::bigint`).join()}) order by ${keys} limit ${STEP}
    )
    select (select array_agg(distinct id) from page cross join lateral unnest(array[${columns.join()}]) as id) as ids,
      (select array[${key.map((name) => `${name}::text`).join()}] from page
        order by ${key.map((name) => `${name} desc`).join()} limit 1) as last`
  for (let last: string[] | null = key.map(() => '-1'); last !== null && unused.size > 0;) {
    const [row]: { ids: number[] | null; last: string[] | null }[] = await query(page, last)
    for (const id of row?.ids ?? []) unused.delete(id)
    last = row?.last ?? null
  }
}

async function remove(
  session: PostgresSession,
  listed: { id: number; noted: string }[],
  unused: ReadonlySet<number>,
): Promise<void> {
  const forget = (rows: typeof listed) => {
    const given = 'unnest($1::integer[], $2::text[]) as listed (id, noted)'
    const same = 'unused.id = listed.id and unused.xmin::text = listed.noted'
    const values = [numbers(rows.map(({ id }) => id)), rows.map(({ noted }) => noted)]
    return [`delete from quirl_scans.unused using ${given} where ${same} returning unused.id`, values] as const
  }
  for (let at = 0; at < listed.length; at += STEP) {
    const { gone = [], used = [] } = Object.groupBy(listed.slice(at, at + STEP), ({ id }) =>
      unused.has(id) ? 'gone' : 'used',
    )
    if (used.length > 0) await session.query(...forget(used))
    if (gone.length === 0) continue
    await session.transaction(async (query) => {
      await lockTransaction(query, LOCK)
      const [sql, values] = forget(gone)
      await query(
        `with gone as (${sql}) delete from quirl_scans.dictionary using gone where dictionary.id = gone.id`,
        values,
      )
      await query('update quirl_scans.sweeps set number = number + 1')
    })
  }
}
