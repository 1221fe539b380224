import { AcmeError, parseJson } from './acme-error.ts'
import type { AcmeClient } from './acme.ts'
import type { StoredCertificate } from './certificate-store.ts'
import { renewalId } from './certificate.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** When the authority sends no Retry-After (RFC 9773, 4.3.2), or no response. */
const DEFAULT_RETRY_MS = 6 * HOUR_MS
const RETRY_AFTER_FAILURE_MS = HOUR_MS

interface RenewalInfo {
  suggestedWindow?: { start?: string; end?: string }
}

/**
 * Asks the authority when to renew a certificate (RFC 9773). Without a usable response the renewal time stays.
 * @param random from 0 to 1: selects the time within the suggested window
 * @returns the certificate with its new times
 */
export async function refreshRenewalTime(
  client: AcmeClient,
  certificate: StoredCertificate,
  now: number,
  random: () => number,
): Promise<StoredCertificate> {
  try {
    const { renewalInfo } = await client.directory()
    const id = renewalId(certificate.chain)
    if (renewalInfo === undefined || id === undefined) return { ...certificate, checkRenewalAt: now + DAY_MS }
    const response = await client.get(`${renewalInfo.replace(/\/$/, '')}/${id}`)
    const wait = Math.min(Math.max(response.retryAfter ?? DEFAULT_RETRY_MS, MINUTE_MS), DAY_MS)
    const renewAt = chooseTime(parseJson(response.text), certificate, random)
    return { ...certificate, renewAt, checkRenewalAt: now + wait }
  } catch (error) {
    if (error instanceof AcmeError) return { ...certificate, checkRenewalAt: now + RETRY_AFTER_FAILURE_MS }
    throw error
  }
}

function chooseTime({ suggestedWindow }: RenewalInfo, certificate: StoredCertificate, random: () => number): number {
  const start = Date.parse(suggestedWindow?.start ?? '')
  const end = Date.parse(suggestedWindow?.end ?? '')
  const { renewAt, notAfter } = certificate
  // Ignore an invalid window, and one that would let the certificate expire.
  if (!(start < end) || start >= notAfter) return renewAt
  if (renewAt >= start && renewAt <= end) return renewAt
  return Math.floor(start + random() * (Math.min(end, notAfter) - start))
}
