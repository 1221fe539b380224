import type { ChangedLinks, FoldResult } from './fold.ts'

/** The interval of the timer that folds the journal. */
const FOLD_MS = 1000

/** The timer's folds that must fail in a row before the fold counts as failing: a store can be busy for a moment. */
const FAILURES = 5

/** Folds the journal every second, and on request. */
export interface FoldLoop {
  /** Folds everything that was recorded before the call; resolves with whether that succeeded. */
  fold: () => Promise<boolean>
  /** Scans that were folded since the start. */
  count: () => number
  /** Those of them that are not stored one by one. */
  onlyCounted: () => number
  /** Whether folds fail repeatedly, or leave files that they cannot fold. */
  failing: () => boolean
  stop: () => void
}

export interface FoldLoopOptions {
  /** Called after each fold that moved scans. */
  onFold: (changed: ChangedLinks) => void
  /** Called when a fold has found damage or could not fold a file. */
  onFaults: (result: FoldResult) => void
  onError: (error: unknown) => void
}

export function startFoldLoop(
  foldOnce: () => Promise<FoldResult>,
  { onFold, onFaults, onError }: FoldLoopOptions,
): FoldLoop {
  let [count, onlyCounted] = [0, 0]
  let hasFailed = false
  let failures = 0
  const fold = shareRuns(
    async () => {
      const result = await foldOnce()
      const { moved, changed, damaged, failed } = result
      count += moved
      onlyCounted += result.onlyCounted
      // A fold that fails does not report the scans that it moved before.
      if (moved > 0 || hasFailed) onFold(hasFailed ? undefined : changed)
      hasFailed = false
      if (damaged.length > 0 || failed.length > 0) onFaults(result)
      return failed.length === 0
    },
    (error) => {
      hasFailed = true
      onError(error)
    },
  )
  const foldByTimer = async () => {
    failures = (await fold()) ? 0 : failures + 1
  }
  const timer = setInterval(() => void foldByTimer(), FOLD_MS)
  return {
    fold,
    count: () => count,
    onlyCounted: () => onlyCounted,
    failing: () => failures >= FAILURES,
    stop: () => clearInterval(timer),
  }
}

/**
 * Runs `work` once at a time. Calls during a run share the next one, which starts after them.
 * @returns resolves with whether the run succeeded; errors go to `onError`
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
