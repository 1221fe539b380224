import { availableParallelism } from 'node:os'
import { Worker } from 'node:worker_threads'
import { Problem } from '../../http/problem.ts'
import type { DesignedImage, DesignJob } from '../design/job.ts'
import type { PlainImage, PlainJob } from '../plain.ts'
import type { RenderAnswer } from './render-thread.ts'

/** Draws on threads of their own, so that nothing else waits for it. */
export interface RenderPool {
  /** @throws {Problem} 400 when the data or the size do not fit; 503 when too many wait already */
  draw: (job: PlainJob) => Promise<PlainImage>
  /**
   * @throws {Problem} 400 for a design that cannot be drawn or scanned; 503 with `Retry-After` when too many wait already
   */
  render: (job: DesignJob) => Promise<DesignedImage>
  close: () => Promise<void>
}

export interface PoolOptions {
  threads: number
  /** Jobs that may wait for a thread. */
  queue: number
  /** Milliseconds that a job may take; its thread is ended then. */
  timeout: number
}

/** A second thread only where it does not take the first one's core; what is asked for beyond that can wait a little. */
const defaults: PoolOptions = { threads: Math.min(2, availableParallelism()), queue: 16, timeout: 10_000 }

/** Drawing so many pixels leaves a thread's memory so large that it is better given back. */
const LARGE = 2048

const HEAP = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 256 }

interface Waiting {
  job: DesignJob | PlainJob
  /** The image of a design has more to it. */
  resolve: (image: DesignedImage & PlainImage) => void
  reject: (error: unknown) => void
}

const BUSY = 'too many images are being drawn, try again in a moment'

/** Threads start when there is work for them. */
export function createRenderPool({ threads, queue, timeout }: PoolOptions = defaults): RenderPool {
  const waiting: Waiting[] = []
  const idle: Worker[] = []
  const all = new Set<Worker>()
  let closed = false

  function start(): Worker {
    // Compiled, this file and the thread's are JavaScript.
    const file = import.meta.url.endsWith('.ts') ? './render-thread.ts' : './render-thread.js'
    const worker = new Worker(new URL(file, import.meta.url), { resourceLimits: HEAP })
    // Whoever uses the thread hears of its errors; they must not end the process while nobody does.
    worker.on('error', () => undefined)
    worker.once('exit', () => {
      all.delete(worker)
      if (idle.includes(worker)) idle.splice(idle.indexOf(worker), 1)
      next()
    })
    worker.unref()
    all.add(worker)
    return worker
  }

  function next(): void {
    if (closed) return
    while (waiting.length > 0 && (idle.length > 0 || all.size < threads)) {
      const work = waiting.shift()
      if (work !== undefined) void run(idle.pop() ?? start(), work)
    }
  }

  async function run(worker: Worker, work: Waiting): Promise<void> {
    const isUsable = await ask(worker, work.job, timeout).then(
      (answer) => pass(answer, work),
      (error: unknown) => {
        work.reject(error)
        return false
      },
    )
    if (!isUsable) void worker.terminate()
    else idle.push(worker)
    next()
  }

  function enqueue(job: DesignJob | PlainJob): Promise<DesignedImage & PlainImage> {
    if (waiting.length >= queue)
      return Promise.reject(new Problem('unavailable', BUSY, { headers: { 'retry-after': '2' } }))
    return new Promise((resolve, reject) => {
      waiting.push({ job, resolve, reject })
      next()
    })
  }

  return {
    draw: enqueue,
    render: enqueue,
    async close() {
      closed = true
      const ended = new Problem('unavailable', 'the service is stopping')
      for (const { reject } of waiting.splice(0)) reject(ended)
      await Promise.all([...all].map((worker) => worker.terminate()))
    },
  }
}

/** @returns whether the thread can be given another job */
function pass(answer: RenderAnswer, { job, resolve, reject }: Waiting): boolean {
  if ('image' in answer) {
    resolve(answer.image as DesignedImage)
    return 'look' in job || job.size <= LARGE
  }
  if ('problem' in answer) reject(new Problem(answer.problem.code, answer.problem.detail, answer.problem))
  else reject(answer.error)
  return !answer.broken
}

function ask(worker: Worker, job: DesignJob | PlainJob, timeout: number): Promise<RenderAnswer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      settle()
      const detail = `takes more than ${timeout / 1000} s to draw: simplify its logo, or ask for fewer pixels`
      const pointer = 'look' in job ? '/data' : job.at
      reject(new Problem('invalid_request', `${pointer || 'the design'} ${detail}`, { errors: [{ pointer, detail }] }))
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
