import type { DatabaseSync, SQLInputValue } from 'node:sqlite'

/** A statement whose rows are arrays, in the order of its columns. */
export interface ArrayStatement<Row> {
  all: (...values: SQLInputValue[]) => Row[]
  iterate: (...values: SQLInputValue[]) => IterableIterator<Row>
}

/**
 * Prepares a statement whose rows are arrays: objects would cost more than most look-ups. The types of `node:sqlite` know rows as
 * objects only, so that the caller says here, once, what the columns of his statement are.
 */
export function prepareArrays<Row extends readonly unknown[]>(db: DatabaseSync, sql: string): ArrayStatement<Row> {
  const statement = db.prepare(sql)
  statement.setReturnArrays(true)
  return statement as unknown as ArrayStatement<Row>
}
