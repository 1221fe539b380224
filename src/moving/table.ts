/** What a store holds: both have the tables of links and of scans, each in a schema of its own. */
export type Group = 'links' | 'scans'

/** A table, as the schema of a store describes it. */
export interface Table {
  group: Group
  name: string
  /** The columns of the primary key first. */
  columns: string[]
  /** How many columns are the primary key. */
  keyLength: number
  /** The tables of the same group that its rows refer to. */
  references: string[]
}

/** A value as SQLite has it: a boolean is 0 or 1. */
export type Value = string | number | null | Uint8Array

/** The values of the table's columns, in their order. */
export type Row = Value[]

/** All rows of a table in the order of its key: texts by the bytes of UTF-8, numbers by size. */
export type Pages = AsyncIterable<Row[]>

/** The highest number that was ever given to a row of a table. */
export interface Counter {
  /** As `nameOf` names it. */
  table: string
  last: number
}

/** The counter of raw scans. */
export const SCAN_NUMBERS = 'scans.scan_numbers'

/** All tables at one moment. */
export interface Snapshot {
  pages: (table: Table) => Pages
  counters: () => Promise<Counter[]>
  close: () => Promise<void>
}

/** A store whose rows are read. */
export interface ReadableStore {
  tables: Table[]
  /** There may be one at a time. */
  snapshot: () => Promise<Snapshot>
  close: () => Promise<void>
}

/** Rows to be written to a table, and rows to be removed, of which only the key matters. */
export interface Change {
  put: Row[]
  remove: Row[]
}

/** A store whose rows are made equal to those of another. */
export interface WritableStore extends ReadableStore {
  /** Applies a change in one transaction. */
  apply: (table: Table, change: Change) => Promise<void>
  /** Raises counters, so that no number is given again. */
  raise: (counters: Counter[]) => Promise<void>
}

/** The name of a table for the operator. */
export function nameOf({ group, name }: Pick<Table, 'group' | 'name'>): string {
  return group === 'links' ? name : `${group}.${name}`
}

/** Rows of one page, at most; a page also ends at some megabytes. */
export const PAGE_ROWS = 1000
export const PAGE_BYTES = 4 << 20

/** About how much memory a row takes. */
export function bytesOf(row: Row): number {
  return row.reduce<number>((sum, value) => sum + (typeof value === 'number' || value === null ? 8 : value.length), 0)
}
