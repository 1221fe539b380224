import type { Query } from '../../db/postgres-session.ts'
import type { RowQueries } from '../row-queries.ts'

/** @param folder the id of this node's journal folder */
export function openRowQueries(_query: Query, _folder: string): RowQueries {
  throw new Error('not yet')
}
