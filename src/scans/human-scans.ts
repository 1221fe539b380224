import type { Scan } from './scan.ts'

/** Links whose scans are counted in memory; the count of the one that was added first is dropped, and read again when needed. */
const MAX_LINKS = 20_000

/** Folds after which a number is read again, where other nodes fold scans too: a node folds every second. */
const CURRENT_FOLDS = 2

/** The number of scans of a link by humans since its creation, also those of this process that are not folded yet. */
export interface HumanScans {
  /** Undefined until the number was loaded. */
  of: (linkId: number) => number | undefined
  /** Whether the number was loaded, and lately where other nodes fold scans too. */
  isCurrent: (linkId: number) => boolean
  /** Requests the number of a link: the next fold reads it. */
  request: (linkId: number) => void
}

/** Counts scans beside the journal and the fold. */
export interface HumanScanCounter extends HumanScans {
  /** Counts a scan that is about to be recorded. Returns the callback for the journal. */
  count: (scan: Scan, recorded: () => void) => () => void
  /**
   * To be called before the number of a link is read that has no unfolded scans. Returns what takes it if it was requested, and
   * is to be called only if no fold has begun meanwhile.
   */
  startRead: (linkId: number) => (number: number) => void
  /** To be called when scans of these links were added otherwise than by a fold: the next one reads their numbers again. */
  expire: (linkIds: Iterable<number>) => void
  /** To be called when the journal has been rotated: the fold of the closed files reads the numbers of these links. */
  startFold: () => { linkIds: number[]; finish: (numberOf: (linkId: number) => number) => void }
}

interface Count {
  /** The folded scans, when they were read; undefined before. */
  folded: number | undefined
  /** Scans in files that were closed for folds which have not finished. */
  closed: number
  /** Scans that were written to the journal after those files. */
  written: number
  /** Scans that are not written yet. */
  queued: number
  /** The fold that read the number. */
  readBy: number
  /** How often it was read. */
  reads: number
  /** How often the number was expired: a fold that began before may have read an older one. */
  expiries: number
}

const unknown: Readonly<Count> = {
  folded: undefined,
  closed: 0,
  written: 0,
  queued: 0,
  readBy: 0,
  reads: 0,
  expiries: 0,
}

/**
 * A number is read between two folds: it has exactly the scans of the files that the journal had closed then, and
 * those written later are counted here. So no scan is missing or counted twice, however reads and visits overlap. That of a
 * link without unfolded scans is the same at any time, until a fold begins (`number-loader.ts`).
 * @param isShared whether other nodes fold scans too: a number in use is read again with each fold
 */
export function createHumanScanCounter(isShared = false, maxLinks = MAX_LINKS): HumanScanCounter {
  const requested = new Map<number, Count>()
  const counts = new Map<number, Count>()
  /** Folds that have succeeded: while they fail, the last number is better than none. */
  let folds = 0

  return {
    of(linkId) {
      const count = counts.get(linkId)
      if (count?.folded === undefined) return undefined
      if (isShared) requested.set(linkId, count)
      return count.folded + count.closed + count.written + count.queued
    },
    isCurrent(linkId) {
      const count = counts.get(linkId)
      return count?.folded !== undefined && (!isShared || folds - count.readBy <= CURRENT_FOLDS)
    },
    request(linkId) {
      const count = counts.get(linkId) ?? addCount(linkId, counts, requested, maxLinks)
      if (count.folded === undefined || isShared) requested.set(linkId, count)
    },
    count({ linkId, bot }, recorded) {
      const count = counts.size === 0 || bot ? undefined : counts.get(linkId)
      return count === undefined ? recorded : countQueued(count, recorded)
    },
    startRead(linkId) {
      const count = requested.get(linkId)
      if (count === undefined) return () => {}
      const take = startRead(count)
      return (number) => {
        if (take(number, folds) && !isShared && requested.get(linkId) === count) requested.delete(linkId)
      }
    },
    expire: (linkIds) => expire(linkIds, counts, requested),
    startFold: () => startFold(requested, () => ++folds),
  }
}

/** Adds a link; drops the one that was added first when there are too many. */
function addCount(linkId: number, counts: Map<number, Count>, requested: Map<number, Count>, max: number): Count {
  const [oldest] = counts.keys()
  if (counts.size >= max && oldest !== undefined) {
    counts.delete(oldest)
    requested.delete(oldest)
  }
  const count = { ...unknown }
  counts.set(linkId, count)
  return count
}

/** @returns what takes the number unless it was read or expired meanwhile, and says whether it has */
function startRead(count: Count): (folded: number, folds: number) => boolean {
  // Those of before are folded.
  const { written, reads, expiries } = count
  return (folded, folds) => {
    if (count.reads !== reads || count.expiries !== expiries) return false
    Object.assign(count, { folded, closed: 0, written: count.written - written, readBy: folds, reads: reads + 1 })
    return true
  }
}

function expire(linkIds: Iterable<number>, counts: Map<number, Count>, requested: Map<number, Count>): void {
  for (const linkId of linkIds) {
    const count = counts.get(linkId)
    if (count === undefined) continue
    count.folded = undefined
    count.expiries++
    requested.set(linkId, count)
  }
}

function countQueued(count: Count, recorded: () => void): () => void {
  count.queued++
  return () => {
    count.queued--
    count.written++
    recorded()
  }
}

function startFold(requested: Map<number, Count>, next: () => number): ReturnType<HumanScanCounter['startFold']> {
  const started = Array.from(requested, ([linkId, count]) => ({ linkId, count, expiries: count.expiries }))
  for (const { count } of started) {
    count.closed += count.written
    count.written = 0
  }
  return {
    linkIds: started.map(({ linkId }) => linkId),
    finish(numberOf) {
      const fold = next()
      for (const { linkId, count, expiries } of started) {
        if (count.expiries !== expiries) continue
        Object.assign(count, { folded: numberOf(linkId), closed: 0, readBy: fold, reads: count.reads + 1 })
        if (requested.get(linkId) === count) requested.delete(linkId)
      }
    },
  }
}
