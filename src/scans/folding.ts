import type { ChangedLinks } from './fold.ts'
import type { Journal } from './journal.ts'
import type { WarehouseClient } from './warehouse-client.ts'

/** How often what was journalled is folded, whether or not someone asks for it. */
const FOLD_MS = 1000

/** The fold of the journal, again and again. */
export interface Folding {
  /** Folds everything that was recorded before the call; whether that went well. */
  fold: () => Promise<boolean>
  /** Scans that were folded since the start. */
  count: () => number
  stop: () => void
}

export interface FoldingOptions {
  now: () => number
  /** Told of each fold that moved scans. */
  onFold: (changed: ChangedLinks) => void
  onError: (error: unknown) => void
}

/** Folds the journal every second, and when someone asks for it. */
export function startFolding(
  journal: Pick<Journal, 'rotate'>,
  warehouse: Pick<WarehouseClient, 'call'>,
  { now, onFold, onError }: FoldingOptions,
): Folding {
  let count = 0
  let hasFailed = false
  const fold = shareRuns(
    async () => {
      const { moved, changed } = await warehouse.call('fold', journal.rotate(), now())
      count += moved
      // What a fold had moved when it failed, it has told nobody.
      if (moved > 0 || hasFailed) onFold(hasFailed ? undefined : changed)
      hasFailed = false
    },
    (error) => {
      hasFailed = true
      onError(error)
    },
  )
  const timer = setInterval(() => void fold(), FOLD_MS)
  return { fold, count: () => count, stop: () => clearInterval(timer) }
}

/**
 * Runs `work` once at a time. Who asks while it runs shares the next run, which begins after they have asked.
 * @returns whether the run went well; what it threw goes to `onError`
 */
function shareRuns(work: () => Promise<void>, onError: (error: unknown) => void): () => Promise<boolean> {
  const run = async () => {
    try {
      await work()
      return true
    } catch (error) {
      onError(error)
      return false
    }
  }
  let running: Promise<boolean> = Promise.resolve(true)
  let next: Promise<boolean> | undefined
  return () =>
    (next ??= running.then(() => {
      next = undefined
      return (running = run())
    }))
}
