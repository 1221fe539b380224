import { CompiledQuery, type Kysely } from '#kysely'
import type { Lookup, PrepareRead } from '../../db/database.ts'
import type { Tables } from '../../db/schema.ts'

/** Keys of one query: a longer one would hold up those that wait for its connection. */
const MAX_KEYS = 100

/** The name of the column with the key that was looked up. */
const KEY = 'looked_up_key'

/**
 * Look-ups in PostgreSQL: each returns a promise. Those that begin in one iteration of the event loop are one query,
 * because each query costs this process and PostgreSQL more than each row of it: see `bench/costs.ts`.
 */
export function createPrepareSharedRead(db: Kysely<Tables>): PrepareRead {
  return <Values extends unknown[]>(build: Parameters<PrepareRead>[0]): Lookup<Values> => {
    const sql = forManyKeys(build(db, '').compile().sql)
    let waiting = new Map<string, PromiseWithResolvers<Values | undefined>>()

    function flush(): void {
      const batch = waiting
      waiting = new Map()
      if (batch.size > 0) void readAll(batch)
    }

    async function readAll(batch: typeof waiting): Promise<void> {
      try {
        const { rows } = await db.executeQuery<object>(CompiledQuery.raw(sql, [[...batch.keys()]]))
        for (const row of rows) {
          const [key, ...values] = Object.values(row) as [string, ...Values]
          batch.get(key)?.resolve(values)
        }
        // Has no effect on those that were found.
        for (const { resolve } of batch.values()) resolve(undefined)
      } catch (error) {
        for (const { reject } of batch.values()) reject(error)
      }
    }

    return (key) => {
      const same = waiting.get(key)
      if (same !== undefined) return same.promise
      const result = Promise.withResolvers<Values | undefined>()
      if (waiting.size === 0) setImmediate(flush)
      waiting.set(key, result)
      if (waiting.size === MAX_KEYS) flush()
      return result.promise
    }
  }
}

/** Makes a query by one key, which is each of its parameters, one by an array of keys. */
function forManyKeys(sql: string): string {
  const byColumn = sql.replace(/\$\d+/g, `keys.${KEY}`)
  return `select keys.${KEY}, found.* from unnest($1::text[]) as keys (${KEY}) cross join lateral (${byColumn}) as found`
}
