import { AcmeError, type Signer } from './acme.ts'
import type { OrderGate } from './order-gate.ts'
import { orderCertificate, type ChallengeType, type OrderDeps, type OrderRequest } from './order.ts'

/** Orders a certificate. @returns its chain, PEM */
export type Ordering = (signer: Required<Signer>, request: OrderRequest, signal: AbortSignal) => Promise<string>

/** What an authority says of a port that is closed, or that is another server's. */
const portFaults = new Set(['connection', 'unauthorized', 'tls'])

/**
 * Answers the authority on port 80, and on port 443 where that does not work. Once one of them has worked, the other is
 * not tried any more: a name that fails then has a fault of its own, and should not cost two orders.
 */
export function createOrdering(deps: OrderDeps, gate: OrderGate): Ordering {
  let proven: ChallengeType | undefined
  const order = async (type: ChallengeType, ...[signer, request, signal]: Parameters<Ordering>) => {
    const chain = await orderCertificate(deps, signer, { ...request, challenge: type }, signal)
    proven = type
    return chain
  }
  return async (...asked) => {
    try {
      return await order(proven ?? 'http-01', ...asked)
    } catch (error) {
      const [, , signal] = asked
      const isPort = error instanceof AcmeError && portFaults.has(error.type) && proven === undefined
      if (!isPort || !(await gate.admit(signal))) throw error
      return order('tls-alpn-01', ...asked).catch((second: unknown) => {
        if (!(second instanceof AcmeError)) throw second
        throw new AcmeError(error.type, `${error.detail} (port 80); ${second.detail} (port 443)`, second)
      })
    }
  }
}
