import { setTimeout as sleep } from 'node:timers/promises'

/** Far more than any operation takes: tests assert that it happens, not how fast. */
export const PATIENCE_MS = 60_000
const PAUSE_MS = 10

/**
 * Waits for a condition; throws if it is not met within a minute.
 * @param what describes the last state for the error
 */
export async function poll(
  happened: () => boolean | Promise<boolean>,
  what: () => string = () => happened.toString(),
): Promise<void> {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await sleep(PAUSE_MS)) {
    if (await happened()) return
  }
  throw new Error(`timed out waiting for: ${what()}`)
}
