import type { Metric } from '../http/metric.ts'

/** The length of all windows. */
export const WINDOW_MS = 3_600_000

/** The usage of one key in its current window. */
export interface Window {
  used: number
  /** The end of the window, on the monotonic clock. */
  until: number
}

/** What became of a charge. */
export interface ChargeOutcome extends Window {
  /** Less was left of the quota: nothing was charged. */
  isRefused: boolean
  /** Undoes the charge, and resolves to the window after that. */
  refund: () => Promise<Window>
}

/**
 * Counts by key in windows of a fixed length, each of which begins with its first charge. Keys are digests of 48 bits at most.
 * No call rejects.
 */
export interface Counter {
  /**
   * Charges units (one when absent), all or, where the quota has fewer left, none. Of two charges at the same time, only one
   * gets the last unit.
   */
  charge: (key: number, quota: number, units?: number) => Promise<ChargeOutcome>
  /** The current window; an unused one for an unknown key. */
  read: (key: number) => Promise<Window>
}

/** What is counted, each apart from the others: the clients of one network are too many to evict its own count. */
export type CounterName = 'clients' | 'networks' | 'allocations' | 'guesses' | 'links'

/** The counters of this process, or of all nodes together. */
export interface Counters {
  of: (name: CounterName) => Counter
  /** The salt of the digests that are keys. */
  salt: () => string
  metrics: Metric[]
  close: () => Promise<void>
}
