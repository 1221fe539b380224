import { setTimeout as sleep } from 'node:timers/promises'
import { StoreUnavailable } from '../unavailable.ts'

const RETRY_MS = 1000

/** Open connections, which a fault makes unusable. */
interface Session {
  close: () => Promise<void>
  /** Closes after a fault. */
  abandon: () => Promise<void>
}

/** Connections of a store that are replaced after a fault. */
export interface Sessions<S> {
  /** @throws {StoreUnavailable} while there is none */
  current: () => S
  /** The one that was opened last, also after a fault. */
  last: () => S
  isOpen: () => boolean
  close: () => Promise<void>
}

/** How sessions are opened and replaced. */
export interface SessionsOptions<S> {
  /** Opens a session that calls `onFault` when it can no longer be used. */
  open: (onFault: () => void, isReopening: boolean) => Promise<S>
  /** Whether a failed session stays open until there is another. */
  overlap: boolean
  /** Called after each session but the first. */
  onReopened?: () => void
}

/**
 * Opens a session, and another after each fault: at once, and then each second until that succeeds. Whatever waited for
 * the failed session is rejected.
 */
export async function openSessions<S extends Session>(options: SessionsOptions<S>): Promise<Sessions<S>> {
  const { open, overlap, onReopened = () => {} } = options
  const closing = new AbortController()
  const attempts = createAttempts(closing.signal)
  let recovery: Promise<void> = Promise.resolve()
  let isOpen = false

  async function start(isReopening: boolean): Promise<S> {
    const session: S = await open(() => {
      if (!isOpen || current !== session) return
      isOpen = false
      recovery = recover(session)
    }, isReopening)
    return session
  }

  async function recover(failed: S): Promise<void> {
    // An error of closing it after a fault does not matter.
    const abandon = () => failed.abandon().catch(() => {})
    if (!overlap) await abandon()
    const opened = await attempts.repeat(() => start(true))
    if (opened !== undefined) {
      current = opened
      isOpen = true
    }
    if (overlap) await abandon()
    if (opened !== undefined) onReopened()
  }

  let current = await start(false)
  isOpen = true
  return {
    current: () => (isOpen ? current : attempts.refuse()),
    last: () => current,
    isOpen: () => isOpen,
    async close() {
      closing.abort()
      await recovery
      if (isOpen) await current.close()
      isOpen = false
    },
  }
}

/** Attempts to reopen, until they are no longer wanted. */
function createAttempts(signal: AbortSignal) {
  let failure: unknown
  return {
    /** Repeats an attempt each second until it succeeds; resolves with undefined when it is not wanted any more. */
    async repeat<T>(attempt: () => Promise<T>): Promise<T | undefined> {
      failure = undefined
      while (!signal.aborted) {
        try {
          return await attempt()
        } catch (error) {
          failure = error
          await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined)
        }
      }
      return undefined
    },
    /** @throws {StoreUnavailable} the last failure, if it is one */
    refuse(): never {
      throw failure instanceof StoreUnavailable ? failure : new StoreUnavailable('the store is being reopened')
    },
  }
}
