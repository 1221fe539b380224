/** Starts work in time slices of the event loop. */
export interface TimeSlices {
  /** To be called when there may be work to start. */
  wake: () => void
  /** To be called with each new connection: further ones are accepted and read before the next slice. */
  onConnection: () => void
  /** To be called with each refusal: however many there are in an iteration, work keeps a share of its time. */
  onRefusal: () => void
}

export interface TimeSliceOptions {
  /** Starts one task. Returns what is to be called with the milliseconds it took, or undefined when no task is ready. */
  startNext: () => ((ms: number) => void) | undefined
  /** Tasks that are ready, about. */
  ready: () => number
  /** Whether no task is in progress. */
  isIdle: () => boolean
  /** Called before each slice. */
  beforeSlice: () => void
  /** The length of a slice, past which no further task starts, in milliseconds. */
  sliceMs: number
  monotonic: () => number
}

/** Tasks of one slice. */
const MAX_STEPS = 32
/** After an iteration with refusals, a slice may take this share of its time, up to the maximum in milliseconds. */
const SHARE = 0.25
const MAX_SLICE_MS = 10
/** How long new connections may postpone a slice, in milliseconds: work goes on however many there are. */
const MAX_POSTPONE_MS = 3

/**
 * Runs one slice per iteration of the event loop at most, so that connections are accepted and requests read in between.
 * Each task starts in an immediate of its own: Node settles promises between two, and only then is it known how long the
 * task took.
 */
export function createTimeSlices(options: TimeSliceOptions): TimeSlices {
  const { startNext, ready, isIdle, monotonic } = options
  const slice = createSlice(options)
  let remaining = 0
  let isFirst = false
  let startedAt = 0
  let report: ((ms: number) => void) | undefined

  function step(): void {
    if (isFirst) {
      isFirst = false
      slice.open()
    }
    const now = monotonic()
    report?.(now - startedAt)
    report = undefined
    remaining--
    if (remaining === 0) return wake()
    if (!slice.isOpen(now)) return
    startedAt = now
    report = startNext()
  }

  /** A task that arrives alone starts in this iteration of the event loop, after the caller has returned. */
  function startAlone(): void {
    remaining = 1
    setImmediate(step)
    queueMicrotask(() => {
      startedAt = slice.openNow()
      report = startNext()
    })
  }

  function wake(): void {
    const count = ready()
    if (remaining > 0 || count === 0) return
    if (count === 1 && !slice.hasConnections() && isIdle()) return startAlone()
    isFirst = true
    slice.plan()
    // The last step starts nothing: it measures the one before it.
    remaining = Math.min(count, MAX_STEPS) + 1
    for (let at = 0; at < remaining; at++) setImmediate(step)
  }

  return { wake, onConnection: slice.onConnection, onRefusal: slice.onRefusal }
}

type SliceOptions = Pick<TimeSliceOptions, 'beforeSlice' | 'sliceMs' | 'monotonic'>

/** Decides whether there is a slice in this iteration of the event loop, and for how long. */
function createSlice({ beforeSlice, sliceMs, monotonic }: SliceOptions) {
  let plannedAt = 0
  let openedAt = 0
  let length = 0
  let isPostponed = false
  let hasConnections = false
  let hasRefusals = false
  return {
    plan: () => (plannedAt = monotonic()),
    open() {
      isPostponed = hasConnections && monotonic() - openedAt < MAX_POSTPONE_MS
      hasConnections = false
      if (isPostponed) return
      beforeSlice()
      openedAt = monotonic()
      length = hasRefusals ? Math.min(MAX_SLICE_MS, Math.max(sliceMs, (openedAt - plannedAt) * SHARE)) : sliceMs
      hasRefusals = false
    },
    openNow() {
      beforeSlice()
      return (openedAt = monotonic())
    },
    hasConnections: () => hasConnections,
    isOpen: (now: number) => !isPostponed && now - openedAt < length,
    onConnection: () => (hasConnections = true),
    onRefusal: () => (hasRefusals = true),
  }
}
