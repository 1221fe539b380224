/** Begins work in slices of the event loop's turns. */
export interface Slices {
  /** To be called when there may be work to begin. */
  wake: () => void
  /** To be called with each new connection: the others that wait are accepted, and what they ask is read, before the next slice. */
  arrived: () => void
  /** To be called with each refusal: however many there are in a turn, work keeps a share of its time. */
  refused: () => void
}

export interface SliceOptions {
  /** Begins one piece of work; undefined when there is none that may begin. Answers what is told how long it took. */
  begin: () => ((ms: number) => void) | undefined
  /** How many pieces wait, about. */
  waiting: () => number
  /** Whether no piece is under way. */
  isIdle: () => boolean
  /** Called before each slice. */
  first: () => void
  /** How long a slice may be before no further piece is begun, in milliseconds. */
  sliceMs: number
  monotonic: () => number
}

/** Pieces of one slice. */
const MAX_STEPS = 32
/** What a slice may take of the turn that went before it, where that is more; and what it may take at most, in milliseconds. */
const SHARE = 0.25
const MAX_SLICE_MS = 10
/** For how long there may be no slice while connections come, in milliseconds: work goes on however many there are. */
const MAX_PAUSE_MS = 3

/**
 * Works in one slice a turn at most: connections are accepted and requests read in between. Each piece is a step of its own
 * (`setImmediate`), because Node runs what a piece has promised between two steps, and only then is it known how long it took.
 */
export function createSlices({ begin, waiting, isIdle, first, sliceMs, monotonic }: SliceOptions): Slices {
  let left = 0
  let isFirst = false
  let began = 0
  let plannedAt = 0
  let allowance = 0
  let stepAt = 0
  let tell: ((ms: number) => void) | undefined
  let hasArrived = false
  let hasRefused = false
  let isSkipped = false
  let slicedAt = 0

  function open(): void {
    isFirst = false
    const now = monotonic()
    isSkipped = hasArrived && now - slicedAt < MAX_PAUSE_MS
    hasArrived = false
    if (isSkipped) return
    first()
    began = monotonic()
    slicedAt = began
    allowance = hasRefused ? Math.min(MAX_SLICE_MS, Math.max(sliceMs, (began - plannedAt) * SHARE)) : sliceMs
    hasRefused = false
  }

  function step(): void {
    if (isFirst) open()
    const now = monotonic()
    tell?.(now - stepAt)
    tell = undefined
    left--
    if (left === 0) return wake()
    if (isSkipped || now - began >= allowance) return
    stepAt = now
    tell = begin()
  }

  /** A piece that comes alone is begun in this turn of the event loop, and the next in a slice as ever. */
  function beginAlone(): void {
    left = 1
    isFirst = false
    setImmediate(step)
    queueMicrotask(() => {
      first()
      stepAt = monotonic()
      slicedAt = stepAt
      tell = begin()
    })
  }

  function wake(): void {
    const count = waiting()
    if (left > 0 || count === 0) return
    if (count === 1 && !hasArrived && isIdle()) return beginAlone()
    isFirst = true
    plannedAt = monotonic()
    // The last step begins nothing: it sees how long the one before it took.
    left = Math.min(count, MAX_STEPS) + 1
    for (let at = 0; at < left; at++) setImmediate(step)
  }

  return { wake, arrived: () => (hasArrived = true), refused: () => (hasRefused = true) }
}
