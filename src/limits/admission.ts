import type { LabelledMetric } from '../http/metrics.ts'
import { Problem } from '../http/problem.ts'
import { createLine, type Line } from './line.ts'
import { createSlices } from './slices.ts'

/** How much of one kind of work there may be. */
export interface WorkBounds {
  /** Requests that may wait; of one client, half of them. */
  waiting: number
  /** Requests that may be worked on at the same time. */
  atOnce: number
}

/** What the service does besides visits. Every change counts as a creation, every export as a statistic. */
const usual = {
  /** As many as share one sync of the disk. */
  creations: { waiting: 512, atOnce: 64 },
  /** More than wait for the threads that draw: those must not keep the quick ones from being drawn. */
  images: { waiting: 256, atOnce: 64 },
  statistics: { waiting: 256, atOnce: 64 },
  pages: { waiting: 256, atOnce: 16 },
  /** They wait for the DNS, and take no time. */
  domains: { waiting: 256, atOnce: 64 },
} as const satisfies Record<string, WorkBounds>

export type Work = keyof typeof usual

/** For how long work is begun in each turn of the event loop, in milliseconds. */
const SLICE_MS = 0.5
/** Whoever has waited for so long is refused: answered later than this, people have gone and programs have asked again. */
const PATIENCE_MS = 1000
/** How often those are looked for. */
const SWEEP_MS = 100
/** `Retry-After` counts from 1 to this many seconds and begins anew, so that not all come back at once. */
const MAX_RETRY_SECONDS = 5

/** A request that asks for work. */
export interface Applicant {
  /** The same for the same client. */
  client: string
  /** Called when its turn has come, after `enter` has returned. */
  begin: () => void
  /** Called instead when it has waited for too long. */
  refuse: (problem: Problem) => void
}

/** Lets work of each kind begin when there is room and time for it. Visits and health do not come here, and go first. */
export interface Admission {
  /** Why nothing more of a client may wait at present, if that is so; counted as a refusal. */
  refusal: (work: Work, client: string) => Problem | undefined
  /**
   * Waits for a turn.
   * @returns to be called when the work is done, or nobody waits for it any more; further calls do nothing
   * @throws {Problem} 503 with `Retry-After`, at once, when too many wait
   */
  enter: (work: Work, applicant: Applicant) => () => void
  /** To be called with each new connection. */
  arrived: () => void
  /** Requests that wait. */
  waiting: (work: Work) => number
  metrics: LabelledMetric[]
}

export interface AdmissionOptions {
  monotonic: () => number
  /** Called before each slice of work: answers what must not wait for it. */
  first: () => void
  /** Bounds in place of the usual ones. */
  bounds?: Partial<Record<Work, WorkBounds>> | undefined
}

interface Entry extends Applicant {
  since: number
  state: 'waiting' | 'begun' | 'over'
}

interface Kind {
  line: Line<Entry>
  atOnce: number
  begun: number
  refused: number
  /** Milliseconds of the loop that it has had: of the kinds that wait, the one with the least is next. */
  used: number
}

type Kinds = Record<Work, Kind>

export function createAdmission({ monotonic, first, bounds = {} }: AdmissionOptions): Admission {
  const kinds = mapValues(usual, (each, work): Kind => {
    const { waiting, atOnce } = bounds[work] ?? each
    return { line: createLine(waiting), atOnce, begun: 0, refused: 0, used: 0 }
  })
  const busy = createRefusals()
  const { begin, waiting, join } = createShares(Object.values(kinds))
  const isIdle = () => Object.values(kinds).every(({ begun }) => begun === 0)
  const slices = createSlices({ begin, waiting, isIdle, first, sliceMs: SLICE_MS, monotonic })
  const watch = createWatch(Object.values(kinds), monotonic, busy)

  function refusal(work: Work, client: string): Problem | undefined {
    const kind = kinds[work]
    if (!kind.line.isFull(client)) return undefined
    kind.refused++
    slices.refused()
    return busy()
  }

  return {
    refusal,
    enter(work, applicant) {
      const problem = refusal(work, applicant.client)
      if (problem !== undefined) throw problem
      const kind = kinds[work]
      const entry: Entry = { ...applicant, since: monotonic(), state: 'waiting' }
      join(kind, entry)
      watch()
      slices.wake()
      return () => {
        if (entry.state === 'waiting') kind.line.remove(entry.client, entry)
        if (entry.state === 'begun') kind.begun--
        entry.state = 'over'
        slices.wake()
      }
    },
    arrived: slices.arrived,
    waiting: (work) => kinds[work].line.length(),
    metrics: admissionMetrics(kinds),
  }
}

interface Shares {
  /** Requests that wait and may begin. */
  waiting: () => number
  join: (kind: Kind, entry: Entry) => void
  /** Begins what is next, if anything is; answers what is to be told how long it took. */
  begin: () => ((ms: number) => void) | undefined
}

/** Gives the kinds that wait equal shares of the time. */
function createShares(kinds: Kind[]): Shares {
  /** What the kind that was last served had used: one that has been idle has no claim to what it did not use. */
  let served = 0
  const isReady = ({ line, begun, atOnce }: Kind) => begun < atOnce && line.length() > 0
  return {
    waiting: () => kinds.reduce((sum, kind) => sum + (isReady(kind) ? kind.line.length() : 0), 0),
    join(kind, entry) {
      if (kind.line.length() === 0) kind.used = Math.max(kind.used, served)
      kind.line.add(entry.client, entry)
    },
    begin() {
      let next: Kind | undefined
      for (const kind of kinds) if (isReady(kind) && (next === undefined || kind.used < next.used)) next = kind
      const entry = next?.line.take()
      if (next === undefined || entry === undefined) return undefined
      const kind = next
      served = kind.used
      kind.begun++
      entry.state = 'begun'
      entry.begin()
      return (ms) => (kind.used += ms)
    },
  }
}

/** @returns to be called when something waits: whoever does so for too long is refused */
function createWatch(kinds: Kind[], monotonic: () => number, busy: () => Problem): () => void {
  let timer: NodeJS.Timeout | undefined
  function refuseLate(kind: Kind): void {
    const before = monotonic() - PATIENCE_MS
    for (const entry of kind.line.late(({ since }) => since <= before)) {
      kind.line.remove(entry.client, entry)
      kind.refused++
      entry.state = 'over'
      entry.refuse(busy())
    }
  }
  function watch(): void {
    if (timer !== undefined || kinds.every(({ line }) => line.length() === 0)) return
    timer = setTimeout(() => {
      timer = undefined
      kinds.forEach(refuseLate)
      watch()
    }, SWEEP_MS).unref()
  }
  return watch
}

function createRefusals(): () => Problem {
  // Made once: under overload, the stack trace of each would cost more than its answer.
  const all = Array.from({ length: MAX_RETRY_SECONDS }, (_, at) => {
    const headers = { 'retry-after': String(at + 1) }
    return new Problem('unavailable', 'too much of this is asked for at present, try again in a moment', { headers })
  })
  let next = 0
  return () => all[next++ % MAX_RETRY_SECONDS] as Problem
}

function admissionMetrics(kinds: Kinds): LabelledMetric[] {
  return [
    {
      name: 'quirl_waiting_requests',
      help: 'Requests that wait for their turn',
      type: 'gauge',
      label: 'kind',
      read: () => mapValues(kinds, ({ line }) => line.length()),
    },
    {
      name: 'quirl_refused_requests_total',
      help: 'Requests answered 503 because too many waited, or they for too long',
      type: 'counter',
      label: 'kind',
      read: () => mapValues(kinds, ({ refused }) => refused),
    },
  ]
}

function mapValues<K extends string, A, B>(record: Record<K, A>, map: (value: A, key: K) => B): Record<K, B> {
  const entries = Object.entries(record) as [K, A][]
  return Object.fromEntries(entries.map(([key, value]) => [key, map(value, key)])) as Record<K, B>
}
