import type { Holder } from './holder.ts'

/** Who wants a result. */
export interface Wanting {
  /** Absent for the program itself. */
  holder?: Holder | undefined
  /** Aborts when the result is no longer wanted. */
  signal?: AbortSignal | undefined
}

/** A turn at work that is shared. */
export interface SharedTurn {
  /** Aborts when nobody wants the result, and before the work has begun also when no one of this turn does. */
  signal: AbortSignal
  /** To be called when the work begins. */
  onBegin: () => void
}

/**
 * Work that all share who want its result. Until it begins, each network waits in a turn of its own: whoever asks for the result
 * that somebody else wants would otherwise let him wait behind all that he himself has asked for.
 */
export interface SharedWork<T> {
  /**
   * @param wait waits for a turn, and does the work then
   * @throws what the work throws; what the last turn fails with before any has come; what the signal aborts with
   */
  share: (name: string, who: Wanting, wait: (turn: SharedTurn) => Promise<T>) => Promise<T>
}

interface Turn {
  wanting: number
  abort: AbortController
}

interface Work<T> {
  result: PromiseWithResolvers<T>
  wanting: number
  /** By network. */
  turns: Map<string, Turn>
  /** The turn that has come. */
  begun: Turn | undefined
}

/** @param mayJoinLate whether who comes when the work has begun gets its result as well; by default it is done again */
export function createSharedWork<T>({ mayJoinLate = false } = {}): SharedWork<T> {
  const works = new Map<string, Work<T>>()

  function forget(name: string, work: Work<T>): void {
    if (works.get(name) === work) works.delete(name)
  }

  function start(name: string): Work<T> {
    const work: Work<T> = { result: Promise.withResolvers(), wanting: 0, turns: new Map(), begun: undefined }
    // Those who want it may all have left.
    work.result.promise.catch(() => {}).finally(() => forget(name, work))
    works.set(name, work)
    return work
  }

  return {
    share(name, who, wait) {
      const work = works.get(name) ?? start(name)
      const onBegin = (turn: Turn) => {
        begin(work, turn)
        if (!mayJoinLate) forget(name, work)
      }
      const turn = work.begun ?? work.turns.get(networkOf(who)) ?? addTurn(work, networkOf(who), wait, onBegin)
      const leave = join(work, turn, networkOf(who))
      return untilAborted(work.result.promise, who.signal, (reason) => {
        leave(reason)
        if (work.wanting === 0) forget(name, work)
      })
    },
  }
}

const networkOf = ({ holder }: Wanting) => holder?.network ?? ''

function addTurn<T>(
  work: Work<T>,
  network: string,
  wait: (turn: SharedTurn) => Promise<T>,
  onBegin: (turn: Turn) => void,
): Turn {
  const turn: Turn = { wanting: 0, abort: new AbortController() }
  work.turns.set(network, turn)
  const onFailure = (error: unknown) => {
    if (work.turns.get(network) === turn) work.turns.delete(network)
    // The others wait for turns of their own, or for that which has come.
    if (work.begun === turn || (work.begun === undefined && work.turns.size === 0)) work.result.reject(error)
  }
  wait({ signal: turn.abort.signal, onBegin: () => onBegin(turn) }).then(work.result.resolve, onFailure)
  return turn
}

/** The other turns are not needed any more. */
function begin<T>(work: Work<T>, begun: Turn): void {
  work.begun = begun
  for (const turn of work.turns.values()) if (turn !== begun) turn.abort.abort()
}

/** @returns to be called when the result is no longer wanted */
function join<T>(work: Work<T>, turn: Turn, network: string): (reason: unknown) => void {
  work.wanting++
  turn.wanting++
  return (reason) => {
    work.wanting--
    turn.wanting--
    if (work.begun !== undefined) {
      if (work.wanting === 0) work.begun.abort.abort(reason)
    } else if (turn.wanting === 0) {
      work.turns.delete(network)
      turn.abort.abort(reason)
    }
  }
}

/** @param onAbort called when the signal aborts before the promise is settled */
async function untilAborted<T>(
  promise: Promise<T>,
  signal: AbortSignal | undefined,
  onAbort: (reason: unknown) => void,
): Promise<T> {
  if (signal === undefined) return promise
  const aborted = Promise.withResolvers<never>()
  const abort = () => {
    onAbort(signal.reason)
    aborted.reject(signal.reason)
  }
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort)
  try {
    return await Promise.race([promise, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
