import type { WritableStore } from './table.ts'

/** The store that a move fills. No service starts on it until it is finished. */
export interface Target {
  store: WritableStore
  /** Makes the store durable, and lets services start on it. */
  finish: () => Promise<void>
  close: () => Promise<void>
}
