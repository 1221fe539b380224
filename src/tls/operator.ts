import { nameIn } from '../domains/operator.ts'
import type { AdminOperations } from '../admin/socket.ts'
import { Problem } from '../http/problem.ts'
import { hostName } from '../lib/host.ts'
import type { Certificates } from './certificates.ts'
import { IssuanceError } from './issuer.ts'

/** A name as `quirl certs` is told of it. Times are milliseconds since 1970, UTC. */
export interface CertificateRow {
  name: string
  expires_at: number | null
  renews_at: number | null
  /** Why the last attempt failed, and when the next may be made. */
  fault: string | null
  retry_at: number | null
}

/** What an operator can ask of certificates; undefined while TLS is off. */
export function certificateOperations(certificates: Certificates | undefined): AdminOperations {
  const theirs = () => {
    if (certificates !== undefined) return certificates
    throw new Problem('not_found', 'this service has no certificates of its own: TLS is off')
  }
  return {
    async certs(): Promise<{ certificates: CertificateRow[] }> {
      const found = await theirs().list()
      return {
        certificates: found.map(({ name, notAfter, renewAt, fault, retryAt }) => ({
          name,
          expires_at: notAfter ?? null,
          renews_at: renewAt ?? null,
          fault: fault ?? null,
          retry_at: retryAt || null,
        })),
      }
    },
    async 'renew-cert'(input): Promise<{ name: string; expires_at: number }> {
      try {
        const { name, notAfter } = await theirs().renew(hostName(nameIn(input)))
        return { name, expires_at: notAfter }
      } catch (error) {
        if (error instanceof IssuanceError) throw new Problem('unavailable', error.message, { cause: error })
        throw error
      }
    },
  }
}
