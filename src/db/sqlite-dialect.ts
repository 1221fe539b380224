import {
  CompiledQuery,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type DatabaseConnection,
  type Driver,
} from 'kysely'
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
  const run = (sql: string) => async (connection: DatabaseConnection) => {
    await connection.executeQuery(CompiledQuery.raw(sql))
  }
  const driver: Driver = {
    init: async () => {},
    acquireConnection: access.acquire,
    // "immediate": who means to write takes the lock before reading, so that no upgrade can fail half-way.
    beginTransaction: run('begin immediate'),
    commitTransaction: run('commit'),
    rollbackTransaction: run('rollback'),
    releaseConnection: access.release,
    destroy: async () => {},
  }
  return new Kysely({
    dialect: {
      createAdapter: () => new Adapter(),
      createDriver: () => driver,
      createIntrospector: (db) => new SqliteIntrospector(db),
      createQueryCompiler: () => new SqliteQueryCompiler(),
    },
  })
}

/** Lets one after the other in, in the order in which they came; each calls what it got to let the next one in. */
export function createQueue(): () => Promise<() => void> {
  let last = Promise.resolve()
  return async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const before = last
    last = promise
    await before
    return resolve
  }
}
