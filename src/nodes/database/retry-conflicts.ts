import { setTimeout as sleep } from 'node:timers/promises'

/** With the pauses, the last attempt begins about a second after the first. */
const ATTEMPTS = 8
const FIRST_PAUSE_MS = 10

/**
 * Runs a transaction again that was rolled back because of another one: at random times that grow apart, so that the two do
 * not meet again.
 * @param isConflict whether an error means that
 */
export async function retryConflicts<T>(
  run: () => Promise<T>,
  isConflict: (error: unknown) => boolean,
  random: () => number = Math.random,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run()
    } catch (error) {
      if (attempt === ATTEMPTS || !isConflict(error)) throw error
      await sleep(random() * FIRST_PAUSE_MS * 2 ** attempt)
    }
  }
}
