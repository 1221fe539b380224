import { Problem } from '../../http/problem.ts'
import type { Thread } from '../../lib/thread-calls.ts'
import type { RenderJob } from './job.ts'
import type { RenderAnswer, RenderCalls } from './render-thread.ts'

export type RenderThread = Thread<RenderCalls>

/** Limits of a job in milliseconds. */
export interface JobLimits {
  /** Elapsed time, which the load of the machine affects. */
  timeout: number
  /** CPU time, which depends on the image alone. */
  cpuTime: number
  /** Creates the problem of an image that takes too much CPU time. */
  tooCostly: () => Problem
}

/**
 * Draws an image on a thread.
 * @throws {Problem} 503 after the time-out, and `tooCostly` after too much CPU time; the thread is still busy then
 */
export function drawOnThread(
  thread: RenderThread,
  job: RenderJob,
  { timeout, cpuTime, tooCostly }: JobLimits,
): Promise<RenderAnswer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const detail = `the image takes more than ${timeout / 1000} s to draw: ask for fewer pixels, or simplify its logo`
      reject(new Problem('unavailable', detail, { headers: { 'retry-after': '30' } }))
      stopWatching()
    }, timeout)
    const stopWatching = watchCpuTime(thread, cpuTime, () => {
      clearTimeout(timer)
      reject(tooCostly())
    })
    const onEnd = () => {
      clearTimeout(timer)
      stopWatching()
    }
    thread.call('draw', job).then(resolve, reject).finally(onEnd)
  })
}

/**
 * Calls `onExceeded` when a thread has used `limit` milliseconds of CPU time from now on.
 * @returns stops watching
 */
function watchCpuTime(thread: RenderThread, limit: number, onExceeded: () => void): () => void {
  const before = cpuTimeOf(thread)
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  // CPU time never exceeds elapsed time, so the limit cannot be reached earlier.
  const checkAfter = (milliseconds: number) => {
    timer = setTimeout(() => void check(), Math.max(50, milliseconds))
  }
  const check = async () => {
    const used = (await cpuTimeOf(thread)) - (await before)
    if (isOver) return
    if (used >= limit) onExceeded()
    else checkAfter(limit - used)
  }
  checkAfter(limit)
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

/** CPU time of a thread in milliseconds; 0 when it has ended. */
async function cpuTimeOf(thread: RenderThread): Promise<number> {
  try {
    const { user, system } = await thread.cpuUsage()
    return (user + system) / 1000
  } catch {
    return 0
  }
}
