import { join } from 'node:path'
import type { TestContext } from 'node:test'
import pg from 'pg'
import type { Database } from '../../src/db/database.ts'
import { connectPostgres, openPostgres } from '../../src/nodes/database/database.ts'
import { openSqlite } from '../../src/db/sqlite/database.ts'
import { requireProgram } from './programs.ts'
import { endOfFile, temporaryFolder, undoLater } from './cleanup.ts'
import { writeMigratedLinks } from './migrated-links.ts'
import { addressOf, createPostgres, urlOf } from './postgres.ts'

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
    urgent: (urgency, work) => next().urgent(urgency, work),
    lock: instances[0].lock,
    leases: instances[0].leases,
    time: instances[0].time,
    check: instances[0].check,
    unlocked: instances[0].unlocked,
    kept: instances[0].kept,
    doubtMs: instances[0].doubtMs,
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
export const createDatabase = createPostgres(endOfFile(), async (address) => {
  const db = await openPostgres({ url: urlOf(address), max: 1 }, Date.now)
  await db.close()
})

/** The URL of a database of this name that has no tables, on the server of the others. */
export async function createEmptyDatabase(t: TestContext, name: string): Promise<string> {
  const { host, user, database } = await createDatabase()
  const client = new pg.Client({ host, user, database })
  await client.connect()
  undoLater(t, () => client.end())
  await client.query(`create database ${name}`)
  return urlOf(addressOf({ host }, name))
}

async function makePostgres(t: TestContext): Promise<OpenOnce | undefined> {
  if (!requireProgram(t, 'initdb', 'postgresql')) return undefined
  const url = urlOf(await createDatabase())
  return async (ending) => {
    const db = connectPostgres({ url, max: 8 })
    undoLater(ending, () => db.close())
    return db
  }
}
