import { logLeft, type Left } from './left.ts'
import { isStoreDamaged, isStoreUnavailable } from './open.ts'

/** How long a fault is told after it was met last. */
const TOLD_MS = 10_000

/** Remembers what was wrong with the store. */
export interface StoreFaults {
  /** Notes what was found before it was opened. */
  onLeft: (left: Left) => void
  /** Whether an error means that the store is away, or damaged; then it is remembered. */
  note: (error: unknown) => boolean
  /** What was wrong within the last ten seconds, if a request has met anything. */
  recent: () => string | undefined
  metrics: { name: string; help: string; type: 'counter' | 'gauge'; read: () => number }[]
}

export function createStoreFaults(
  monotonic: () => number,
  log: { error: (details: object, text: string) => void },
): StoreFaults {
  let found = 0
  let count = 0
  let met = Number.NEGATIVE_INFINITY
  let text = ''
  return {
    onLeft(left) {
      found = Object.keys(left.changed).length + left.unread.length
      logLeft(left, log)
    },
    note(error) {
      const isDamaged = isStoreDamaged(error)
      if (!isDamaged && !isStoreUnavailable(error)) return false
      count++
      met = monotonic()
      text = isDamaged
        ? 'the store is damaged or cannot be read: stop quirl, and put a backup in its place by "quirl restore"'
        : 'requests have failed within the last seconds because the store is away'
      return true
    },
    recent: () => (monotonic() - met < TOLD_MS ? text : undefined),
    metrics: [
      {
        name: 'quirl_store_faults_total',
        help: 'Requests that failed because the store is away or damaged',
        type: 'counter',
        read: () => count,
      },
      {
        name: 'quirl_files_not_as_left',
        help: 'Files that were not as the process before this one has left them',
        type: 'gauge',
        read: () => found,
      },
    ],
  }
}
