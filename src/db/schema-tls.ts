import type { Generated } from '#kysely'

/** The certificates that the service has got for itself and for custom domains. */
export interface CertificatesTable {
  name: string
  /** PEM: the certificate and those that lead to a root. */
  chain: string
  /** PEM (PKCS #8). */
  key: string
  not_before: number
  not_after: number
  renew_at: number
  /** When the authority is next asked when to renew. */
  ask_at: number
}

/** How often the issuance of a certificate for a name has failed in a row. */
export interface IssuancesTable {
  name: string
  failures: number
  /** Not to be tried again before. */
  retry_at: number
  fault: string | null
}

/** Orders that were placed lately, for our own limits. */
export interface AcmeOrdersTable {
  id: Generated<number>
  placed_at: number
}

/** Our account with each certificate authority. */
export interface AcmeAccountsTable {
  directory: string
  key: string
  /** Null until the authority has made the account. */
  address: string | null
}

/** Answers to what certificate authorities ask to see. */
export interface AcmeChallengesTable {
  /** Of `/.well-known/acme-challenge/<token>`; or, where port 443 is looked at, the name. */
  token: string
  answer: string
  created_at: number
}

/** Secrets that TLS session tickets are sealed with, one for each period. */
export interface TicketKeysTable {
  period: number
  key: string
}
