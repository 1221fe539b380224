import { hash } from 'node:crypto'

const DAY_MS = 24 * 60 * 60 * 1000

/** How long the record of a claim is looked for. */
export const CLAIM_MS = 7 * DAY_MS

/** Whoever asks for this many claims of one name pushes out the oldest; nobody else needs more than one or two. */
export const MAX_CLAIMS = 1000

/** Where the record of a claim stands: the same place for every claim of a name, several records may stand there. */
const PREFIX = '_quirl.'

/** A name's own length (RFC 1035, 2.3.4) leaves room for the prefix up to here. */
export const MAX_CLAIMED_NAME = 253 - PREFIX.length

/** A token that takes over a name once its proof stands in the name's DNS. */
export interface Claim {
  name: string
  /** What the TXT record says. */
  proof: string
  tokenHash: string
  createdAt: number
}

export function newClaim(name: string, tokenHash: string, now: number): Claim {
  return { name, proof: proofOf(name, tokenHash), tokenHash, createdAt: now }
}

export function claimRecord(name: string): string {
  return PREFIX + name
}

/**
 * Everyone can read a TXT record. So a proof belongs to one token, which nobody finds from it, and to one name: a
 * record that answers for many names at once (a wildcard) gives away but one of them.
 */
function proofOf(name: string, tokenHash: string): string {
  return `quirl-claim=${hash('sha256', `quirl-claim ${name} ${tokenHash}`, 'base64url')}`
}

/** Whether a text may be a proof: records of other services stand beside it. */
export function isProof(text: string): boolean {
  return /^quirl-claim=[\w-]{43}$/.test(text)
}
