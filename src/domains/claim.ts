import { hash } from 'node:crypto'

const DAY_MS = 24 * 60 * 60 * 1000

/** How long a claim is valid. */
export const CLAIM_MS = 7 * DAY_MS

/** The maximum of pending claims per name, above which the oldest is deleted. Legitimate use needs one or two. */
export const MAX_CLAIMS = 1000

/** The label of the TXT records of all claims of a name. */
const PREFIX = '_quirl.'

/** The longest name that can have this prefix (RFC 1035, 2.3.4). */
export const MAX_CLAIMED_NAME = 253 - PREFIX.length

/** A token that takes over a name once its proof is in the name's DNS. */
export interface Claim {
  name: string
  /** The value of the TXT record. */
  proof: string
  tokenHash: string
  createdAt: number
}

export function newClaim(name: string, tokenHash: string, now: number): Claim {
  return { name, proof: proofOf(name, tokenHash), tokenHash, createdAt: now }
}

/** The name of the TXT record of a claim. */
export function claimRecord(name: string): string {
  return PREFIX + name
}

/**
 * TXT records are public. So a proof is for one token, which cannot be derived from it, and for one name: a wildcard
 * record proves the claim of only one of the names that it covers.
 */
export function proofOf(name: string, tokenHash: string): string {
  return `quirl-claim=${hash('sha256', `quirl-claim ${name} ${tokenHash}`, 'base64url')}`
}

/** Whether a TXT value has the format of a proof: other services may have records there. */
export function isProof(text: string): boolean {
  return /^quirl-claim=[\w-]{43}$/.test(text)
}
