import {
  CompiledQuery,
  DefaultQueryExecutor,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  Transaction,
  type DatabaseConnection,
  type Dialect,
  type Driver,
} from '#kysely'
import type { Tables } from './schema.ts'

/** Where a Kysely instance has its connection from, and what it does before it answers. */
export interface Access {
  acquire: () => Promise<DatabaseConnection>
  release: (connection: DatabaseConnection) => Promise<void>
}

/** Leaves it to `Access` who has a connection when; Kysely's own adapter lets nobody have it while a release waits. */
class Adapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true
  }
}

/** Kysely on SQLite; `access` is asked for each statement outside of a transaction, and for each transaction. */
export function createKysely(access: Access): Kysely<Tables> {
  return new Kysely({ dialect: createDialect(createDriver(access)) })
}

/**
 * Makes what the statements of a transaction are run with, on a connection that somebody else begins and commits on.
 * Kysely's own transactions begin by themselves, and cost more than the statements of most.
 */
export function createTransactions(
  connection: DatabaseConnection,
): () => { transaction: Transaction<Tables>; end: () => void } {
  const driver = createDriver({ acquire: async () => connection, release: async () => {} })
  const dialect = createDialect(driver)
  const [compiler, adapter] = [dialect.createQueryCompiler(), dialect.createAdapter()]
  return () => {
    let isOver = false
    const executor = new DefaultQueryExecutor(compiler, adapter, {
      async provideConnection(use) {
        if (isOver) throw new Error('a statement was run in a transaction that is over')
        return use(connection)
      },
    })
    const transaction = new Transaction<Tables>({ config: { dialect }, dialect, driver, executor })
    return { transaction, end: () => void (isOver = true) }
  }
}

function createDialect(driver: Driver): Dialect {
  return {
    createAdapter: () => new Adapter(),
    createDriver: () => driver,
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  }
}

function createDriver({ acquire, release }: Access): Driver {
  const run = (sql: string) => async (connection: DatabaseConnection) => {
    await connection.executeQuery(CompiledQuery.raw(sql))
  }
  return {
    init: async () => {},
    acquireConnection: acquire,
    // "immediate": who means to write takes the lock before reading, so that no upgrade can fail half-way.
    beginTransaction: run('begin immediate'),
    commitTransaction: run('commit'),
    rollbackTransaction: run('rollback'),
    releaseConnection: release,
    destroy: async () => {},
  }
}
