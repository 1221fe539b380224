import type { Kysely } from '#kysely'
import type { LookUp, PrepareChange, ReadAtOnce } from './database.ts'
import type { Kept } from './keep-open.ts'
import type { Tables } from './schema.ts'
import type { Session } from './session.ts'
import { resultCode, SQLITE_BUSY } from './sqlite-errors.ts'

/**
 * Look-ups of the embedded store: each is one statement, prepared once for each opening of the file, and run before the
 * call returns. There is a promise only while another process holds the whole file, which one that writes does not.
 * @param patient waits for other processes
 */
export function createReadAtOnce(kept: Pick<Kept, 'session'>, patient: Kysely<Tables>): ReadAtOnce {
  return <Values extends unknown[]>(build: Parameters<ReadAtOnce>[0]): LookUp<Values> => {
    const { sql, parameters } = build(patient, '').compile()
    const readLater = createReadLater(patient)<Values>(build)
    let prepared: { session: Session; read: (parameters: string[]) => unknown } | undefined
    const prepareIn = (session: Session) => (prepared = { session, read: session.looks.prepare(sql) })
    return (key) => {
      const session = kept.session()
      try {
        const { read } = prepared?.session === session ? prepared : prepareIn(session)
        return read(parameters.map(() => key)) as Values | undefined
      } catch (error) {
        if (resultCode(error) === SQLITE_BUSY) return readLater(key)
        throw error
      }
    }
  }
}

/** Look-ups of a store that is elsewhere: each answers a promise. */
export function createReadLater(db: Kysely<Tables>): ReadAtOnce {
  return <Values extends unknown[]>(build: Parameters<ReadAtOnce>[0]): LookUp<Values> => {
    const query = build(db, '').compile()
    return async (key) => {
      const { rows } = await db.executeQuery<object>({ ...query, parameters: query.parameters.map(() => key) })
      return rows[0] && (Object.values(rows[0]) as Values)
    }
  }
}

/** Changes of the embedded store, which are made on its writing connection without another promise than their own. */
export function createPrepareChange(kept: Pick<Kept, 'session'>, db: Kysely<Tables>): PrepareChange {
  return (build) => {
    const { sql } = build(db).compile()
    return (values) => kept.session().change(sql, values)
  }
}

/** Changes of a store that is elsewhere. */
export function createChangeLater(db: Kysely<Tables>): PrepareChange {
  return (build) => {
    const query = build(db).compile()
    return async (values) => Number((await db.executeQuery({ ...query, parameters: values })).numAffectedRows ?? 0)
  }
}
