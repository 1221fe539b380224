import { throttle } from './throttle.ts'

const REPORT_MS = 60_000

/** Promises that nobody awaits. */
export interface BackgroundTasks {
  run: (task: Promise<unknown>) => void
  /** Later errors are ignored. */
  close: () => void
}

/** @param report called with errors, at most once a minute */
export function createBackgroundTasks(monotonic: () => number, report: (error: unknown) => void): BackgroundTasks {
  const throttled = throttle(REPORT_MS, monotonic, report)
  let isClosed = false
  return {
    run(task) {
      task.catch((error: unknown) => {
        if (!isClosed) throttled(error)
      })
    },
    close: () => void (isClosed = true),
  }
}
