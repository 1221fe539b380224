import type { Transaction } from '#kysely'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { chargeAll, chargesRoom, runCharged, type Charge } from '../lib/charged.ts'
import { chargeResponse, type Client } from '../links/client.ts'
import { createIdempotency, type IdempotentRequest } from '../links/idempotency/idempotency.ts'

/** Bytes that keys and indexes of a share take, about. */
const SHARE_BYTES = 512

/** What the creation of a share is charged to. */
export type ShareClient = Pick<Client, 'charge' | 'chargeRoom'>

/**
 * Creates a share, which is charged as a change. With an idempotent request a retry returns the first one: that response is stored for
 * a day, which is charged as that of the creation of a link.
 * @param options what the owner has chosen, which is stored
 * @throws {Problem} 429 when a quota is used up
 */
export type CreateOnce = <T>(
  insert: (transaction: Transaction<Tables>) => Promise<T>,
  options: object,
  client: ShareClient,
  idempotentRequest: IdempotentRequest | undefined,
) => Promise<T>

export function createsOnce({ db, now }: { db: Database; now: () => number }): CreateOnce {
  const idempotency = createIdempotency(db, now)
  return async (insert, options, client, idempotentRequest) => {
    const charge = chargeAll(chargesOf(options, client, idempotentRequest !== undefined))
    const { response } = await runCharged(charge, (chargeOnce) =>
      idempotency.run(idempotentRequest, chargeOnce, insert),
    )
    return response
  }
}

function chargesOf(options: object, client: ShareClient, isRepeatable: boolean): Charge[] {
  const bytes = () => SHARE_BYTES + Buffer.byteLength(JSON.stringify(options))
  const ofShare = [() => client.charge('changes'), chargesRoom(client, bytes)]
  return isRepeatable ? [...ofShare, chargeResponse(client)] : ofShare
}
