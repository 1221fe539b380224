import type { Compilable, QueryResult } from '#kysely'
import type { Change, Database, Executor } from './database.ts'

/** A statement whose values differ from call to call. */
export type Compiled<Row> = (db: Executor, values: readonly unknown[]) => Promise<QueryResult<Row>>

/**
 * Builds a statement once for each kind of database, because building takes longer than running: for frequent statements.
 * @param build builds it with example values, in the order of the real ones
 */
export function compiled<Row>(build: (db: Executor) => Compilable<Row>): Compiled<Row> {
  const queries = new WeakMap<object, ReturnType<Compilable<Row>['compile']>>()
  return (db, values) => {
    const { adapter } = db.getExecutor()
    let query = queries.get(adapter)
    if (query === undefined) {
      query = build(db).compile()
      queries.set(adapter, query)
    }
    return db.executeQuery<Row>({ ...query, parameters: values })
  }
}

/** The same for a change outside of a transaction; resolves with the number of changed rows. */
export function preparedChange(
  build: (db: Executor) => Compilable,
): (db: Pick<Database, 'prepareChange'>, values: readonly unknown[]) => Promise<number> {
  const changes = new WeakMap<object, Change>()
  return (db, values) => {
    let change = changes.get(db.prepareChange)
    if (change === undefined) {
      change = db.prepareChange(build)
      changes.set(db.prepareChange, change)
    }
    return change(values)
  }
}
