import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { Kysely, PostgresDialect, sql } from '#kysely'
import pg from 'pg'
import { createChangeLater, createReadLater } from '../../src/db/at-once.ts'
import type { Database } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import type { MigrationDialect } from '../../src/db/migrations/migration.ts'
import type { Tables } from '../../src/db/schema.ts'
import { openSqlite } from '../../src/db/sqlite.ts'
import { requireProgram } from './programs.ts'
import { endOfFile, temporaryFolder, undoLater } from './cleanup.ts'
import { createPostgres, type PostgresAddress } from './postgres.ts'

/** An empty, migrated store of one kind; undefined when the test was skipped for want of a server. */
export interface StoreDriver {
  name: string
  open: (t: TestContext) => Promise<Database | undefined>
}

/** Every database that the queries must be right on. */
export const drivers: StoreDriver[] = [
  { name: 'SQLite', open: openTestSqlite },
  { name: 'PostgreSQL', open: openTestPostgres },
]

async function openTestSqlite(t: TestContext): Promise<Database> {
  const db = await openSqlite(join(temporaryFolder(t), 'links.db'), Date.now)
  undoLater(t, () => db.close())
  return db
}

/** One server for a file of tests; each test has a database of its own. */
const createDatabase = createPostgres(endOfFile(), async (address) => {
  const db = connect(address)
  await migrate(db, postgresDialect, 'PostgreSQL', Date.now).finally(() => db.destroy())
})

async function openTestPostgres(t: TestContext): Promise<Database | undefined> {
  if (!requireProgram(t, 'initdb', 'postgresql')) return undefined
  const db = connect(await createDatabase())
  undoLater(t, () => db.destroy())
  const database = { read: db, readAtOnce: createReadLater(db), write: db, prepareChange: createChangeLater(db) }
  return { ...database, transaction: (work) => db.transaction().execute(work), close: () => db.destroy() }
}

function connect(address: PostgresAddress): Kysely<Tables> {
  // Counts and milliseconds since 1970 are far below 2^53; pg gives 64-bit integers as texts otherwise.
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
