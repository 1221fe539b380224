import type { Database } from '../db/database.ts'
import { noCharge, runCharged } from '../lib/charged.ts'
import { newCollectionToken } from '../lib/collection-token.ts'
import { hashToken } from '../lib/token.ts'
import { chargeResponse, type Client } from '../links/client.ts'
import { putNextCollectionKey } from '../links/collection-key-store.ts'
import { collectionOfToken } from '../links/collection-keys.ts'
import type { Idempotency, IdempotentRequest } from '../links/idempotency/idempotency.ts'
import { collectionNotFound } from './collecting.ts'

interface RotationDeps {
  db: Database
  now: () => number
  idempotency: Idempotency
}

/** The response to a creation has the collection beside the token, and a rotation with its key is another request. */
function isRotation(response: unknown): response is { token: string } {
  return Object.keys(response as object).every((name) => name === 'token')
}

/** See `Collections.rotate`; as `rotateToken` does it for links. */
export async function rotateCollection(
  { db, now, idempotency }: RotationDeps,
  token: string,
  client: Pick<Client, 'charge' | 'chargeRoom'>,
  given: IdempotentRequest | undefined,
): Promise<string> {
  const known = await collectionOfToken({ db, now }, token)
  // A retry may come with the old token, even when that no longer works, or with the new one.
  const request = given && {
    key: given.key,
    request: JSON.stringify(['rotate', hashToken(token), ...(given.covered ?? [])]),
    isAnsweredBy: (response: unknown) => isRotation(response) && response.token === token,
  }
  const charge = async () => {
    if (known === undefined) throw collectionNotFound()
    return given === undefined ? noCharge() : chargeResponse(client)()
  }
  const { response } = await runCharged(charge, (chargeOnce) =>
    idempotency.run(request, chargeOnce, async (transaction) => {
      const next = newCollectionToken()
      const inside = { db: { read: transaction, write: transaction }, now }
      const id = await collectionOfToken(inside, token)
      if (id === undefined) throw collectionNotFound()
      await putNextCollectionKey(transaction, id, { nextHash: hashToken(next), now: now() })
      return { token: next }
    }),
  )
  return response.token
}
