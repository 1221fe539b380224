/** Charges a creation to the client's quota, and returns the function that refunds it. Throws when the quota is used up. */
export type Charge = () => () => void

/** A creation throws this to be rolled back and charged all the same. */
export class ChargedRollback extends Error {}

/**
 * Runs a creation that may be a retry; refunds a retry, and a creation that fails.
 * @param run is given the charge, which counts once, to be called before each attempt to create
 */
export async function runCharged<T extends { isRetry: boolean }>(
  charge: Charge,
  run: (chargeOnce: () => void) => Promise<T>,
): Promise<T> {
  let refund: (() => void) | undefined
  try {
    const result = await run(() => void (refund ??= charge()))
    if (result.isRetry) refund?.()
    return result
  } catch (error) {
    if (!(error instanceof ChargedRollback)) refund?.()
    throw error
  }
}
