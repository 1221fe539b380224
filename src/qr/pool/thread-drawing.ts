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
  /** CPU time after which it gives way to others. */
  turn: number
  /** Whether it is to give way. */
  isOutweighed: () => boolean
  /** Creates the problem of an image that takes too much CPU time. */
  tooCostly: () => Problem
}

/**
 * Draws an image on a thread.
 * @throws {Problem} 503 after the time-out, or when it has had its turn and others wait, and `tooCostly` after too much CPU time; the
 * thread is still busy then
 */
export function drawOnThread(thread: RenderThread, job: RenderJob, limits: JobLimits): Promise<RenderAnswer> {
  const { timeout, cpuTime, turn, isOutweighed, tooCostly } = limits
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => end(tooLong(`takes more than ${timeout / 1000} s to draw`)), timeout)
    const stopWatching = watchCpuTime(thread, Math.min(turn, cpuTime), (used) => {
      if (used >= cpuTime) end(tooCostly())
      else if (isOutweighed()) end(tooLong(`takes more than ${turn / 1000} s to draw, and others wait`))
    })
    function end(problem?: Problem): void {
      clearTimeout(timer)
      stopWatching()
      if (problem !== undefined) reject(problem)
    }
    thread
      .call('draw', job)
      .then(resolve, reject)
      .finally(() => end())
  })
}

function tooLong(how: string): Problem {
  const detail = `the image ${how}: ask for fewer pixels, simplify its logo, or try again later`
  return new Problem('unavailable', detail, { headers: { 'retry-after': '30' } })
}

/** How often a thread is looked at that has had its turn, in milliseconds. */
const LOOK_MS = 100

/**
 * Calls `onUsed` again and again once a thread has used `after` milliseconds of CPU time from now on, with those that it has.
 * @returns stops watching
 */
function watchCpuTime(thread: RenderThread, after: number, onUsed: (milliseconds: number) => void): () => void {
  const before = cpuTimeOf(thread)
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  const check = async () => {
    const used = (await cpuTimeOf(thread)) - (await before)
    if (isOver) return
    if (used >= after) onUsed(used)
    // CPU time never exceeds elapsed time, so it cannot be reached earlier.
    if (!isOver) timer = setTimeout(() => void check(), Math.max(LOOK_MS, after - used))
  }
  timer = setTimeout(() => void check(), after)
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
