import type { Cursor, RowQueries } from './row-queries.ts'

/** What a cell has; null is unknown, which CSV writes as an empty one. */
export type Cell = string | boolean | null

/** A table of a link that can be exported. */
export interface ExportTable {
  columns: string[]
  /** How many of them the first version had; all, when it is left out. Imports take tables of every version since. */
  firstColumns?: number
  /** Reads the rows after a key. */
  read: (queries: RowQueries, linkId: number, after: Cursor, limit: number) => Promise<{ key: Cursor; cells: Cell[] }[]>
}
