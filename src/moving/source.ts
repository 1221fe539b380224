import type { ReadableStore } from './table.ts'

/** The store that a move reads. */
export interface Source {
  store: ReadableStore
  /** The id of the store. */
  instance: string
  /** The id of the journal folder beside it. */
  journal: string | undefined
  /** Whether services may be changing it. */
  isInUse: boolean
  /** Aborted, with what to say, as soon as the services may no longer wait. */
  lost: AbortSignal
  /** Has the services fold what was recorded so far, and then leave the scans as they are. */
  holdScans: () => Promise<void>
  /** Has the services refuse changes, and waits for those under way. */
  holdChanges: () => Promise<void>
  /** Has the services refuse changes until they end, and keeps new ones from starting. @throws when they have changed anything */
  finish: () => Promise<void>
  /** Ends what holds the services, unless the move was finished. */
  close: () => Promise<void>
}
