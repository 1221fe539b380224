import { availableParallelism } from 'node:os'
import { invalidRequest, Problem } from '../../http/problem.ts'
import { availableMemory } from '../../lib/memory-limit.ts'
import { startThread } from '../../lib/thread-calls.ts'
import type { CheckedJob, CheckJob, DesignJob } from '../design/job.ts'
import type { PageJob } from '../print/poster.ts'
import type { CalibrationJob, SheetJob, SheetPartJob } from '../print/sheet-job.ts'
import type { PictureJob } from '../picture/picture.ts'
import type { PlainImage, PlainJob } from '../plain.ts'
import { createCosts, drawnLogoOf, type Costs } from './costs.ts'
import { fromRefusal } from './job.ts'
import type { CodeFaults, DesignedImage, PartImage, PictureImage, RenderJob } from './job.ts'
import { drawOnThread, type RenderThread } from './thread-drawing.ts'
import { createQueue, type QueuedJob, type Requester } from './queue.ts'
import type { RenderAnswer, RenderCalls, ThreadData } from './render-thread.ts'

/**
 * Draws images on threads. A job is dropped when its client disconnects before it starts. Networks are served in turns, and
 * none has more than half of the threads. A job that would wait for too long is refused at once. One whose logo takes long gives way
 * to those that wait.
 */
export interface RenderPool {
  /** @throws {Problem} 400 when the data or the size do not fit; 503 when too many jobs wait */
  draw: (job: PlainJob, requester?: Requester) => Promise<PlainImage>
  /**
   * @throws {Problem} 400 for a design that cannot be drawn or scanned, or takes too much CPU time; 503 with `Retry-After`
   * when too many jobs wait, or the job takes too long
   */
  render: (job: DesignJob | PageJob, requester?: Requester) => Promise<DesignedImage>
  /** @throws {Problem} 400 for a design that cannot be drawn, 503 as for an image that is checked */
  redraw: (job: CheckedJob, requester?: Requester) => Promise<PlainImage>
  /** @throws {Problem} 400 for a design that no code can have, 503 as for an image */
  check: (job: CheckJob, requester?: Requester) => Promise<CodeFaults>
  /** @throws {Problem} 503 as for an image */
  sheetPart: (job: SheetPartJob, requester?: Requester) => Promise<PartImage>
  /** @throws {Problem} 503 as for an image */
  sheet: (job: SheetJob | CalibrationJob, requester?: Requester) => Promise<PictureImage>
  /** @throws {Problem} 503 when too many jobs wait */
  picture: (job: PictureJob, requester?: Requester) => Promise<PictureImage>
  /** Whether a thread and a core are free, and no job waits. */
  isFree: () => boolean
  /** Jobs that wait. */
  queued: () => number
  close: () => Promise<void>
}

/** Times in milliseconds. */
export interface PoolOptions {
  threads: number
  /** Jobs that may wait for a thread, which take memory. */
  queue: number
  /** How long a job may be expected to wait. */
  maxWait: number
  /** How long a job may wait in fact. */
  queueTimeout: number
  /** How long a job may take before its thread is terminated. */
  timeout: number
  /** The CPU time that a job may take before its thread is terminated, except very large ones. */
  cpuTime: number
  /** The CPU time after which a job that draws an SVG logo gives way to the waiting one of a network that had less. */
  turn: number
  /** The memory that the renderer of a thread may have, in bytes; its own bound by default. */
  rendererBytes?: number
}

/** With less memory than this, one thread draws: each takes 100 MB, and up to as much again once it has drawn the largest images. */
const MEMORY_FOR_TWO = 768 * 1024 * 1024

/** A second thread only where there is a second core. */
export function threadsFor(memory: number, cores: number): number {
  return memory < MEMORY_FOR_TWO ? 1 : Math.min(2, cores)
}

/** Waiting and drawing together must end before the server closes the connection as stalled. */
const defaults: PoolOptions = {
  threads: threadsFor(availableMemory(), availableParallelism()),
  queue: 1024,
  maxWait: 5000,
  queueTimeout: 10_000,
  timeout: 10_000,
  cpuTime: 5000,
  turn: 2000,
}

/** A single core is for the event loop. */
const hasCores = availableParallelism() > 1

/** The image of a design has further fields; each caller reads those of its job. */
type Drawn = DesignedImage & PlainImage & CodeFaults

const HEAP = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 256 }

export function createRenderPool(options: Partial<PoolOptions> = {}): RenderPool {
  const settings = { ...defaults, ...options }
  const perNetwork = Math.max(1, Math.floor(settings.threads / 2))
  const costs = createCosts()
  const { threads: max, queue: length, maxWait, queueTimeout: timeout } = settings
  const queue = createQueue<RenderJob, Drawn>({ length, maxWait, timeout, threads: max, perNetwork, costOf: costs.of })
  const threads = createThreads(max, settings.rendererBytes, startNext)
  const run = createRunner(threads, settings, costs, (error) => (isClosed ? stopping() : error))
  let isClosed = false

  function startNext(): void {
    if (isClosed) return
    while (threads.isFree()) {
      const work = queue.take()
      if (work === undefined) return
      void run(work).then(startNext)
    }
  }

  function enqueue(job: RenderJob, requester?: Requester): Promise<Drawn> {
    if (isClosed) return Promise.reject(stopping())
    const drawn = queue.add(job, requester)
    startNext()
    return drawn
  }

  return {
    draw: enqueue,
    render: enqueue,
    redraw: enqueue,
    check: enqueue,
    sheetPart: enqueue,
    sheet: enqueue,
    picture: enqueue,
    queued: queue.length,
    isFree: () => !isClosed && hasCores && queue.length() === 0 && threads.isFree(),
    async close() {
      isClosed = true
      queue.clear(stopping())
      await threads.terminate()
    },
  }
}

/** The width of images whose CPU time is bounded by the time-out alone: slow machines draw the largest ones, too. */
const LARGE = 2048

function isLarge(job: RenderJob): boolean {
  return 'design' in job && 'format' in job && job.format === 'png' && job.size > LARGE
}

/** @returns runs a job on a thread */
function createRunner(
  threads: Threads,
  { timeout, cpuTime, turn }: PoolOptions,
  costs: Costs,
  reasonOf: (error: unknown) => unknown,
): (work: QueuedJob<RenderJob, Drawn>) => Promise<void> {
  return async (work) => {
    const thread = threads.take()
    const { job, isOutweighed } = work
    const cpuLimit = isLarge(job) ? timeout : cpuTime
    const limits = {
      timeout,
      cpuTime: cpuLimit,
      turn: drawnLogoOf(job) > 0 ? turn : Infinity,
      isOutweighed,
      tooCostly: () => tooCostly(job, cpuTime),
    }
    const isReusable = await drawOnThread(thread, job, limits).then(
      (answer) => {
        if ('image' in answer) costs.onDrawn(job, answer.ms)
        return answerJob(work, answer)
      },
      (error: unknown) => {
        work.reject(reasonOf(error))
        return false
      },
    )
    if (isReusable) threads.release(thread)
    else await thread.terminate()
    work.done()
  }
}

type Threads = ReturnType<typeof createThreads>

/**
 * Threads, which are started on demand.
 * @param onEnd called when a thread has ended
 */
function createThreads(max: number, rendererBytes: number | undefined, onEnd: () => void) {
  const idle: RenderThread[] = []
  const all = new Set<RenderThread>()

  function start(): RenderThread {
    const module = new URL('./render-thread.ts', import.meta.url)
    const thread = startThread<RenderCalls>(module, {
      name: 'the thread that drew an image',
      heap: HEAP,
      data: { rendererBytes } satisfies ThreadData,
      onEnd() {
        all.delete(thread)
        if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1)
        onEnd()
      },
    })
    all.add(thread)
    return thread
  }

  return {
    isFree: () => idle.length > 0 || all.size < max,
    take: () => idle.pop() ?? start(),
    release: (thread: RenderThread) => void idle.push(thread),
    terminate: () => Promise.all([...all].map((thread) => thread.terminate())),
  }
}

/** A 400, because a retry would take as long. */
function tooCostly(job: RenderJob, cpuTime: number): Problem {
  const detail = `takes more than ${cpuTime / 1000} s of CPU time to draw and check: it must be simpler`
  const pointer =
    'onto' in job
      ? '/links'
      : !('design' in job)
        ? '/data'
        : job.design.logo === undefined
          ? '/size'
          : `${job.at}/logo/image`
  return invalidRequest([{ pointer, detail }])
}

function stopping(): Problem {
  return new Problem('unavailable', 'the service is stopping')
}

/** @returns whether the thread can be used again */
function answerJob({ resolve, reject }: QueuedJob<RenderJob, Drawn>, answer: RenderAnswer): boolean {
  if ('image' in answer) {
    resolve(answer.image as Drawn)
    return true
  }
  if ('problem' in answer) reject(fromRefusal(answer.problem))
  else reject(answer.error)
  return !answer.broken
}
