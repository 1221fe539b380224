/**
 * Charges a creation to the client's quota, and resolves to the function that refunds it; rejects when the quota is used up.
 */
export type Charge = () => Promise<() => Promise<void>>

/** Charges a change by what it stores (`changeUnits`). */
export type ChargeChange = (units: number) => ReturnType<Charge>

/** Charges nothing. */
export const noCharge: Charge = async () => async () => {}

/** A creation throws this to be rolled back and charged all the same. */
export class ChargedRollback extends Error {}

/** Runs a change; refunds one that fails. */
export async function refundFailed<T>(
  charge: Charge,
  run: (chargeOnce: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const { done } = await runCharged(charge, async (chargeOnce) => ({ isRetry: false, done: await run(chargeOnce) }))
  return done
}

/**
 * Runs a creation that may be a retry; refunds a retry, and a creation that fails.
 * @param run is given the charge, which counts once, to be called before each attempt to create
 */
export async function runCharged<T extends { isRetry: boolean }>(
  charge: Charge,
  run: (chargeOnce: () => Promise<void>) => Promise<T>,
): Promise<T> {
  let refund: (() => Promise<void>) | undefined
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
