import type { ChangedLinks, Folded } from './fold.ts'

/** How often what was journalled is folded, whether or not someone asks for it. */
const FOLD_MS = 1000

/** So many folds of that clock must fail in a row before the fold counts as failing: a store can be busy for a moment. */
const FAILURES = 5

/** The fold of the journal, again and again. */
export interface Folding {
  /** Folds everything that was recorded before the call; whether that went well. */
  fold: () => Promise<boolean>
  /** Scans that were folded since the start. */
  count: () => number
  /** Whether the fold fails again and again, or files are left that it cannot fold. */
  failing: () => boolean
  stop: () => void
}

export interface FoldingOptions {
  /** Told of each fold that moved scans. */
  onFold: (changed: ChangedLinks) => void
  /** Told of what a fold found damaged or could not fold. */
  onFaults: (folded: Folded) => void
  onError: (error: unknown) => void
}

/** Folds the journal every second, and when someone asks for it. */
export function startFolding(
  foldJournal: () => Promise<Folded>,
  { onFold, onFaults, onError }: FoldingOptions,
): Folding {
  let count = 0
  let hasFailed = false
  let failures = 0
  const fold = shareRuns(
    async () => {
      const folded = await foldJournal()
      const { moved, changed, damaged, failed } = folded
      count += moved
      // What a fold had moved when it failed, it has told nobody.
      if (moved > 0 || hasFailed) onFold(hasFailed ? undefined : changed)
      hasFailed = false
      if (damaged.length > 0 || failed.length > 0) onFaults(folded)
      return failed.length === 0
    },
    (error) => {
      hasFailed = true
      onError(error)
    },
  )
  const foldByClock = async () => {
    failures = (await fold()) ? 0 : failures + 1
  }
  const timer = setInterval(() => void foldByClock(), FOLD_MS)
  return { fold, count: () => count, failing: () => failures >= FAILURES, stop: () => clearInterval(timer) }
}

/**
 * Runs `work` once at a time. Who asks while it runs shares the next run, which begins after they have asked.
 * @returns whether the run went well; what it threw goes to `onError`
 */
function shareRuns(work: () => Promise<boolean>, onError: (error: unknown) => void): () => Promise<boolean> {
  const run = async () => {
    try {
      return await work()
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
