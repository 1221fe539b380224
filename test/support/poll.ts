import { setTimeout as sleep } from 'node:timers/promises'

/** Far more than any operation takes: tests assert that it happens, not how fast. */
export const PATIENCE_MS = 60_000
const PAUSE_MS = 10
const LONGEST_PAUSE_MS = 100

/**
 * Waits for a condition; throws if it is not met within a minute.
 * @param what describes the last state for the error
 */
export async function poll(
  happened: () => boolean | Promise<boolean>,
  what: () => string = () => happened.toString(),
): Promise<void> {
  const start = performance.now()
  for (let waited = 0; waited < PATIENCE_MS; waited = performance.now() - start) {
    if (await happened()) return
    // Looking takes CPU time, often of another process: who has waited for a second waits a tenth of one more.
    await sleep(Math.min(Math.max(PAUSE_MS, waited / 10), LONGEST_PAUSE_MS))
  }
  throw new Error(`timed out waiting for: ${what()}`)
}
