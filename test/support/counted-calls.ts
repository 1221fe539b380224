import type { Database } from '../../src/db/database.ts'
import type { KyselyPlugin } from '#kysely'

/** A store that counts the calls that are under way. One statement that fails outside a transaction counts on. */
export function countCalls(db: Database): { db: Database; calls: () => number } {
  let calls = 0
  const plugin: KyselyPlugin = {
    transformQuery({ node }) {
      calls++
      return node
    },
    async transformResult({ result }) {
      calls--
      return result
    },
  }
  const counted =
    <Values extends unknown[], T>(call: (...values: Values) => Promise<T>) =>
    async (...values: Values): Promise<T> => {
      calls++
      try {
        return await call(...values)
      } finally {
        calls--
      }
    }
  const replaced: { [Name in keyof Database]?: () => Database[Name] } = {
    read: () => db.read.withPlugin(plugin),
    write: () => db.write.withPlugin(plugin),
    transaction: () => counted(db.transaction),
    urgent: () => counted(db.urgent),
    leases: () => ({ ...db.leases, take: counted(db.leases.take), free: counted(db.leases.free) }),
  }
  return {
    db: new Proxy(db, {
      get: (of, name: keyof Database) => (Object.hasOwn(replaced, name) ? replaced[name]?.() : of[name]),
    }),
    calls: () => calls,
  }
}
