/** What changes of links have replaced: see `links/history/history.ts`. */
export interface RevisionsTable {
  link_id: number
  revision: number
  /** When this revision began. */
  at: number
  /** The fields that the next revision has replaced, a JSON object. */
  replaced: string
}

/** Read-only access to the statistics of a link. */
export interface SharesTable {
  /** SHA-256 of the token, base64url. */
  token_hash: string
  link_id: number
  /** Random; names the share for the owner. */
  id: string
  name: string | null
  /** 1 when it includes the export of single scans. */
  csv: number
  /** 1 when it includes where the link leads. */
  destination: number
  created_at: number
}
