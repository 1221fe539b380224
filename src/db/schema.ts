import type { Generated } from '#kysely'
import type {
  CollectionSharesTable,
  CollectionsTable,
  LooksTable,
  MembershipsTable,
  SharesTable,
} from './schema-collections.ts'
import type { CollectionOutboxTable, CollectionWebhooksTable, OutboxTable, WebhooksTable } from './schema-webhooks.ts'

/** The codes of deleted links, also of those that can be brought back: a printed code must never lead to another's link. */
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
  /** The id of the collection through which that was asked for; null when it was not by one. */
  rotated_through: string | null
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
  /**
   * When the owner deleted the link, who can bring it back for a day; null unless it is so. Until then its keys are hidden
   * (links/deleted-store.ts): no look-up by a code or a token finds it.
   */
  deleted_at: number | null
  /** When the operator gave out a new token; null when never, and once its owner has replaced that. */
  rekeyed_at: number | null
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
  /** From where it was registered, as `Holder` has it: digests by a key that only one process knows, while it runs. */
  allocation: string | null
  network: string | null
  client: string | null
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
  collections: CollectionsTable
  memberships: MembershipsTable
  looks: LooksTable
  collection_shares: CollectionSharesTable
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
  collection_webhooks: CollectionWebhooksTable
  collection_outbox: CollectionOutboxTable
  purges: { link_id: number } // Deleted links whose data outside this database may not be purged yet.
  deletions: { link_id: number } // Every deleted link: an old copy of the scans may bring its scans back.
  instance: { id: string } // One row: the permanent ID of this store.
  migrations: MigrationsTable
}

/** The operator's block and allow rules for hosts and URLs, which precede every list. */
interface RulesTable {
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
interface ReportsTable {
  link_id: number
  count: number
  /** A JSON object: how often each reason was given. */
  reasons: string
  /** A JSON array of the newest reports with details. */
  notes: string
  first_at: number
  last_at: number
  /** Since when operator and owner are to be told; null unless that waits for a change of the link. */
  untold_at: number | null
}

/** From where a link was reported in the last 30 days. */
interface ReportersTable {
  link_id: number
  /** The UTC day, as `2026-11-26`. */
  day: string
  /** 16 bits of a salted digest of the network. */
  network: number
}

/** The salts of these digests. */
interface ReporterSaltsTable {
  day: string
  salt: string
}

/** The audit log of changes that the service or its operator has made to links and domains of others. Append-only. */
interface AuditTable {
  id: Generated<number>
  at: number
  action: string
  subject: string
  source: string
  reason: string
}

/** The progress of matching the links against the lists. */
interface SweepsTable {
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
interface SaltsTable {
  name: string
  salt: string
}

/** Keys of the operator, with which links and domains are created. */
interface CreationKeysTable {
  /** SHA-256 of the key, base64url. */
  key_hash: string
  /** Names the key for the operator. */
  name: string
  created_at: number
  /** The last day on which it was used, such as 2026-11-23, UTC; null before the first. */
  used_on: string | null
}

/** What changes of links have replaced: see `links/history/history.ts`. */
interface RevisionsTable {
  link_id: number
  revision: number
  /** When this revision began. */
  at: number
  /** The fields that the next revision has replaced, a JSON object. */
  replaced: string
}

/** The certificates that were issued for the service and for custom domains. */
interface CertificatesTable {
  name: string
  /** Its registrable domain, or itself where it has none; null when an earlier version has stored it. */
  registrable: string | null
  /** When its first certificate became valid: renewals keep it. Null when it does not count: an earlier version has stored it, or DNS has proven whose the name is. */
  first_at: number | null
  /** PEM: the certificate and its intermediates. */
  chain: string
  /** PEM (PKCS #8). */
  key: string
  not_before: number
  not_after: number
  renew_at: number
  /** When the next request for renewal information is due. */
  ask_at: number
}

/** How often the issuance of a certificate for a name has failed in a row. */
interface IssuancesTable {
  name: string
  /** Because of the name. */
  failures: number
  /** For another reason. */
  interruptions: Generated<number>
  /** Since when the name waits for its first certificate; null unless it does. */
  queued_at: number | null
  /** The earliest time of the next attempt. */
  retry_at: number
  fault: string | null
  /** The registrable domain of a name that waits, or has waited. */
  registrable: string | null
  /** The network from which it was visited: a digest by a key that only one process knows, while it runs. Null unless it waits. */
  client: string | null
}

/** Recent orders, for the service's own rate limits. */
interface AcmeOrdersTable {
  id: Generated<number>
  placed_at: number
  /** What it was for; null when an earlier version has placed it. */
  purpose: 'first' | 'renewal' | 'retry' | 'own' | 'operator' | null
  /** 1 when DNS had proven whose the name is. */
  proven: Generated<number>
  /** Whose share it takes: of a first certificate as `issuances` has them, of a renewal as the name was registered. */
  registrable: string | null
  client: string | null
}

/** The account with each certificate authority. */
interface AcmeAccountsTable {
  directory: string
  key: string
  /** Null until the authority has created the account. */
  address: string | null
}

/** Responses to challenges of certificate authorities. */
interface AcmeChallengesTable {
  /** Of `/.well-known/acme-challenge/<token>`; or the name, for a challenge on port 443. */
  token: string
  answer: string
  created_at: number
}

/** Keys that encrypt TLS session tickets, one for each period. */
interface TicketKeysTable {
  period: number
  key: string
}
