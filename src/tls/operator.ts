import { readName } from '../admin/input.ts'
import type { AdminOperations } from '../admin/socket.ts'
import { Problem } from '../http/problem.ts'
import { hostName } from '../lib/host.ts'
import type { CertificateReport, Certificates } from './certificates.ts'
import { IssuanceError } from './issuer.ts'

/** A row of `quirl certs`. Times are milliseconds since 1970, UTC. */
export interface CertificateRow {
  name: string
  expires_at: number | null
  renews_at: number | null
  /** Why the last attempt failed, and when the next one is allowed. */
  fault: string | null
  retry_at: number | null
}

/** The result of `certs`. */
export interface CertificatesResult {
  certificates: CertificateRow[]
}

/** The result of `renew-cert`. */
export interface RenewedResult {
  name: string
  expires_at: number
}

/** The operations of `quirl certs`. @param certificates undefined while TLS is off */
export function certificateOperations(certificates: Certificates | undefined): AdminOperations {
  const requireTls = () => {
    if (certificates !== undefined) return certificates
    throw new Problem('not_found', 'this service has no certificates: TLS is off')
  }
  return {
    async certs(): Promise<CertificatesResult> {
      return { certificates: (await requireTls().list()).map(toRow) }
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

function toRow({ name, notAfter, renewAt, fault, retryAt }: CertificateReport): CertificateRow {
  return {
    name,
    expires_at: notAfter ?? null,
    renews_at: renewAt ?? null,
    fault: fault ?? null,
    retry_at: retryAt || null,
  }
}
