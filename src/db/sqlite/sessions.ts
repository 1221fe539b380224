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
    const opened = await repeat(() => start(true), closing.signal)
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
    current: () => (isOpen ? current : refuse()),
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

function refuse(): never {
  throw new StoreUnavailable('the store is being reopened')
}

/** Repeats an attempt each second until it succeeds; resolves with undefined once it is no longer wanted. */
async function repeat<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  while (!signal.aborted) {
    try {
      return await attempt()
    } catch {
      await sleep(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined)
    }
  }
  return undefined
}
