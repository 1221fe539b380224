import { setTimeout as sleep } from 'node:timers/promises'
import type { Session } from './session.ts'
import { StoreAway } from './sqlite-errors.ts'

const RETRY_MS = 1000

/** A store whose files are opened again after a fault. */
export interface Kept {
  /** @throws {StoreAway} while there is none */
  session: () => Session
  close: () => Promise<void>
}

/**
 * Keeps a session open. One that reports a fault is closed, and nothing that waited for it is answered; the next is opened
 * at once, and each second until that succeeds.
 * @param open opens a session that calls `onFault` once something is wrong with it
 * @param onReopened called when what was committed but never answered may be there, or not
 */
export async function keepOpen(
  open: (onFault: () => void, again: boolean) => Promise<Session>,
  onReopened: () => void,
): Promise<Kept> {
  const closing = new AbortController()
  let mending: Promise<void> = Promise.resolve()
  let current: Session | undefined

  async function start(again: boolean): Promise<void> {
    const session: Session = await open(() => {
      if (current !== session) return
      current = undefined
      mending = mend(session)
    }, again)
    current = session
  }

  async function mend(failed: Session): Promise<void> {
    // What cannot be closed after a fault is given up.
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
    session() {
      if (current === undefined) throw new StoreAway('the store is being opened again')
      return current
    },
    async close() {
      closing.abort()
      await mending
      await current?.close()
      current = undefined
    },
  }
}
