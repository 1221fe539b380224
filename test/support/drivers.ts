import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { Kysely, PostgresDialect, sql } from '#kysely'
import pg from 'pg'
import { createPrepareAsyncChange, createPrepareAsyncRead } from '../../src/db/prepared-statements.ts'
import type { Database } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import type { MigrationDialect } from '../../src/db/migrations/migration.ts'
import type { Tables } from '../../src/db/schema.ts'
import { openSqlite } from '../../src/db/sqlite.ts'
import { requireProgram } from './programs.ts'
import { endOfFile, temporaryFolder, undoLater } from './cleanup.ts'
import { writeMigratedLinks } from './migrated-links.ts'
import { createPostgres, type PostgresAddress } from './postgres.ts'

/** Opens an empty, migrated database of one kind; undefined if the test is skipped because the server is not installed. */
export interface StoreDriver {
  name: string
  open: (t: TestContext) => Promise<Database | undefined>
}

/** Opens an instance of a database that may be open more than once. */
type OpenOnce = (t: TestContext) => Promise<Database>
type MakeStore = (t: TestContext) => Promise<OpenOnce | undefined>

/** The databases on which every query must work: each with one instance of the service, and with two on the same database. */
export const drivers: StoreDriver[] = (
  [
    ['SQLite', makeSqlite],
    ['PostgreSQL', makePostgres],
  ] as const
).flatMap(([name, make]) => [
  { name, open: async (t) => (await make(t))?.(t) },
  { name: `${name} with two instances`, open: (t) => openTwice(t, make) },
])

/**
 * Opens two instances of one database and alternates between them: one reads the writes of the other, and both take part in
 * concurrent transactions.
 */
async function openTwice(t: TestContext, make: MakeStore): Promise<Database | undefined> {
  const openOnce = await make(t)
  if (openOnce === undefined) return undefined
  const instances = [await openOnce(t), await openOnce(t)] as const
  let turn: 0 | 1 = 0
  const next = () => instances[(turn = turn === 0 ? 1 : 0)]
  const other = () => instances[turn === 0 ? 1 : 0]
  return {
    get write() {
      return next().write
    },
    get read() {
      return other().read
    },
    get prepareRead() {
      return other().prepareRead
    },
    get prepareChange() {
      return next().prepareChange
    },
    transaction: (work) => next().transaction(work),
    close: async () => void (await Promise.all(instances.map((each) => each.close()))),
  }
}

async function makeSqlite(t: TestContext): Promise<OpenOnce> {
  const file = join(temporaryFolder(t), 'links.db')
  await writeMigratedLinks(file)
  return async (ending) => {
    const db = await openSqlite(file, Date.now)
    undoLater(ending, () => db.close())
    return db
  }
}

/** One server per process of tests; each test has its own database. */
const createDatabase = createPostgres(endOfFile(), async (address) => {
  const db = connect(address)
  await migrate(db, postgresDialect, 'PostgreSQL', Date.now).finally(() => db.destroy())
})

async function makePostgres(t: TestContext): Promise<OpenOnce | undefined> {
  if (!requireProgram(t, 'initdb', 'postgresql')) return undefined
  const address = await createDatabase()
  return async (ending) => {
    const db = connect(address)
    undoLater(ending, () => db.destroy())
    const database = {
      read: db,
      prepareRead: createPrepareAsyncRead(db),
      write: db,
      prepareChange: createPrepareAsyncChange(db),
    }
    return { ...database, transaction: (work) => db.transaction().execute(work), close: () => db.destroy() }
  }
}

function connect(address: PostgresAddress): Kysely<Tables> {
  // Counts and milliseconds since 1970 are far below 2^53; by default pg returns 64-bit integers as strings.
  const INT8: number = pg.types.builtins.INT8
  const types = { getTypeParser: (id: number) => (id === INT8 ? Number : pg.types.getTypeParser(id)) }
  return new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new pg.Pool({ ...address, max: 8, types }) }) })
}

const postgresDialect: MigrationDialect = {
  addIdColumn: (table, column) =>
    table.addColumn(column, 'bigint', (id) => id.generatedByDefaultAsIdentity().primaryKey()),
  async makeAppendOnly(transaction, table) {
    const refuse = `raise exception '${table} is append-only'`
    const body = `create function ${table}_refuse() returns trigger language plpgsql as $$ begin ${refuse}; end $$`
    await sql.raw(body).execute(transaction)
    const trigger = `create trigger ${table}_append_only before update or delete on ${table}`
    await sql.raw(`${trigger} for each row execute function ${table}_refuse()`).execute(transaction)
  },
  freeLinks: async (transaction) =>
    void (await sql`alter table links drop constraint links_code_key_fkey`.execute(transaction)),
  lock: async (transaction) => void (await sql`select pg_advisory_xact_lock(1)`.execute(transaction)),
}
