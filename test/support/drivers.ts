import { spawn, spawnSync } from 'node:child_process'
import { chownSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import type { Database } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import type { Tables } from '../../src/db/schema.ts'
import { openSqlite } from '../../src/db/sqlite.ts'
import { requireProgram } from './programs.ts'
import { temporaryFolder, undoLater } from './cleanup.ts'

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

async function openTestPostgres(t: TestContext): Promise<Database | undefined> {
  if (!requireProgram(t, 'initdb', 'postgresql')) return undefined
  const socketFolder = await startPostgres(t)
  // Counts and milliseconds since 1970 are far below 2^53; pg gives 64-bit integers as texts otherwise.
  const INT8: number = pg.types.builtins.INT8
  const types = { getTypeParser: (id: number) => (id === INT8 ? Number : pg.types.getTypeParser(id)) }
  const pool = new pg.Pool({ host: socketFolder, user: 'quirl', database: 'postgres', max: 8, types })
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) })
  undoLater(t, () => db.destroy())
  await migrate(
    db,
    {
      addIdColumn: (table, column) =>
        table.addColumn(column, 'bigint', (id) => id.generatedByDefaultAsIdentity().primaryKey()),
      async makeAppendOnly(transaction, table) {
        const refuse = `raise exception '${table} is append-only'`
        const body = `create function ${table}_refuse() returns trigger language plpgsql as $$ begin ${refuse}; end $$`
        await sql.raw(body).execute(transaction)
        const trigger = `create trigger ${table}_append_only before update or delete on ${table}`
        await sql.raw(`${trigger} for each row execute function ${table}_refuse()`).execute(transaction)
      },
      lock: async (transaction) => void (await sql`select pg_advisory_xact_lock(1)`.execute(transaction)),
    },
    'PostgreSQL',
    Date.now,
  )
  const database = { read: db, readAtOnce: db, write: db }
  return { ...database, transaction: (work) => db.transaction().execute(work), close: () => db.destroy() }
}

/** Starts a server of its own for the test, on a Unix socket alone; PostgreSQL refuses to run as root. */
async function startPostgres(t: TestContext): Promise<string> {
  const folder = temporaryFolder(t)
  const data = join(folder, 'pg')
  const user = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined
  if (user !== undefined) chownSync(folder, user.uid, user.gid)
  // Whatever the locale of whoever runs the tests is, and whether the machine has it.
  const locale = ['--no-locale', '--encoding=UTF8']
  const made = spawnSync('initdb', ['-D', data, '-U', 'quirl', '-A', 'trust', '--no-sync', ...locale], {
    ...user,
    encoding: 'utf8',
  })
  if (made.status !== 0) throw new Error(made.stderr)
  const bin = spawnSync('pg_config', ['--bindir'], { encoding: 'utf8' }).stdout.trim()
  const options = ['-D', data, '-k', folder, '-c', 'listen_addresses=', '-c', 'fsync=off']
  const server = spawn(join(bin, 'postgres'), options, { ...user, stdio: 'ignore' })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  undoLater(t, async () => {
    server.kill('SIGQUIT')
    await ended
  })
  // The socket is there before the server takes anyone.
  while (spawnSync(join(bin, 'pg_isready'), ['-q', '-h', folder]).status !== 0) {
    if (server.exitCode !== null) throw new Error('PostgreSQL ended while it started')
    await sleep(20)
  }
  return folder
}
