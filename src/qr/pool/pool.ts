import { availableParallelism } from 'node:os'
import { invalidRequest, Problem } from '../../http/problem.ts'
import type { DesignedImage, DesignJob } from '../design/job.ts'
import type { PlainImage, PlainJob } from '../plain.ts'
import { startThread } from '../../lib/thread-calls.ts'
import { ask, type Painter } from './ask.ts'
import { createQueue, type Asker, type Waiting } from './queue.ts'
import type { RenderAnswer, RenderCalls } from './render-thread.ts'

/**
 * Draws on threads of their own, so that nothing else waits for it. What nobody waits for any more is not begun. Clients
 * take turns, and none has more than half of the threads and of the queue.
 */
export interface RenderPool {
  /** @throws {Problem} 400 when the data or the size do not fit; 503 when too many wait already */
  draw: (job: PlainJob, asker?: Asker) => Promise<PlainImage>
  /**
   * @throws {Problem} 400 for a design that cannot be drawn or scanned, or is too much work; 503 with `Retry-After` when too many wait already,
   * or it takes too long
   */
  render: (job: DesignJob, asker?: Asker) => Promise<DesignedImage>
  /** Whether there is a processor and a thread for what could be drawn elsewhere as well, and nothing waits for it. */
  isFree: () => boolean
  close: () => Promise<void>
}

export interface PoolOptions {
  threads: number
  /** Jobs that may wait for a thread. */
  queue: number
  /** Milliseconds that a job may wait. */
  patience: number
  /** Milliseconds that a job may take; its thread is ended then. */
  timeout: number
  /** Milliseconds of the processor that a job may take, the very large ones aside; its thread is ended then. */
  effort: number
}

/**
 * A second thread only where it does not take the first one's core. Waiting and drawing together must end before the
 * server cuts a connection on which nothing moves.
 */
const defaults: PoolOptions = {
  threads: Math.min(2, availableParallelism()),
  queue: 16,
  patience: 10_000,
  timeout: 10_000,
  effort: 5000,
}

/** One alone is for the event loop. */
const hasProcessors = availableParallelism() > 1

/** Drawing so many pixels takes some 400 MB, which a thread gives back when it ends: one such job at a time. */
const LARGE = 2048

type Job = DesignJob | PlainJob
/** The image of a design has more to it. */
type Drawn = DesignedImage & PlainImage

const HEAP = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 256 }

/** Threads start when there is work for them. */
export function createRenderPool(options: Partial<PoolOptions> = {}): RenderPool {
  const { threads, queue: length, patience, timeout, effort } = { ...defaults, ...options }
  const queue = createQueue<Job, Drawn>({ length, patience, atOnce: Math.max(1, Math.floor(threads / 2)) })
  const idle: Painter[] = []
  const all = new Set<Painter>()
  let large = 0
  let closed = false

  function start(): Painter {
    const onEnd = () => {
      all.delete(painter)
      if (idle.includes(painter)) idle.splice(idle.indexOf(painter), 1)
      next()
    }
    const module = new URL('./render-thread.ts', import.meta.url)
    const painter = startThread<RenderCalls>(module, { name: 'the thread that drew an image', heap: HEAP, onEnd })
    all.add(painter)
    return painter
  }

  function next(): void {
    if (closed) return
    while (idle.length > 0 || all.size < threads) {
      const work = queue.take((job) => large === 0 || !isLarge(job))
      if (work === undefined) return
      void run(idle.pop() ?? start(), work)
    }
  }

  async function run(painter: Painter, work: Waiting<Job, Drawn>): Promise<void> {
    const weight = Number(isLarge(work.job))
    large += weight
    const allowance = { timeout, effort: weight === 0 ? effort : timeout, tooCostly: () => tooCostly(work.job, effort) }
    const isUsable = await ask(painter, work.job, allowance).then(
      (answer) => pass(answer, work),
      (error: unknown) => {
        work.reject(closed ? stopping() : error)
        return false
      },
    )
    if (isUsable) idle.push(painter)
    else await painter.terminate()
    large -= weight
    work.done()
    next()
  }

  function enqueue(job: Job, asker?: Asker): Promise<Drawn> {
    if (closed) return Promise.reject(stopping())
    const drawn = queue.add(job, asker)
    next()
    return drawn
  }

  return {
    draw: enqueue,
    render: enqueue,
    isFree: () => !closed && hasProcessors && queue.length() === 0 && (idle.length > 0 || all.size < threads),
    async close() {
      closed = true
      queue.clear(stopping())
      await Promise.all([...all].map((painter) => painter.terminate()))
    },
  }
}

function isLarge(job: Job): boolean {
  return !('appearance' in job) && job.format === 'png' && job.size > LARGE
}

/** Another try would take as long. */
function tooCostly(job: Job, effort: number): Problem {
  const detail = `takes more than ${effort / 1000} s of work to draw and to check: it must be simpler`
  const pointer = 'appearance' in job ? '/data' : job.design.logo === undefined ? '/size' : `${job.at}/logo/image`
  return invalidRequest([{ pointer, detail }])
}

function stopping(): Problem {
  return new Problem('unavailable', 'the service is stopping')
}

/** @returns whether the thread can be given another job */
function pass(answer: RenderAnswer, { job, resolve, reject }: Waiting<Job, Drawn>): boolean {
  if ('image' in answer) {
    resolve(answer.image as Drawn)
    return !isLarge(job)
  }
  if ('problem' in answer) reject(new Problem(answer.problem.code, answer.problem.detail, answer.problem))
  else reject(answer.error)
  return !answer.broken
}
