import { readName } from '../operator/input.ts'
import type { OperatorOperations } from '../operator/socket.ts'
import { Problem } from '../http/problem.ts'
import { hostName } from '../lib/host.ts'
import type { CertificateReport, Certificates, Waiting } from './certificates.ts'
import { IssuanceError } from './issuance-error.ts'

/** A row of `quirl certs`. Times are milliseconds since 1970, UTC. */
export interface CertificateRow {
  name: string
  expires_at: number | null
  renews_at: number | null
  /** Why the last attempt failed, and when the next one is allowed. */
  fault: string | null
  retry_at: number | null
  /** Since when it waits for its first certificate. */
  queued_at: number | null
}

/** The result of `certs`. */
export interface CertificatesResult {
  certificates: CertificateRow[]
  /** The names that wait for their first certificate, and why none is ordered at the moment, until when. */
  waiting: WaitingRow | null
}

interface WaitingRow {
  count: number
  /** Since when the first of them does. */
  since: number
  reason: string | null
  until: number | null
}

/** The names that wait, in a line for the operator. */
export function describeWaiting({ count, since, reason, until }: WaitingRow): string {
  const names = `${count} ${count === 1 ? 'name waits for its' : 'names wait for their'} first certificate`
  const why = reason === null || until === null ? '' : `: ${reason}; it goes on after ${minute(until)} UTC`
  return `${names}, the first since ${minute(since)} UTC${why}`
}

function minute(at: number): string {
  return new Date(at).toISOString().slice(0, 16).replace('T', ' ')
}

/** The result of `renew-cert`. */
export interface RenewedResult {
  name: string
  expires_at: number
}

/** The operations of `quirl certs`. @param certificates undefined while TLS is off */
export function certificateOperations(certificates: Certificates | undefined): OperatorOperations {
  const requireTls = () => {
    if (certificates !== undefined) return certificates
    throw new Problem('not_found', 'this service has no certificates: TLS is off')
  }
  return {
    async certs(): Promise<CertificatesResult> {
      const [certificates, waiting] = await Promise.all([requireTls().list(), requireTls().waiting()])
      return { certificates: certificates.map(toRow), waiting: waiting === undefined ? null : toWaiting(waiting) }
    },
    async 'renew-cert'(input): Promise<RenewedResult> {
      try {
        const { name, notAfter } = await requireTls().renew(hostName(readName(input)))
        return { name, expires_at: notAfter }
      } catch (error) {
        if (error instanceof IssuanceError) throw new Problem('unavailable', error.message, { cause: error })
        throw error
      }
    },
  }
}

function toWaiting({ count, since, stop }: Waiting): WaitingRow {
  return { count, since, reason: stop?.reason ?? null, until: stop?.until ?? null }
}

function toRow({ name, notAfter, renewAt, fault, retryAt, queuedAt }: CertificateReport): CertificateRow {
  return {
    name,
    expires_at: notAfter ?? null,
    renews_at: renewAt ?? null,
    fault: fault ?? null,
    retry_at: retryAt || null,
    queued_at: queuedAt ?? null,
  }
}
