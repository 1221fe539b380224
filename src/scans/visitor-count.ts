import type { HumanScanCounter } from './human-scans.ts'
import { firstOfAddress, personOf } from './describing/visitor-key.ts'
import { MAX_PEOPLE } from './folding/first-visits.ts'
import type { Scan } from './scan.ts'

/** Links whose people are counted; the count of the one that was added first is dropped, and read again when needed. */
const MAX_LINKS = 20_000
/** Keys in memory of people who are not folded yet: of all links, and of one. Beyond, only their visits are counted. */
const [MAX_PENDING, MAX_PENDING_OF_LINK] = [100_000, 10_000]
/** Keys in memory of people who are known to be counted: twice as many at most. */
const MAX_KNOWN = 100_000
/** Folds after which a number is not used where other nodes fold scans too, and after which an unused one is dropped. */
const [CURRENT_FOLDS, USED_FOLDS] = [2, 60]

/** How many people have visited a link since its creation, each once a day. */
export interface VisitorCount {
  /** Whether so many have before this visit; undefined while that is not known, and the number must be loaded first. */
  has: (linkId: number, number: number) => boolean | undefined
  /** How many have at least; 0 while the number is not known. */
  least: (linkId: number) => number
  /** Requests the number of a link: the next fold reads it. */
  request: (linkId: number) => void
}

/** Counts people beside the journal and the fold. */
export interface VisitorCounter extends VisitorCount {
  /** Counts a scan that is about to be recorded. Returns the callback for the journal. */
  count: (scan: Scan, recorded: () => void) => () => void
  /** As that of the number of scans. */
  startRead: HumanScanCounter['startRead']
  /** To be called when visitors of these links were added otherwise than by a fold. */
  expire: (linkIds: Iterable<number>) => void
  /** To be called when the journal has been rotated: the fold of the closed files reads the numbers of these links. */
  startFold: () => { linkIds: number[]; finish: (numberOf: (linkId: number) => number) => void }
}

/** What happens to a scan, in order; it is folded when it was closed before a fold that has finished. */
type Stage = 'queued' | 'written' | 'closed'

interface Count {
  /** The people who are folded, when they were read; undefined before. */
  folded: number | undefined
  /** Keys that are pending for this count. */
  keys: number
  /** Visits whose keys have no room in memory: each may be of a further person. */
  unheld: Record<Stage, number>
  /** Set while the keys of all people who have ever visited are known: how often known keys had been dropped when the first came. */
  wholeSince: number | undefined
  readBy: number
  usedBy: number
  /** How often it was read. */
  reads: number
  /** How often it was expired: a fold that began before may have read an older number. */
  expiries: number
}

/** A person with visits that are not folded yet: the stage of the first of these. */
interface Pending {
  count: Count
  stage: Stage
}

/**
 * A number is read between two folds, as that of the scans is (`human-scans.ts`). People of later visits are told by their keys. Who
 * was counted earlier that day is known only in part, so that later keys may be of no further people: where that matters, near
 * the number that a rule names, the visit waits for a fold, and the next number is exact. Of a link that had no people when its
 * number was read, all are known by their keys, and no visit waits.
 * @param isShared whether other nodes fold scans too
 */
export function createVisitorCounter(
  isShared = false,
  bounds = { links: MAX_LINKS, ofLink: MAX_PENDING_OF_LINK },
): VisitorCounter {
  const counts = new Map<number, Count>()
  const keys = createKeys(bounds.ofLink)
  let folds = 0

  return {
    has(linkId, number) {
      const count = counts.get(linkId)
      if (count?.folded === undefined) return undefined
      count.usedBy = folds
      if (count.folded + (count.wholeSince === keys.dropped() ? count.keys : 0) >= number) return true
      if (isShared && folds - count.readBy > CURRENT_FOLDS) return undefined
      return count.folded + count.keys + unheldOf(count) < number ? false : undefined
    },
    least: (linkId) => counts.get(linkId)?.folded ?? 0,
    request: (linkId) => void ((counts.get(linkId) ?? addCount(counts, linkId, bounds.links)).usedBy = folds),
    count(scan, recorded) {
      const count = counts.size === 0 ? undefined : counts.get(scan.linkId)
      if (count === undefined || scan.bot || scan.visitor === null) return recorded
      return keys.count(count, personOf(scan, scan.visitor), recorded)
    },
    startRead(linkId) {
      const take = startRead(counts.get(linkId))
      const whole = (folded: number) => (folded === 0 && !isShared ? keys.dropped() : undefined)
      return (folded) => take({ folded, wholeSince: whole(folded), readBy: folds })
    },
    expire: (linkIds) => expire(linkIds, counts),
    startFold() {
      keys.startFold()
      const started = startCounts(counts, folds, isShared)
      const finish = (numberOf: (linkId: number) => number) => {
        keys.finishFold()
        finishCounts(started, numberOf, ++folds)
      }
      return { linkIds: started.map(({ linkId }) => linkId), finish }
    },
  }
}

/** The keys of people of all links: those that are not folded yet, and those that are known to be. */
function createKeys(maxOfLink: number) {
  const pending = new Map<number, Pending>()
  /** How many keys each address has, which the fold counts as people up to a number. */
  const addresses = new Map<number, number>()
  const known = createKnownKeys(() => addresses.clear())
  return {
    dropped: known.dropped,
    count(count: Count, key: number, recorded: () => void): () => void {
      if (known.has(key) || pending.has(key)) return recorded
      const address = firstOfAddress(key)
      const others = addresses.get(address) ?? 0
      if (others >= MAX_PEOPLE) return recorded
      if (pending.size >= MAX_PENDING || count.keys >= maxOfLink) return countUnheld(count, recorded)
      const held: Pending = { count, stage: 'queued' }
      pending.set(key, held)
      addresses.set(address, others + 1)
      count.keys++
      return () => {
        held.stage = 'written'
        recorded()
      }
    },
    startFold() {
      for (const held of pending.values()) if (held.stage === 'written') held.stage = 'closed'
    },
    finishFold() {
      for (const [key, { count, stage }] of pending) {
        if (stage !== 'closed') continue
        pending.delete(key)
        count.keys--
        known.add(key)
      }
    },
  }
}

/** @returns what takes the number unless it was read or expired meanwhile */
function startRead(count: Count | undefined): (read: Pick<Count, 'folded' | 'wholeSince' | 'readBy'>) => void {
  if (count === undefined) return () => {}
  const { reads, expiries } = count
  return (read) => {
    if (count.reads === reads && count.expiries === expiries) Object.assign(count, read, { reads: reads + 1 })
  }
}

function expire(linkIds: Iterable<number>, counts: Map<number, Count>): void {
  for (const linkId of linkIds) {
    const count = counts.get(linkId)
    if (count === undefined) continue
    Object.assign(count, { folded: undefined, wholeSince: undefined, expiries: count.expiries + 1 })
  }
}

function addCount(counts: Map<number, Count>, linkId: number, max: number): Count {
  const [oldest] = counts.keys()
  if (counts.size >= max && oldest !== undefined) counts.delete(oldest)
  const unheld = { queued: 0, written: 0, closed: 0 }
  const read = { wholeSince: undefined, readBy: 0, usedBy: 0, reads: 0, expiries: 0 }
  const count: Count = { folded: undefined, keys: 0, unheld, ...read }
  counts.set(linkId, count)
  return count
}

function finishCounts(
  started: ReturnType<typeof startCounts>,
  numberOf: (linkId: number) => number,
  folds: number,
): void {
  for (const { linkId, count, expiries } of started) {
    count.unheld.closed = 0
    if (count.expiries !== expiries) continue
    Object.assign(count, { folded: numberOf(linkId), readBy: folds, reads: count.reads + 1 })
  }
}

/** Closes what was written of each count, and drops those that no visit has used lately. @returns those that the fold is to read */
function startCounts(counts: Map<number, Count>, folds: number, isShared: boolean) {
  const started: { linkId: number; count: Count; expiries: number }[] = []
  for (const [linkId, count] of counts) {
    if (folds - count.usedBy > USED_FOLDS) {
      counts.delete(linkId)
      continue
    }
    const { unheld, expiries } = count
    unheld.closed += unheld.written
    unheld.written = 0
    if (isShared || count.folded === undefined || count.keys > 0 || unheld.closed > 0)
      started.push({ linkId, count, expiries })
  }
  return started
}

function unheldOf({ unheld }: Count): number {
  return unheld.queued + unheld.written + unheld.closed
}

function countUnheld(count: Count, recorded: () => void): () => void {
  const { unheld } = count
  count.wholeSince = undefined
  unheld.queued++
  return () => {
    unheld.queued--
    unheld.written++
    recorded()
  }
}

/** Keys of people who are counted: of two generations, the older one is dropped when the younger is full. */
function createKnownKeys(onDrop: () => void) {
  let [young, old] = [new Set<number>(), new Set<number>()]
  let dropped = 0
  return {
    /** How often keys were dropped. */
    dropped: () => dropped,
    has: (key: number) => young.has(key) || old.has(key),
    add(key: number) {
      young.add(key)
      if (young.size < MAX_KNOWN) return
      if (old.size > 0) {
        dropped++
        onDrop()
      }
      ;[young, old] = [new Set(), young]
    },
  }
}
