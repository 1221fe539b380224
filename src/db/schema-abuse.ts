import type { Generated } from '#kysely'

/** The operator's block and allow rules for hosts and URLs, which precede every list. */
export interface RulesTable {
  /** A canonical expression: `host/`, `host/path/`, `host/path?query`. */
  expression: string
  /** `block` or `allow`. */
  verdict: string
  reason: string
  /** 1 when the rule follows a legal order. */
  legal: number
  created_at: number
}

/** The reports of a link: one row, however many. */
export interface ReportsTable {
  link_id: number
  count: number
  /** A JSON object: how often each reason was given. */
  reasons: string
  /** A JSON array of the newest reports with details. */
  notes: string
  first_at: number
  last_at: number
}

/** From where a link was reported in the last 30 days. */
export interface ReportersTable {
  link_id: number
  /** The UTC day, as `2026-11-26`. */
  day: string
  /** 16 bits of a salted digest of the network. */
  network: number
}

/** The salts of these digests. */
export interface ReporterSaltsTable {
  day: string
  salt: string
}

/** The audit log of changes that the service or its operator has made to links and domains of others. Append-only. */
export interface AuditTable {
  id: Generated<number>
  at: number
  action: string
  subject: string
  source: string
  reason: string
}

/** The progress of matching the links against the lists. */
export interface SweepsTable {
  name: string
  /** Identifies a version of the lists. */
  lists: string
  /** The last link that was matched. */
  position: number
  finished: number
  /** How often it was to begin again. */
  requests: number
}

/** What all processes on the store mix into their digests. */
export interface SaltsTable {
  name: string
  salt: string
}
