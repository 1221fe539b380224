import type { Generated } from '#kysely'

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

/** Sets of links. */
export interface CollectionsTable {
  /** Random. */
  id: string
  /** SHA-256 of the token, base64url. */
  token_hash: string
  /** The hash of the token that replaces its own once it is used; null unless there is one, as the next column. */
  next_token_hash: string | null
  /** When that was issued. */
  rotated_at: number | null
  name: string | null
  created_at: number
}

/** Which links are in which collections. */
export interface MembershipsTable {
  collection_id: string
  link_id: number
  joined_at: number
  /**
   * The last milestone of the link that an event for the collection has reported, or that its scans had reached before; null unless
   * the collection's webhook wants these, as the next column.
   */
  milestone: number | null
  /** When that was set. */
  watched_at: number | null
  /** When the destination of the link is checked for the collection; null unless its webhook wants to know when it fails. */
  next_check_at: number | null
  /** Checks that failed in a row, and since when the destination counts as failing. */
  check_failures: Generated<number>
  destination_failing_since: number | null
}

/** Read-only access to the statistics of several links. */
export interface CollectionSharesTable extends Omit<SharesTable, 'link_id'> {
  collection_id: string
  /** Of the links that are read; `~` for those without one, null for all links. */
  campaign: string | null
}

/** The named designs of collections. */
export interface LooksTable {
  collection_id: string
  name: string
  /** In JSON. */
  design: string
}
