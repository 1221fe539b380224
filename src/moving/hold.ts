import { StartError } from '../lib/start-error.ts'

/** A hold ends this long after it was last renewed, so that a command that was killed does not stop the service for ever. */
export const HOLD_MS = 10_000

/** How often the command renews a hold. */
const RENEWAL_MS = 1000

/** A hold that the command renews until it ends it. */
export interface KeptHold {
  /** Renews it at once and then each second. @throws when it cannot be renewed */
  begin: () => Promise<void>
  end: () => void
}

/**
 * Keeps a hold of what is moved.
 * @param renew rejects when the hold is no longer ours
 * @param lose called once, as soon as the hold may have ended: also when no answer came for as long as it lasts
 */
export function keepHold(
  renew: () => Promise<void>,
  lose: (reason: Error) => void,
  monotonic: () => number = () => performance.now(),
): KeptHold {
  let timer: NodeJS.Timeout | undefined
  let expiresAt = Number.POSITIVE_INFINITY
  let isAsking = false

  async function ask(): Promise<void> {
    isAsking = true
    // Earlier than where it is held, where it begins with the answer.
    const startedAt = monotonic()
    await renew()
    expiresAt = startedAt + HOLD_MS
    isAsking = false
  }

  function end(): void {
    clearInterval(timer)
    timer = undefined
  }

  function loseOnce(reason: unknown): void {
    if (timer === undefined) return
    end()
    lose(
      lostError(`what is moved no longer waits for it (${reason instanceof Error ? reason.message : String(reason)})`),
    )
  }

  return {
    async begin() {
      await ask()
      timer = setInterval(() => {
        // The process may have been suspended.
        if (monotonic() >= expiresAt) loseOnce(new Error('it was not renewed in time'))
        else if (!isAsking) ask().catch(loseOnce)
      }, RENEWAL_MS)
    },
    end,
  }
}

/** What to say when a move can no longer be finished. */
export function lostError(why: string): StartError {
  return new StartError(
    `the move has ended, because ${why}: the copy is not complete, and the old store goes on; run the command again`,
  )
}

/**
 * Does work until a signal comes, and then no longer waits for it, whatever it waits for itself.
 * @throws the reason of the signal
 */
export async function until<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  signal.throwIfAborted()
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const onAbort = () => reject(signal.reason as Error)
  signal.addEventListener('abort', onAbort)
  try {
    return await Promise.race([work(), aborted])
  } finally {
    signal.removeEventListener('abort', onAbort)
  }
}
