import { Problem } from '../../http/problem.ts'
import type { Thread } from '../../lib/thread-calls.ts'
import type { DesignJob } from '../design/job.ts'
import type { PlainJob } from '../plain.ts'
import type { RenderAnswer, RenderCalls } from './render-thread.ts'

/** A thread that draws. */
export type Painter = Thread<RenderCalls>

/** What a job may take, in milliseconds. */
export interface Allowance {
  /** On the clock: on a busy machine that is nobody's fault. */
  timeout: number
  /** Of the processor: that is the image's own fault. */
  effort: number
  /** Why an image is refused that takes more effort. */
  tooCostly: () => Problem
}

/**
 * Gives a thread a job, and waits for what it answers.
 * @throws {Problem} 503 when that takes too long, and `tooCostly` when it is too much work; the thread goes on with it
 */
export function ask(painter: Painter, job: DesignJob | PlainJob, allowance: Allowance): Promise<RenderAnswer> {
  const { timeout, effort, tooCostly } = allowance
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      const detail = `the image takes more than ${timeout / 1000} s to draw: ask for fewer pixels, or simplify its logo`
      reject(new Problem('unavailable', detail, { headers: { 'retry-after': '30' } }))
      stopWatch()
    }, timeout)
    const stopWatch = watchEffort(painter, effort, () => {
      clearTimeout(timer)
      reject(tooCostly())
    })
    const settle = () => {
      clearTimeout(timer)
      stopWatch()
    }
    painter.call('draw', job).then(resolve, reject).finally(settle)
  })
}

/**
 * Calls when a thread has used so many milliseconds of the processor from now on.
 * @returns what ends that
 */
function watchEffort(painter: Painter, effort: number, onExceeded: () => void): () => void {
  const before = effortOf(painter)
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  // It cannot have used more than has gone by.
  const lookAfter = (milliseconds: number) => {
    timer = setTimeout(() => void look(), Math.max(50, milliseconds))
  }
  const look = async () => {
    const used = (await effortOf(painter)) - (await before)
    if (isOver) return
    if (used >= effort) onExceeded()
    else lookAfter(effort - used)
  }
  lookAfter(effort)
  return () => {
    isOver = true
    clearTimeout(timer)
  }
}

/** Milliseconds of the processor that a thread has used; none when it does not run. */
async function effortOf(painter: Painter): Promise<number> {
  try {
    const { user, system } = await painter.cpuUsage()
    return (user + system) / 1000
  } catch {
    return 0
  }
}
