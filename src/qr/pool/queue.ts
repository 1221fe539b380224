import { Problem } from '../../http/problem.ts'

/** Who asks for an image. */
export interface Asker {
  /** The same for the same client, and nothing that says who that is. Without it the program itself asks. */
  client?: string | undefined
  /** When nobody waits for the image any more. */
  gone?: AbortSignal | undefined
}

/** Work that waits for its turn. */
export interface Waiting<Job, Result> {
  job: Job
  client: string | undefined
  resolve: (result: Result) => void
  reject: (error: unknown) => void
  /** To be called when it no longer is worked on. */
  done: () => void
}

/** A bounded queue, in which nothing waits for longer than it is worth, and clients take turns. */
export interface Queue<Job, Result> {
  /**
   * Waits for a turn.
   * @throws {Problem} 503 when too many wait, of all or of this client, or when this one has waited for too long
   */
  add: (job: Job, asker?: Asker) => Promise<Result>
  /** Takes out the first work that may be done now, of the client whose last turn is the longest ago. */
  take: (isPossible: (job: Job) => boolean) => Waiting<Job, Result> | undefined
  length: () => number
  /** Refuses all that waits. */
  clear: (reason: Problem) => void
}

interface Entry<Job, Result> extends Waiting<Job, Result> {
  leave: () => void
}

export interface QueueOptions {
  /** How many may wait; of one client, half of them. */
  length: number
  /** Milliseconds that work may wait. */
  patience: number
  /** How many of one client are worked on at once. */
  atOnce: number
}

/** What the program itself asks for counts for no client. */
export function createQueue<Job, Result>({ length, patience, atOnce }: QueueOptions): Queue<Job, Result> {
  /** What waits of each client, in the order of their turns. */
  const lines = new Map<string | undefined, Entry<Job, Result>[]>()
  const begun = createTally()
  const share = Math.max(1, Math.floor(length / 2))
  const all = () => [...lines.values()].flat()

  function remove(entry: Entry<Job, Result>): void {
    const line = lines.get(entry.client)?.filter((each) => each !== entry) ?? []
    if (line.length > 0) lines.set(entry.client, line)
    else lines.delete(entry.client)
  }

  function isFull(client: string | undefined): boolean {
    if (client !== undefined && (lines.get(client)?.length ?? 0) >= share) return true
    return all().length >= length
  }

  return {
    add(job, { client, gone } = {}) {
      if (isFull(client)) return Promise.reject(busy())
      return new Promise<Result>((resolve, reject) => {
        const refuse = (reason: Problem) => {
          entry.leave()
          reject(reason)
        }
        const giveUp = () => refuse(new Problem('unavailable', 'nobody waits for this image any more'))
        const timer = setTimeout(() => refuse(busy()), patience)
        const entry: Entry<Job, Result> = {
          job,
          client,
          resolve,
          reject,
          done: () => begun.add(client, -1),
          leave() {
            clearTimeout(timer)
            gone?.removeEventListener('abort', giveUp)
            remove(entry)
          },
        }
        lines.set(client, [...(lines.get(client) ?? []), entry])
        gone?.addEventListener('abort', giveUp)
      })
    },
    take(isPossible) {
      for (const [client, line] of lines) {
        const next = begun.of(client) < atOnce ? line.find(({ job }) => isPossible(job)) : undefined
        if (next === undefined) continue
        next.leave()
        begun.add(client, 1)
        const rest = lines.get(client)
        lines.delete(client)
        if (rest !== undefined) lines.set(client, rest)
        return next
      }
      return undefined
    },
    length: () => all().length,
    clear(reason) {
      for (const { reject } of all()) reject(reason)
      for (const { leave } of all()) leave()
    },
  }
}

interface Tally {
  of: (client: string | undefined) => number
  add: (client: string | undefined, change: number) => void
}

function createTally(): Tally {
  const counts = new Map<string, number>()
  const of = (client: string | undefined) => (client === undefined ? 0 : (counts.get(client) ?? 0))
  return {
    of,
    add(client, change) {
      if (client === undefined) return
      const count = of(client) + change
      if (count > 0) counts.set(client, count)
      else counts.delete(client)
    },
  }
}

function busy(): Problem {
  const detail = 'too many images are being drawn, try again in a moment'
  return new Problem('unavailable', detail, { headers: { 'retry-after': '5' } })
}
