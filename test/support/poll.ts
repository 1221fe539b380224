import { setTimeout as sleep } from 'node:timers/promises'

/** Far more than anything takes: what is promised is that it happens, and machines are slow at times. */
export const PATIENCE_MS = 60_000
const PAUSE_MS = 10

/**
 * Waits for something that happens by itself; throws when it does not within a minute.
 * @param what is told then: what was seen last, say
 */
export async function poll(
  happened: () => boolean | Promise<boolean>,
  what: () => string = () => happened.toString(),
): Promise<void> {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; await sleep(PAUSE_MS)) {
    if (await happened()) return
  }
  throw new Error(`it did not happen: ${what()}`)
}
