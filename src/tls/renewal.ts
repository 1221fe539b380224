import { AcmeError, parse, type AcmeClient } from './acme.ts'
import { renewalId } from './certificate.ts'
import type { KeptCertificate } from './store.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** When the authority does not say when to ask again (RFC 9773, 4.3.2), or does not answer. */
const ASK_AGAIN_MS = 6 * HOUR_MS
const ASK_AFTER_FAILURE_MS = HOUR_MS

interface RenewalInfo {
  suggestedWindow?: { start?: string; end?: string }
}

/**
 * Asks the authority when a certificate is to be renewed (RFC 9773). Without an answer, what was known stays.
 * @param random from 0 to 1: where in the suggested window the renewal is placed
 * @returns the certificate with its new times
 */
export async function askRenewal(
  client: AcmeClient,
  certificate: KeptCertificate,
  now: number,
  random: () => number,
): Promise<KeptCertificate> {
  try {
    const { renewalInfo } = await client.directory()
    const id = renewalId(certificate.chain)
    if (renewalInfo === undefined || id === undefined) return { ...certificate, askAt: now + DAY_MS }
    const answer = await client.get(`${renewalInfo.replace(/\/$/, '')}/${id}`)
    const wait = Math.min(Math.max(answer.retryAfter ?? ASK_AGAIN_MS, MINUTE_MS), DAY_MS)
    const renewAt = place(parse(answer.text) as RenewalInfo, certificate, random)
    return { ...certificate, renewAt, askAt: now + wait }
  } catch (error) {
    if (error instanceof AcmeError) return { ...certificate, askAt: now + ASK_AFTER_FAILURE_MS }
    throw error
  }
}

function place({ suggestedWindow }: RenewalInfo, certificate: KeptCertificate, random: () => number): number {
  const start = Date.parse(suggestedWindow?.start ?? '')
  const end = Date.parse(suggestedWindow?.end ?? '')
  // What is no window, or would let the certificate expire, is no advice.
  if (!(start < end) || start >= certificate.notAfter) return certificate.renewAt
  const { renewAt } = certificate
  if (renewAt >= start && renewAt <= end) return renewAt
  return Math.floor(start + random() * (Math.min(end, certificate.notAfter) - start))
}
