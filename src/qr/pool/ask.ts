import type { Worker } from 'node:worker_threads'
import { Problem } from '../../http/problem.ts'
import type { RenderAnswer } from './render-thread.ts'

/**
 * Gives a thread a job, and waits for what it answers.
 * @throws {Problem} 503 when that takes more than `timeout` milliseconds: on a busy machine that is nobody's fault
 */
export function ask(worker: Worker, job: unknown, timeout: number): Promise<RenderAnswer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      settle()
      const detail = `the image takes more than ${timeout / 1000} s to draw: ask for fewer pixels, or simplify its logo`
      reject(new Problem('unavailable', detail, { headers: { 'retry-after': '30' } }))
    }, timeout)
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
      worker.off('message', onMessage).off('error', onError).off('exit', onExit)
      worker.unref()
    }
    worker.on('message', onMessage).on('error', onError).on('exit', onExit)
    worker.ref()
    worker.postMessage(job)
  })
}
