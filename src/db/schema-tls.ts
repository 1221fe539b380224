import type { Generated } from '#kysely'

/** The certificates that were issued for the service and for custom domains. */
export interface CertificatesTable {
  name: string
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
export interface IssuancesTable {
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
  /** Who has visited it: a digest by a key that only one process knows, while it runs. Null unless it waits. */
  client: string | null
}

/** Recent orders, for the service's own rate limits. */
export interface AcmeOrdersTable {
  id: Generated<number>
  placed_at: number
  /** Of a first certificate, as `issuances` has them. */
  registrable: string | null
  client: string | null
}

/** The account with each certificate authority. */
export interface AcmeAccountsTable {
  directory: string
  key: string
  /** Null until the authority has created the account. */
  address: string | null
}

/** Responses to challenges of certificate authorities. */
export interface AcmeChallengesTable {
  /** Of `/.well-known/acme-challenge/<token>`; or the name, for a challenge on port 443. */
  token: string
  answer: string
  created_at: number
}

/** Keys that encrypt TLS session tickets, one for each period. */
export interface TicketKeysTable {
  period: number
  key: string
}
