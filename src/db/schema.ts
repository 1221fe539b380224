import type { Generated } from '#kysely'
import type {
  AuditTable,
  ReportersTable,
  ReporterSaltsTable,
  ReportsTable,
  RulesTable,
  SaltsTable,
  SweepsTable,
} from './schema-abuse.ts'
import type { CreationKeysTable } from './schema-keys.ts'
import type { RevisionsTable, SharesTable } from './schema-owners.ts'
import type {
  AcmeAccountsTable,
  AcmeChallengesTable,
  AcmeOrdersTable,
  CertificatesTable,
  IssuancesTable,
  TicketKeysTable,
} from './schema-tls.ts'
import type { OutboxTable, WebhooksTable } from './schema-webhooks.ts'

/** The codes of deleted links: a printed code must never lead to another's link. */
interface CodesTable {
  /** The code in lower case. */
  code_key: string
}

interface LinksTable {
  /** Never reused, not even by another copy of the store: see `links/ids.ts`. */
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
  /** A JSON object, in the order in which its parameters are set in the destination. */
  utm: string
  /** A JSON array, in the order in which the rules are tried; null without rules. */
  rules: string | null
  /** A JSON array; null without placements. */
  placements: string | null
  /** 1, or 0 while the owner has paused the link. */
  active: number
  /** Counts the changes; its text is the entity tag. */
  revision: number
  /** Milliseconds since 1970, UTC, here and in every other table. */
  created_at: number
  updated_at: number
  /** When the link was suspended for abuse; null unless it is, as the next three columns. */
  removed_at: number | null
  removed_reason: string | null
  /** Who suspended it: `list`, `operator` or `legal`. */
  removed_source: string | null
  /** The expression of the list or rule that it matched; null when the operator named its code. */
  removed_expression: string | null
  /** The hash of the token that replaces the link's own once it is used; null unless there is one, as the next column. */
  next_token_hash: string | null
  /** When that was issued. */
  rotated_at: number | null
  /** The hash of its password in the PHC string format; null without one. */
  password: string | null
  /** When the operator put a warning before the link; null unless there is one, as the next column. */
  warned_at: number | null
  warned_reason: string | null
  /** When the owner was told that people report the link; null unless that is so, as the next two columns. */
  reported_at: number | null
  /** From how many networks, and the reason that most have given. */
  reported_networks: number | null
  reported_reason: string | null
}

/** Responses of creations, for retries with the same `Idempotency-Key`. */
interface IdempotencyKeysTable {
  /** Derived from the key, which is not stored. */
  lookup: string
  request_hash: string
  /** The response, encrypted with another key that is derived from it. */
  response: string
  created_at: number
}

/** Custom domains. */
interface DomainsTable {
  /** Lower case, IDNA-encoded, without trailing dot. */
  name: string
  /** The registrable domain: the public suffix and one label. */
  registrable: string
  /** SHA-256 of the token, base64url. */
  token_hash: string
  status: 'pending' | 'active' | 'misconfigured'
  status_since: number
  created_at: number
  /** When the row was last written; other processes read newer rows. */
  updated_at: number
  checked_at: number | null
  next_check_at: number
  failures: number
  failing_since: number | null
  fault_code: string | null
  fault_detail: string | null
  fault_findings: string | null
  /** When DNS last proved a claim to it; null while its token is still that of its registration. */
  claimed_at: number | null
  /** 1 while it serves pages although it leads here: it did before it was registered, and DNS has not proven that yet. */
  proof_wanted: Generated<number>
}

/** Names of no registration under which owners' pages were served. */
interface PageNamesTable {
  name: string
  served_at: number
}

/** Tokens that take over a name once its DNS has their record. */
interface DomainClaimsTable {
  name: string
  /** The value of the TXT record; derived from the name and the token's hash. */
  proof: string
  token_hash: string
  created_at: number
}

/** Names that the operator refuses: neither they nor their subdomains can be registered. */
interface RefusedDomainsTable {
  name: string
  created_at: number
}

/** The designs of links' QR images, where their owners have saved one. */
interface DesignsTable {
  link_id: number
  /** A JSON object. */
  design: string
}

interface MigrationsTable {
  number: number
  name: string
  applied_at: number
  /** 1 when a program that does not know the step works on the database all the same. */
  only_adds: Generated<number>
}

/** The work that only one of all processes on the store may do at a time. */
interface LeasesTable {
  name: string
  /** A random identifier of the holder until `expires_at`. */
  holder: string
  expires_at: number
}

/** One row: what is known of the clock (removal-clock.ts). */
interface ClockTable {
  one: number
  seen_at: number
  checked_at: number
  doubted_ms: number
}

export interface Tables {
  clock: ClockTable
  designs: DesignsTable
  codes: CodesTable
  links: LinksTable
  revisions: RevisionsTable
  idempotency_keys: IdempotencyKeysTable
  rules: RulesTable
  reports: ReportsTable
  reporters: ReportersTable
  reporter_salts: ReporterSaltsTable
  shares: SharesTable
  audit: AuditTable
  sweeps: SweepsTable
  salts: SaltsTable
  domains: DomainsTable
  domain_claims: DomainClaimsTable
  refused_domains: RefusedDomainsTable
  page_names: PageNamesTable
  leases: LeasesTable
  creation_keys: CreationKeysTable
  certificates: CertificatesTable
  issuances: IssuancesTable
  acme_orders: AcmeOrdersTable
  acme_accounts: AcmeAccountsTable
  acme_challenges: AcmeChallengesTable
  ticket_keys: TicketKeysTable
  webhooks: WebhooksTable
  outbox: OutboxTable
  purges: { link_id: number } // Deleted links whose data outside this database may not be purged yet.
  deletions: { link_id: number } // Every deleted link: an old copy of the scans may bring its scans back.
  instance: { id: string } // One row: the permanent ID of this store.
  migrations: MigrationsTable
}
