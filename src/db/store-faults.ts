import { isStoreDamaged, isStoreUnavailable } from './open.ts'

/** How long a fault is told after it was met last. */
const TOLD_MS = 10_000

/** Remembers that requests have failed because of the store. */
export interface StoreFaults {
  /** Whether an error means that the store is away, or damaged; then it is remembered. */
  note: (error: unknown) => boolean
  /** What was wrong with the store within the last ten seconds, if anything was. */
  recent: () => string | undefined
  metric: { name: string; help: string; type: 'counter'; read: () => number }
}

export function createStoreFaults(monotonic: () => number): StoreFaults {
  let count = 0
  let met = Number.NEGATIVE_INFINITY
  let text = ''
  return {
    note(error) {
      const isDamaged = isStoreDamaged(error)
      if (!isDamaged && !isStoreUnavailable(error)) return false
      count++
      met = monotonic()
      text = isDamaged
        ? 'the store is damaged or cannot be read: stop quirl, and put a backup in its place'
        : 'requests have failed within the last seconds because the store is away'
      return true
    },
    recent: () => (monotonic() - met < TOLD_MS ? text : undefined),
    metric: {
      name: 'quirl_store_faults_total',
      help: 'Requests that failed because the store is away or damaged',
      type: 'counter',
      read: () => count,
    },
  }
}
