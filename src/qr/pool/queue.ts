import { Problem } from '../../http/problem.ts'

/** Work that waits for its turn. */
export interface Waiting<Job, Result> {
  job: Job
  resolve: (result: Result) => void
  reject: (error: unknown) => void
}

/** A bounded queue, in which nothing waits for longer than it is worth. */
export interface Queue<Job, Result> {
  /**
   * Waits for a turn.
   * @param gone when nobody waits for the result any more
   * @throws {Problem} 503 when too many wait, or when this one has waited for too long
   */
  add: (job: Job, gone?: AbortSignal) => Promise<Result>
  /** Takes out the first work that may be done now. */
  take: (isPossible: (job: Job) => boolean) => Waiting<Job, Result> | undefined
  /** Refuses all that waits. */
  clear: (reason: Problem) => void
}

/** @param patience milliseconds that work may wait */
export function createQueue<Job, Result>(length: number, patience: number): Queue<Job, Result> {
  const waiting: (Waiting<Job, Result> & { leave: () => void })[] = []
  return {
    add(job, gone) {
      if (waiting.length >= length) return Promise.reject(busy())
      return new Promise<Result>((resolve, reject) => {
        const refuse = (reason: Problem) => {
          entry.leave()
          reject(reason)
        }
        const giveUp = () => refuse(new Problem('unavailable', 'nobody waits for this image any more'))
        const timer = setTimeout(() => refuse(busy()), patience)
        const entry = {
          job,
          resolve,
          reject,
          leave() {
            clearTimeout(timer)
            gone?.removeEventListener('abort', giveUp)
            waiting.splice(waiting.indexOf(entry), 1)
          },
        }
        waiting.push(entry)
        gone?.addEventListener('abort', giveUp)
      })
    },
    take(isPossible) {
      const next = waiting.find(({ job }) => isPossible(job))
      next?.leave()
      return next
    },
    clear(reason) {
      for (const { reject } of waiting.slice()) reject(reason)
      for (const { leave } of waiting.slice()) leave()
    },
  }
}

function busy(): Problem {
  const detail = 'too many images are being drawn, try again in a moment'
  return new Problem('unavailable', detail, { headers: { 'retry-after': '5' } })
}
