/** Gives back what was charged. It never rejects. */
export type Refund = () => Promise<void>

/** Charges the client's quota, and resolves to the refund; rejects when the quota is used up. */
export type Charge = () => Promise<Refund>

/** Charges nothing. */
export const noCharge: Charge = async () => async () => {}

/** Charges several quotas in their order, all or none. */
export function chargeAll(charges: Charge[]): Charge {
  return async () => {
    const refunds: Refund[] = []
    const refundAll = async () => void (await Promise.all(refunds.map((refund) => refund())))
    try {
      for (const charge of charges) refunds.push(await charge())
    } catch (error) {
      await refundAll()
      throw error
    }
    return refundAll
  }
}

/** Charges what is about to be stored, as the last of several charges: it is not refunded. */
export function chargesRoom(
  { chargeRoom }: { chargeRoom: (bytesOf: () => number) => Promise<void> },
  bytesOf: () => number,
): Charge {
  return async () => {
    await chargeRoom(bytesOf)
    return async () => {}
  }
}

/** Charges no room. */
export const noRoom = async () => {}

/** A creation throws this to be rolled back and charged all the same. */
export class ChargedRollback extends Error {}

/**
 * Runs work that is charged; refunds it when it fails.
 * @param run is given the charge, which counts once however often it is called
 */
export async function refundFailed<T>(
  charge: Charge,
  run: (chargeOnce: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const { done } = await runCharged(charge, async (chargeOnce) => ({ isRetry: false, done: await run(chargeOnce) }))
  return done
}

/** The same of a creation that may be a retry, which is refunded as well. */
export async function runCharged<T extends { isRetry: boolean }>(
  charge: Charge,
  run: (chargeOnce: () => Promise<void>) => Promise<T>,
): Promise<T> {
  let refund: Refund | undefined
  try {
    const result = await run(async () => {
      refund ??= await charge()
    })
    if (result.isRetry) await refund?.()
    return result
  } catch (error) {
    if (!(error instanceof ChargedRollback)) await refund?.()
    throw error
  }
}
