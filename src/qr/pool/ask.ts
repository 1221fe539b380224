import type { Worker } from 'node:worker_threads'
import { Problem } from '../../http/problem.ts'
import type { RenderAnswer } from './render-thread.ts'

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
export function ask(worker: Worker, job: unknown, { timeout, effort, tooCostly }: Allowance): Promise<RenderAnswer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      settle()
      const detail = `the image takes more than ${timeout / 1000} s to draw: ask for fewer pixels, or simplify its logo`
      reject(new Problem('unavailable', detail, { headers: { 'retry-after': '30' } }))
    }, timeout)
    const stopWatch = watchEffort(worker, effort, () => {
      settle()
      reject(tooCostly())
    })
    const onExit = () => {
      settle()
      reject(new Error('the thread that drew an image has ended'))
    }
    const onError = (error: unknown) => {
      settle()
      reject(error instanceof Error ? error : new Error(String(error)))
    }
    const onMessage = (answer: RenderAnswer) => {
      settle()
      resolve(answer)
    }
    function settle(): void {
      clearTimeout(timer)
      stopWatch()
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      worker.unref()
    }
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    worker.ref()
    worker.postMessage(job)
  })
}

/**
 * Calls when a thread has used so many milliseconds of the processor from now on.
 * @returns what ends that
 */
function watchEffort(worker: Worker, effort: number, onExceeded: () => void): () => void {
  const before = effortOf(worker)
  let timer: NodeJS.Timeout | undefined
  let isOver = false
  // It cannot have used more than has gone by.
  const lookAfter = (milliseconds: number) => {
    timer = setTimeout(() => void look(), Math.max(50, milliseconds))
  }
  const look = async () => {
    const used = (await effortOf(worker)) - (await before)
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
async function effortOf(worker: Worker): Promise<number> {
  try {
    const { user, system } = await worker.cpuUsage()
    return (user + system) / 1000
  } catch {
    return 0
  }
}
