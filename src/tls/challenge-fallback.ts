import { AcmeError } from './acme-error.ts'
import type { Signer } from './acme.ts'
import { Postponed } from './issuance-error.ts'
import type { OrderLimiter } from './order-limiter.ts'
import { orderCertificate, type ChallengeType, type OrderDeps, type OrderRequest } from './order.ts'

/** Orders a certificate. @returns its chain, PEM */
export type OrderCertificate = (signer: Required<Signer>, request: OrderRequest, signal: AbortSignal) => Promise<string>

/** Error types for a port that is closed, or that another server uses. */
const portErrors = new Set(['connection', 'unauthorized', 'tls'])

const ports: Record<ChallengeType, number> = { 'http-01': 80, 'tls-alpn-01': 443 }

/**
 * Orders with the challenge type that worked last, at first HTTP-01, and with the other one when its port does not work. Once a type has
 * worked for the service's own host, a first certificate is tried with that only: a failure is the fault of the name, and must not cost two
 * orders. The names of strangers do not decide that, since they may lead the authority to another server, and neither does what the
 * authority has validated earlier.
 */
export function createOrderWithFallback(deps: OrderDeps, limiter: Pick<OrderLimiter, 'acquire'>): OrderCertificate {
  let worked: ChallengeType = 'http-01'
  let isCertain = false

  const order = async (challenge: ChallengeType, ...[signer, request, signal]: Parameters<OrderCertificate>) => {
    const { chain, isValidated } = await orderCertificate(deps, signer, { ...request, challenge }, signal)
    const isOwn = request.purpose === 'own'
    if (isValidated && (isOwn || !isCertain)) [worked, isCertain] = [challenge, isOwn]
    return chain
  }

  return async (...args) => {
    const [, { name, purpose }, signal] = args
    const first = worked
    try {
      return await order(first, ...args)
    } catch (error) {
      if (!(error instanceof AcmeError) || !portErrors.has(error.type)) throw error
      if (isCertain && purpose === 'first') throw error
      await limiter.acquire(name, purpose, signal).catch((refusal: unknown) => {
        throw refusal instanceof Postponed ? error : refusal
      })
      const other = first === 'http-01' ? 'tls-alpn-01' : 'http-01'
      return order(other, ...args).catch((second: unknown) => {
        if (!(second instanceof AcmeError)) throw second
        const detail = `${error.detail} (port ${ports[first]}); ${second.detail} (port ${ports[other]})`
        throw new AcmeError(error.type, detail, second)
      })
    }
  }
}
