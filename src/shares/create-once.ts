import type { Transaction } from '#kysely'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import { runCharged } from '../lib/charged.ts'
import type { Client } from '../links/client.ts'
import { createIdempotency, type IdempotentRequest } from '../links/idempotency/idempotency.ts'

/**
 * Creates a share. With an idempotent request a retry returns the first one: that response is stored for a day, which is charged as
 * that of the creation of a link.
 */
export type CreateOnce = <T>(
  insert: (transaction: Transaction<Tables>) => Promise<T>,
  client: Pick<Client, 'charge'>,
  idempotentRequest: IdempotentRequest | undefined,
) => Promise<T>

export function createsOnce({ db, now }: { db: Database; now: () => number }): CreateOnce {
  const idempotency = createIdempotency(db, now)
  return async (insert, client, idempotentRequest) => {
    if (idempotentRequest === undefined) return db.transaction(insert)
    const { response } = await runCharged(
      () => client.charge('links'),
      (chargeOnce) => idempotency.run(idempotentRequest, chargeOnce, insert),
    )
    return response
  }
}
