import type { Kysely } from '#kysely'
import type { Lookup, PrepareChange, PrepareRead } from '../database.ts'
import type { Tables } from '../schema.ts'
import type { ReadingSession } from './reading-session.ts'
import type { Sessions } from './sessions.ts'
import type { WritingSession } from './writing-session.ts'
import { resultCode, SQLITE_BUSY } from './errors.ts'

/**
 * Look-ups of the store in SQLite: each is one statement, prepared once for each session, and run synchronously. Only while
 * another process holds the whole file, which a process that writes does not, is the result a promise.
 * @param patient waits for other processes
 */
export function createPrepareRead(
  sessions: Pick<Sessions<ReadingSession>, 'current'>,
  patient: Kysely<Tables>,
): PrepareRead {
  return <Values extends unknown[]>(build: Parameters<PrepareRead>[0]): Lookup<Values> => {
    const { sql, parameters } = build(patient, '').compile()
    const readAsync = createPrepareAsyncRead(patient)<Values>(build)
    let prepared: { session: ReadingSession; read: (parameters: string[]) => unknown } | undefined
    const prepareIn = (session: ReadingSession) => (prepared = { session, read: session.lookups.prepare(sql) })
    return (key) => {
      const session = sessions.current()
      try {
        const { read } = prepared?.session === session ? prepared : prepareIn(session)
        return read(parameters.map(() => key)) as Values | undefined
      } catch (error) {
        if (resultCode(error) === SQLITE_BUSY) return readAsync(key)
        throw error
      }
    }
  }
}

/** Look-ups that wait for other processes: each returns a promise. */
function createPrepareAsyncRead(db: Kysely<Tables>): PrepareRead {
  return <Values extends unknown[]>(build: Parameters<PrepareRead>[0]): Lookup<Values> => {
    const query = build(db, '').compile()
    return async (key) => {
      const { rows } = await db.executeQuery<object>({ ...query, parameters: query.parameters.map(() => key) })
      return rows[0] && (Object.values(rows[0]) as Values)
    }
  }
}

/** Changes of the store in SQLite: they run on its write connection, with no other promise than their own. */
export function createPrepareChange(
  sessions: Pick<Sessions<WritingSession>, 'current'>,
  db: Kysely<Tables>,
): PrepareChange {
  return (build) => {
    const { sql } = build(db).compile()
    return (values) => sessions.current().change(sql, values)
  }
}
