import { AcmeError } from './acme-error.ts'
import type { Signer } from './acme.ts'
import { Postponed } from './issuance-error.ts'
import type { OrderLimiter } from './order-limiter.ts'
import { orderCertificate, type ChallengeType, type OrderDeps, type OrderRequest } from './order.ts'

/** Orders a certificate. @returns its chain, PEM */
export type OrderCertificate = (signer: Required<Signer>, request: OrderRequest, signal: AbortSignal) => Promise<string>

/** Error types for a port that is closed, or that another server uses. */
const portErrors = new Set(['connection', 'unauthorized', 'tls'])

/**
 * Orders with HTTP-01, and with TLS-ALPN-01 when port 80 does not work. After the first success only the challenge type
 * that worked is used: a later failure is the fault of the name, and must not cost two orders.
 */
export function createOrderWithFallback(deps: OrderDeps, limiter: OrderLimiter): OrderCertificate {
  let proven: ChallengeType | undefined
  const order = async (challenge: ChallengeType, ...[signer, request, signal]: Parameters<OrderCertificate>) => {
    const chain = await orderCertificate(deps, signer, { ...request, challenge }, signal)
    proven = challenge
    return chain
  }
  return async (...args) => {
    try {
      return await order(proven ?? 'http-01', ...args)
    } catch (error) {
      const [, { name, purpose }, signal] = args
      if (!(error instanceof AcmeError) || !portErrors.has(error.type) || proven !== undefined) throw error
      await limiter.acquire(name, purpose, signal).catch((refusal: unknown) => {
        throw refusal instanceof Postponed ? error : refusal
      })
      return order('tls-alpn-01', ...args).catch((second: unknown) => {
        if (!(second instanceof AcmeError)) throw second
        throw new AcmeError(error.type, `${error.detail} (port 80); ${second.detail} (port 443)`, second)
      })
    }
  }
}
