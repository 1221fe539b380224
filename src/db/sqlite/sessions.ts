import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from './session.ts'
import { StoreUnavailable } from '../unavailable.ts'

const RETRY_MS = 1000

/** A store whose session is replaced after a fault. */
export interface Sessions {
  /** @throws {StoreUnavailable} while there is none */
  current: () => Session
  close: () => Promise<void>
}

/**
 * Opens a session, and another after each fault: at once, and then each second until that succeeds. Whatever waited for
 * the failed session is rejected.
 * @param open opens a session that calls `onFault` when it can no longer be used
 * @param onReopened called when a change that was committed but never answered may be there, or not
 */
export async function openSessions(
  open: (onFault: () => void, isReopening: boolean) => Promise<Session>,
  onReopened: () => void,
): Promise<Sessions> {
  const closing = new AbortController()
  let recovery: Promise<void> = Promise.resolve()
  let current: Session | undefined

  async function start(isReopening: boolean): Promise<void> {
    const session: Session = await open(() => {
      if (current !== session) return
      current = undefined
      recovery = recover(session)
    }, isReopening)
    current = session
  }

  async function recover(failed: Session): Promise<void> {
    // An error of closing it after a fault does not matter.
    await failed.abandon().catch(() => {})
    while (!closing.signal.aborted) {
      try {
        await start(true)
        return onReopened()
      } catch {
        await sleep(RETRY_MS, undefined, { signal: closing.signal, ref: false }).catch(() => undefined)
      }
    }
  }

  await start(false)
  return {
    current() {
      if (current === undefined) throw new StoreUnavailable('the store is being reopened')
      return current
    },
    async close() {
      closing.abort()
      await recovery
      await current?.close()
      current = undefined
    },
  }
}
