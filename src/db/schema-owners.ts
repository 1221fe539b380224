/** What changes of links have replaced: see `links/history.ts`. */
export interface RevisionsTable {
  link_id: number
  revision: number
  /** When this revision began. */
  at: number
  /** The fields that the next revision has replaced, a JSON object. */
  replaced: string
}
