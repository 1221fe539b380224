import type pg from 'pg'
import { BoundedClient } from '../database/client.ts'
import { connectionOptions } from '../database/pool.ts'
import { sessionOn } from '../database/session.ts'
import { StartError } from '../../lib/start-error.ts'
import { openPartitions } from '../scans/partitions.ts'
import { raiseCounters, readCounters, readTables, type PostgresTable } from './tables.ts'
import {
  bytesOf,
  nameOf,
  PAGE_BYTES,
  PAGE_ROWS,
  type Change,
  type Row,
  type Snapshot,
  type Table,
  type Value,
  type WritableStore,
} from '../../moving/table.ts'
import { migrations } from '../../db/migrate.ts'
import { MOVING_SCHEMA } from '../database/moving.ts'

/** A command can wait longer than a request. */
const CONNECT_MS = 30_000

/** Rows of a first page: their size is not known yet. */
const FIRST_ROWS = 50

/** The types whose values can be moved; integers and texts are the same in both stores. */
const known = new Set(['bigint', 'integer', 'smallint', 'text', 'boolean', 'bytea'])

/** Opens a connection without time limits: a sorted read of a large table may take long. */
export async function connectPatiently(url: string): Promise<pg.Client> {
  const client = new BoundedClient({ ...connectionOptions(url, true), connectionTimeoutMillis: CONNECT_MS })
  try {
    await client.connect()
    return client
  } catch (error) {
    await client.end()
    throw error
  }
}

/**
 * Opens a migrated store in PostgreSQL.
 * @param folder the id of the journal folder whose positions are written
 */
export async function openPostgresStore(url: string, folder?: string): Promise<WritableStore> {
  const client = await connectPatiently(url)
  const reading = await connectPatiently(url).catch(async (error: unknown) => {
    await client.end()
    throw error
  })
  const end = async () => void (await Promise.all([client.end(), reading.end()]))
  try {
    // The last transaction waits for all: until then the copy can be made again.
    await client.query('set synchronous_commit = off')
    const tables = await readTables(client, folder)
    const partitions = openPartitions(sessionOn(client))
    const of = (table: Table) => knownTable(tables, table)
    return {
      tables: [...tables.values()],
      snapshot: () => openSnapshot(reading, of),
      async apply(table, change) {
        if (nameOf(table) === 'scans.scans') await partitions.prepare(timesOf(table, change))
        await apply(client, of(table), change)
      },
      raise: (counters) => raiseCounters(client, counters),
      close: end,
    }
  } catch (error) {
    await end().catch(() => {})
    throw error
  }
}

function timesOf({ columns }: Table, { put }: Change): { at: number }[] {
  const place = columns.indexOf('at')
  return put.map((row) => ({ at: Number(row[place]) }))
}

function knownTable(tables: Map<string, PostgresTable>, table: Table): PostgresTable {
  const found = tables.get(nameOf(table))
  if (found === undefined) throw new StartError(`PostgreSQL has no table ${nameOf(table)}`)
  const strange = found.types.findIndex((type) => !known.has(type))
  if (strange === -1) return found
  throw new StartError(
    `${nameOf(table)}.${found.columns[strange]} has a type that cannot be moved: ${found.types[strange]}`,
  )
}

async function openSnapshot(client: pg.Client, of: (table: Table) => PostgresTable): Promise<Snapshot> {
  await client.query('begin isolation level repeatable read, read only')
  // A transaction sees the store as it was at its first query.
  await client.query('select 1 from pg_class limit 1')
  return {
    pages: (table) => pagesOf(client, of(table)),
    counters: () => readCounters(client),
    close: async () => void (await client.query('rollback')),
  }
}

/** Reads by a cursor: no index has the order of bytes if the database sorts as a language does, so that PostgreSQL sorts, once. */
async function* pagesOf(client: pg.Client, table: PostgresTable): AsyncGenerator<Row[]> {
  const { from, types, keyLength } = table
  const columns = table.columns.map(quote)
  const key = columns.slice(0, keyLength).map((name, at) => (types[at] === 'text' ? `${name} collate "C"` : name))
  const select = `select ${columns.join(', ')} from ${from} order by ${key.join(', ')}`
  const cursor = `rows_of_${table.group}_${table.name}`
  await client.query(`declare ${cursor} no scroll cursor for ${select}`)
  const booleans = types.flatMap((type, at) => (type === 'boolean' ? [at] : []))
  for (let count = FIRST_ROWS; ;) {
    const { rows } = await client.query<Row>({ text: `fetch forward ${count} from ${cursor}`, rowMode: 'array' })
    for (const at of booleans) for (const row of rows) row[at] = row[at] === null ? null : Number(row[at])
    if (rows.length > 0) yield rows
    if (rows.length < count) break
    const bytes = rows.reduce((sum, row) => sum + bytesOf(row), 0)
    count = Math.max(1, Math.min(PAGE_ROWS, Math.floor((PAGE_BYTES * rows.length) / bytes)))
  }
  await client.query(`close ${cursor}`)
}

async function apply(client: pg.Client, table: PostgresTable, { put, remove }: Change): Promise<void> {
  const { from, types, keyLength } = table
  const names = table.columns.map(quote)
  const key = names.slice(0, keyLength)
  const lists = (rows: Row[], count: number) =>
    types.slice(0, count).map((type, at) => rows.map((row) => toPostgres(row[at] ?? null, type)))
  const given = (count: number) => types.slice(0, count).map((type, at) => `$${at + 1}::${type}[]`)
  await client.query('begin')
  try {
    if (remove.length > 0) {
      const same = key.map((name) => `kept.${name} = gone.${name}`).join(' and ')
      const gone = `unnest(${given(keyLength).join(', ')}) as gone (${key.join(', ')})`
      await client.query(`delete from ${from} as kept using ${gone} where ${same}`, lists(remove, keyLength))
    }
    if (put.length > 0) {
      const added = Object.values(table.added)
      const more = added.map((_, at) => `, $${names.length + at + 1}`).join('')
      const into = [...names, ...Object.keys(table.added)].join(', ')
      await client.query(
        `insert into ${from} (${into}) overriding system value select given.*${more} from unnest(${given(names.length).join(', ')}) as given
         on conflict (${key.join(', ')}) do ${setOf(names, keyLength)}`,
        [...lists(put, names.length), ...added],
      )
    }
    await client.query('commit')
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

function setOf(names: string[], keyLength: number): string {
  const set = names.slice(keyLength).map((name) => `${name} = excluded.${name}`)
  return set.length === 0 ? 'nothing' : `update set ${set.join(', ')}`
}

function toPostgres(value: Value, type: string): unknown {
  if (type === 'boolean' && value !== null) return value === 1
  return value instanceof Uint8Array ? Buffer.from(value) : value
}

function quote(name: string): string {
  return `"${name}"`
}

/**
 * Reads the id of a store, and requires that it is complete and its tables are those of this version.
 * @param where names the database in errors
 * @throws {StartError}
 */
export async function readIdentity(client: pg.Client, where: string): Promise<string> {
  const { rows: found } = await client.query<{ exists: boolean; isCopy: boolean }>(
    `select to_regclass('instance') is not null as exists, to_regclass('${MOVING_SCHEMA}.target') is not null as "isCopy"`,
  )
  if (found[0]?.exists !== true) throw new StartError(`${where} has no links of quirl`)
  if (found[0].isCopy) throw new StartError(`${where} has a copy that is not complete`)
  const { rows } = await client.query<{ id: string; schema: number }>(
    'select (select id from instance) as id, (select max(number) from migrations) as schema',
  )
  if (rows[0]?.schema !== migrations.length)
    throw new StartError(`${where} was written by another version of quirl: start this one on it first`)
  return rows[0].id
}
