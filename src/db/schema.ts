import type { Generated } from '#kysely'
import type {
  AcmeAccountsTable,
  AcmeChallengesTable,
  AcmeOrdersTable,
  CertificatesTable,
  IssuancesTable,
  TicketKeysTable,
} from './schema-tls.ts'

/** The codes of deleted links: a printed code must never lead to another's link. */
interface CodesTable {
  /** The code in lower case, as it is looked up. */
  code_key: string
}

interface LinksTable {
  /** Never given again, not even by another copy of the store: see `links/ids.ts`. */
  id: Generated<number>
  code_key: string
  /** The code as its owner wrote it. */
  code: string
  /** SHA-256 of the token, base64url. */
  token_hash: string
  kind: string
  target: string | null
  /** The kind's own fields, a JSON object. */
  payload: string
  title: string | null
  campaign: string | null
  /** A JSON object, in the order in which its pairs are set on the destination. */
  utm: string
  /** 1 while visits are answered, 0 while the owner has paused the link. */
  active: number
  /** Counts the changes; its text is the entity tag. */
  revision: number
  /** Milliseconds since 1970, UTC, here and in every other table. */
  created_at: number
  updated_at: number
  /** When the link was removed for abuse; null for all but a few, as the three that follow. */
  removed_at: number | null
  removed_reason: string | null
  /** Who removed it: `list`, `operator` or `legal`. */
  removed_source: string | null
  /** The listed expression that it matched; null when its code was removed by name. */
  removed_entry: string | null
}

/** Answers of creations that may be asked for again with the same `Idempotency-Key`. */
interface ReplaysTable {
  /** Derived from the key, which is itself not kept. */
  lookup: string
  request_hash: string
  /** The answer, encrypted under another derivative of the key. */
  sealed: string
  created_at: number
}

/** What the operator says about hosts and URLs, before any list. */
interface EntriesTable {
  /** A canonical expression: `host/`, `host/path/`, `host/path?query`. */
  entry: string
  /** `block`, or `allow` in spite of the lists. */
  verdict: string
  reason: string
  /** 1 when links that it removes answer as removed by legal order. */
  legal: number
  created_at: number
}

/** What was reported of a link: one row, however often. */
interface ReportsTable {
  link_id: number
  count: number
  /** A JSON object: how often each reason was given. */
  reasons: string
  /** A JSON array of the newest reports that said more. */
  notes: string
  first_at: number
  last_at: number
}

/** Each change that the service or its operator has made to what others own. Rows are never changed. */
interface AuditTable {
  id: Generated<number>
  at: number
  action: string
  subject: string
  source: string
  reason: string
}

/** How far the links were matched against the lists. */
interface SweepsTable {
  name: string
  /** Tells one state of the lists from another. */
  lists: string
  /** The last link that was matched. */
  position: number
  finished: number
}

/** Host names whose owners have pointed them here, or mean to. */
interface DomainsTable {
  /** Lower case, IDNA-encoded, without trailing dot. */
  name: string
  /** The name below the public suffix: what one owner has. */
  registrable: string
  /** SHA-256 of the token, base64url. */
  token_hash: string
  status: 'pending' | 'active' | 'misconfigured'
  status_since: number
  created_at: number
  /** When the status was last written; other processes read what is new by it. */
  updated_at: number
  checked_at: number | null
  next_check_at: number
  /** Checks that failed since the last one that did not. */
  failures: number
  failing_since: number | null
  fault_code: string | null
  fault_detail: string | null
  /** When the DNS proved a claim to it last; null when its token is still that of its registration. */
  claimed_at: number | null
}

/** Tokens that take over a name once their record stands in its DNS. */
interface DomainClaimsTable {
  name: string
  /** What the TXT record must say; derived from the name and the token's hash. */
  proof: string
  token_hash: string
  created_at: number
}

/** Names that the operator keeps: neither they nor names under them can be registered. */
interface RefusedDomainsTable {
  name: string
  created_at: number
}

/** How the QR images of a link are to look, where its owner has said so. */
interface DesignsTable {
  link_id: number
  /** A JSON object. */
  design: string
}

interface MigrationsTable {
  number: number
  name: string
  applied_at: number
}

/** The work that one process alone does at a time, of all on the store. */
interface LeasesTable {
  name: string
  /** A random identifier of the holder until `expires_at`. */
  holder: string
  expires_at: number
}

export interface Tables {
  designs: DesignsTable
  codes: CodesTable
  links: LinksTable
  replays: ReplaysTable
  entries: EntriesTable
  reports: ReportsTable
  audit: AuditTable
  sweeps: SweepsTable
  domains: DomainsTable
  domain_claims: DomainClaimsTable
  refused_domains: RefusedDomainsTable
  leases: LeasesTable
  certificates: CertificatesTable
  issuances: IssuancesTable
  acme_orders: AcmeOrdersTable
  acme_accounts: AcmeAccountsTable
  acme_challenges: AcmeChallengesTable
  ticket_keys: TicketKeysTable
  purges: { link_id: number } // Deleted links of which something may be kept outside this database.
  deletions: { link_id: number } // Every link that was ever deleted: scans of it may come back with an old copy of them.
  instance: { id: string } // One row: what tells this store from others, for good.
  migrations: MigrationsTable
}
