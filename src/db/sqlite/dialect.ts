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
import type { Tables } from '../schema.ts'

/** How a Kysely instance acquires its connection, and what it does before it returns results. */
export interface Access {
  acquire: () => Promise<DatabaseConnection>
  release: (connection: DatabaseConnection) => Promise<void>
}

/** Kysely on SQLite; acquires a connection for each statement outside of a transaction, and for each transaction. */
export function createKysely(access: Access): Kysely<Tables> {
  return new Kysely({ dialect: createDialect(createDriver(access)) })
}

/**
 * Creates Kysely transactions on a connection whose transaction the caller begins and commits. Kysely's own transactions
 * begin by themselves, and cost more than most statements in them.
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
        if (isOver) throw new Error('a statement was run after the end of its transaction')
        return use(connection)
      },
    })
    const transaction = new Transaction<Tables>({ config: { dialect }, dialect, driver, executor })
    return { transaction, end: () => void (isOver = true) }
  }
}

function createDialect(driver: Driver): Dialect {
  return {
    createAdapter: () => new SqliteAdapter(),
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
    // "immediate" takes the write lock before the first read, so that no upgrade can fail half-way.
    beginTransaction: run('begin immediate'),
    commitTransaction: run('commit'),
    rollbackTransaction: run('rollback'),
    releaseConnection: release,
    destroy: async () => {},
  }
}
