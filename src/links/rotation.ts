import { hashToken, newToken } from '../lib/token.ts'
import { noCharge } from '../lib/charged.ts'
import { chargeResponse, type Client } from './client.ts'
import { collectionOfToken } from './collection-keys.ts'
import { createCharged, type CreationOptions } from './create.ts'
import { credentialKey, tokenHashesOf, type Credential } from './credential.ts'
import type { LinkDeps } from './deps.ts'
import { missingLink } from './deleted.ts'
import { putNextToken } from './rotation-store.ts'
import { isWorking, type TokenDeps } from './token-look-up.ts'

/** The response to a rotation. */
export interface RotatedToken {
  token: string
  manage_url: string
}

/** The response to a creation has a token as well, and a rotation with its key is another request. */
function isRotation(response: unknown): response is RotatedToken {
  return Object.keys(response as object).every((name) => name === 'token' || name === 'manage_url')
}

/**
 * Issues a token that replaces a link's own once it is used, or an hour later; an earlier one that was not used is void. So
 * whoever lost the response still has a token that works.
 * @param options of its `idempotentRequest` the key and the headers count: a retry may come with the old token, even when that
 * no longer works, or with the new one. Only a response that is stored for retries is charged, as that of a creation.
 * @throws {Problem} 404 for an unknown token, 422 when the key was used for another request, 429 when the quota is used up
 */
export async function rotateToken(
  deps: TokenDeps & Pick<LinkDeps, 'idempotency' | 'ids'>,
  token: Credential,
  client: Pick<Client, 'origin' | 'charge' | 'chargeRoom'>,
  { idempotentRequest }: CreationOptions,
): Promise<RotatedToken> {
  const isKnown = await isWorking(deps, token)
  const key = idempotentRequest && {
    key: idempotentRequest.key,
    request: JSON.stringify(['rotate', hashToken(credentialKey(token)), ...(idempotentRequest.covered ?? [])]),
    isAnsweredBy: (response: unknown) => isRotation(response) && response.token === token,
  }
  const chargeKnown = async () => {
    if (!isKnown) throw await missingLink(deps, token)
    return idempotentRequest === undefined ? noCharge() : chargeResponse(client)()
  }
  return createCharged(deps, { charge: chargeKnown, idempotentRequest: key }, async ({ transaction }) => {
    const next = newToken()
    const inside = { db: { read: transaction, write: transaction }, now: deps.now }
    const [tokenHash] = await tokenHashesOf(inside, [token])
    const through =
      typeof token === 'string' ? null : ((await collectionOfToken(inside, token.collectionToken)) ?? null)
    const rotation = { nextHash: hashToken(next), through, now: deps.now() }
    if (tokenHash === undefined || !(await putNextToken(transaction, tokenHash, rotation)))
      throw await missingLink(deps, token)
    return { token: next, manage_url: `${client.origin}/m/${next}` }
  })
}
