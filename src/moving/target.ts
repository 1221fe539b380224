import type { WritableStore } from './table.ts'

/** The store that a move fills. No service starts on it until it is finished. */
export interface Target {
  store: WritableStore
  /** Aborted, with what to say, when another move may be writing to it. */
  lost: AbortSignal
  /** Makes the store durable, and lets services start on it. */
  finish: () => Promise<void>
  close: () => Promise<void>
}
