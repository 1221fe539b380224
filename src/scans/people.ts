import type { Scan } from './scan.ts'

/** Links whose scans are counted in memory; the count of the one that was added first is dropped, and read again when needed. */
const MAX_LINKS = 20_000

/** The number of scans of a link by people since its creation, also those that are not folded yet. */
export interface People {
  /** Undefined until the number was loaded. */
  of: (linkId: number) => number | undefined
  /** Resolves when `of` returns the number, or when it could not be read in time. */
  load: (linkId: number) => Promise<void>
}

/** Counts scans beside the journal and the fold. */
export interface PeopleCounter extends Pick<People, 'of'> {
  /** Requests the number of a link: the next fold reads it. */
  request: (linkId: number) => void
  /** Counts a scan that is about to be recorded. Returns the callback for the journal. */
  count: (scan: Scan, recorded: () => void) => () => void
  /** To be called when the journal has been rotated: the fold of the closed files reads the numbers of these links. */
  startFold: () => { linkIds: number[]; finish: (counts: number[]) => void }
}

interface Count {
  /** The folded scans, when they were read; undefined before. */
  folded: number | undefined
  /** Scans that were written to the journal after the files of that fold. */
  written: number
  /** Scans that are not written yet. */
  queued: number
}

/**
 * A number is read between two folds: it has exactly the scans of the files that the journal had closed then, and
 * those written later are counted here. So no scan is missing or counted twice, however reads and visits overlap.
 */
export function createPeopleCounter(maxLinks = MAX_LINKS): PeopleCounter {
  const counts = new Map<number, Count>()
  const requested = new Map<number, Count>()

  function add(linkId: number): Count {
    const [oldest] = counts.keys()
    if (counts.size >= maxLinks && oldest !== undefined) counts.delete(oldest)
    const count = { folded: undefined, written: 0, queued: 0 }
    counts.set(linkId, count)
    return count
  }

  return {
    of(linkId) {
      const count = counts.get(linkId)
      return count?.folded === undefined ? undefined : count.folded + count.written + count.queued
    },
    request(linkId) {
      const count = counts.get(linkId) ?? add(linkId)
      if (count.folded === undefined) requested.set(linkId, count)
    },
    count({ linkId, bot }, recorded) {
      const count = counts.size === 0 || bot ? undefined : counts.get(linkId)
      if (count === undefined) return recorded
      count.queued++
      return () => {
        count.queued--
        count.written++
        recorded()
      }
    },
    startFold: () => startFold(requested),
  }
}

function startFold(requested: Map<number, Count>): ReturnType<PeopleCounter['startFold']> {
  const started = [...requested]
  // What was written until now is in the closed files.
  for (const [, count] of started) count.written = 0
  return {
    linkIds: started.map(([linkId]) => linkId),
    finish(folded) {
      for (const [at, [linkId, count]] of started.entries()) {
        count.folded = folded[at] ?? 0
        if (requested.get(linkId) === count) requested.delete(linkId)
      }
    },
  }
}

/** @param fold folds everything that was recorded before the call, in bounded time */
export function openPeople({ of, request }: PeopleCounter, fold: () => Promise<unknown>): People {
  return {
    of,
    async load(linkId) {
      request(linkId)
      await fold()
    },
  }
}
