import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'

/** For how long requests are begun in one turn of the event loop, in milliseconds. */
const TURN_MS = 4
/** What of it the others have first. They are bounded again behind this, by kind and by client. */
const OTHERS_MS = 0.5
/** Requests that waited and are begun in one turn: each in a step of its own, since Node runs what one has promised between two. */
const MAX_STEPS = 64
/** Urgent requests of one turn; nobody who means well has more. */
const MAX_URGENT = 16

/** What goes first when there is more than one turn has time for: what is `urgent` waits for nothing, unless there is a flood of it. */
export type Rank = 'urgent' | 'visit' | 'other'

type Exchange = [request: IncomingMessage, response: ServerResponse]

/**
 * Keeps turns of the event loop short however many connections bring a request at the same time: what a turn has no time
 * for waits for the next one, visits before all else. Other requests have a small part of each turn, and at least one of
 * them is begun in it, however many visits there are. A connection brings its next request when it has its response, so that
 * the load regulates itself.
 * @param rankOf asked only of requests that might have to wait
 */
export function createTurns(
  handle: RequestListener,
  rankOf: (request: IncomingMessage) => Rank,
  monotonic = () => performance.now(),
): RequestListener {
  const visits = createFifo()
  const others = createFifo()
  let end = 0
  let urgent = 0
  let isScheduled = false

  const waiting = () => visits.length() + others.length()

  /** The others have the first part of a turn, and one of them begins in any case: visits cannot keep them all waiting. */
  function step(isFirst: boolean): void {
    const now = monotonic()
    if (now >= end && !isFirst) return
    const isTheirs = isFirst || now < end - TURN_MS + OTHERS_MS
    const next = isTheirs ? (others.take() ?? visits.take()) : (visits.take() ?? others.take())
    // Whoever has gone meanwhile is not answered.
    if (next !== undefined && !next[0].socket.destroyed) handle(...next)
  }

  function turn(): void {
    isScheduled = false
    const steps = Math.min(waiting(), MAX_STEPS)
    if (steps === 0) return
    schedule()
    for (let at = 0; at < steps; at++) setImmediate(step, at === 0)
  }

  /** Begins the time of a turn, which ends with the next call of `turn`. */
  function schedule(): void {
    isScheduled = true
    end = monotonic() + TURN_MS
    urgent = 0
    setImmediate(turn)
  }

  return (request, response) => {
    if (!isScheduled) schedule()
    else if (monotonic() >= end || waiting() > 0) {
      const rank = rankOf(request)
      if (rank === 'visit' || (rank === 'urgent' && ++urgent > MAX_URGENT)) return visits.add([request, response])
      if (rank === 'other') return others.add([request, response])
    }
    handle(request, response)
  }
}

/** First in, first out; taking from the front of a long array would move all that is behind. */
function createFifo() {
  let front: Exchange[] = []
  let back: Exchange[] = []
  return {
    length: () => front.length + back.length,
    add: (exchange: Exchange) => void back.push(exchange),
    take() {
      if (front.length === 0) [front, back] = [back.toReversed(), []]
      return front.pop()
    },
  }
}
