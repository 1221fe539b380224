import { setTimeout as sleep } from 'node:timers/promises'

const TRIES = 1000
const PAUSE_MS = 10

/** Waits for something that happens by itself; throws when it does not within ten seconds. */
export async function poll(happened: () => boolean | Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    if (await happened()) return
    await sleep(PAUSE_MS)
  }
  throw new Error(`it did not happen: ${happened.toString()}`)
}
