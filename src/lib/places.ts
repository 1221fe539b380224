import type { ServedNetwork } from './served-network.ts'

/**
 * The places of one kind of work. One network may have all of them; then as many others are for networks that have none, one for each,
 * so that nobody waits until what takes long for somebody else is done. Of these others, networks of one allocation, of which there
 * may be 65,536, have a quarter.
 */
export interface Places {
  /** A request waits for a place. */
  wait: (holder: ServedNetwork) => void
  /** It waits no longer, without a place. */
  leave: (holder: ServedNetwork) => void
  /** It has a place. */
  take: (holder: ServedNetwork) => void
  /** It has none any more. */
  free: (holder: ServedNetwork) => void
  /** How many of those that wait may have a place now, about. */
  startable: () => number
  mayTake: (holder: ServedNetwork) => boolean
  /** Whether a further request would have one of the places for networks that have none. */
  isNewcomer: (holder: ServedNetwork) => boolean
  taken: () => number
}

/** @param concurrent places that one network may have */
export function createPlaces(concurrent: number): Places {
  const waiting = createCounts()
  const working = createCounts()
  const newcomers = createNewcomers(Math.max(1, Math.floor(concurrent / 4)))
  const hasRoom = () => working.total() < 2 * concurrent
  const leave = (holder: ServedNetwork) => {
    if (waiting.remove(holder.network) === 0 && !working.has(holder.network)) newcomers.wait(holder, -1)
  }

  return {
    wait(holder) {
      if (waiting.add(holder.network) === 1 && !working.has(holder.network)) newcomers.wait(holder, 1)
    },
    leave,
    take(holder) {
      leave(holder)
      if (working.add(holder.network) > 1) return
      newcomers.work(holder, 1)
      if (waiting.has(holder.network)) newcomers.wait(holder, -1)
    },
    free(holder) {
      if (working.remove(holder.network) > 0) return
      newcomers.work(holder, -1)
      if (waiting.has(holder.network)) newcomers.wait(holder, 1)
    },
    startable() {
      if (working.total() < concurrent) return waiting.total()
      return hasRoom() ? newcomers.startable() : 0
    },
    mayTake: (holder) =>
      working.total() < concurrent || (hasRoom() && !working.has(holder.network) && newcomers.mayWork(holder)),
    isNewcomer: (holder) =>
      working.total() >= concurrent &&
      hasRoom() &&
      !working.has(holder.network) &&
      !waiting.has(holder.network) &&
      newcomers.mayWork(holder),
    taken: working.total,
  }
}

/**
 * The networks of each allocation that wait and have no place.
 * @param most networks of one allocation that may have a place for who has none; an allocation that is one network has no other
 */
function createNewcomers(most: number) {
  const allocations = new Map<string, { waiting: number; working: number }>()
  let startable = 0
  const openOf = ({ waiting, working }: { waiting: number; working: number }) => (working < most ? waiting : 0)

  function change({ allocation }: ServedNetwork, by: { waiting: number; working: number }): void {
    const before = allocations.get(allocation) ?? { waiting: 0, working: 0 }
    const after = { waiting: before.waiting + by.waiting, working: before.working + by.working }
    startable += openOf(after) - openOf(before)
    if (after.waiting + after.working > 0) allocations.set(allocation, after)
    else allocations.delete(allocation)
  }

  return {
    wait: (holder: ServedNetwork, by: 1 | -1) => change(holder, { waiting: by, working: 0 }),
    work: (holder: ServedNetwork, by: 1 | -1) => change(holder, { waiting: 0, working: by }),
    startable: () => startable,
    mayWork: ({ allocation }: ServedNetwork) => (allocations.get(allocation)?.working ?? 0) < most,
  }
}

/** Counts by name; names without any are forgotten. */
function createCounts() {
  const counts = new Map<string, number>()
  let total = 0
  return {
    has: (name: string) => counts.has(name),
    total: () => total,
    add(name: string): number {
      const count = (counts.get(name) ?? 0) + 1
      counts.set(name, count)
      total++
      return count
    },
    remove(name: string): number {
      const count = (counts.get(name) ?? 0) - 1
      if (count > 0) counts.set(name, count)
      else counts.delete(name)
      total--
      return count
    },
  }
}
