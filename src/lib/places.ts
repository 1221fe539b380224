/**
 * The places of one kind of work. One network may have all of them; then as many others are for networks that have none, one for each,
 * so that nobody waits until what takes long for somebody else is done.
 */
export interface Places {
  /** A request of a network waits for a place. */
  wait: (network: string) => void
  /** It waits no longer, without a place. */
  leave: (network: string) => void
  /** It has a place. */
  take: (network: string) => void
  /** It has none any more. */
  free: (network: string) => void
  /** How many of those that wait may have a place now, about. */
  startable: () => number
  mayTake: (network: string) => boolean
  /** Whether a further request of a network would have one of the places for networks that have none. */
  isNewcomer: (network: string) => boolean
  taken: () => number
}

/** @param concurrent places that one network may have */
export function createPlaces(concurrent: number): Places {
  const waiting = createCounts()
  const working = createCounts()
  /** Networks that wait and have no place. */
  let newcomers = 0
  const hasRoom = () => working.total() < 2 * concurrent
  const leave = (network: string) => {
    if (waiting.remove(network) === 0 && !working.has(network)) newcomers--
  }

  return {
    wait(network) {
      if (waiting.add(network) === 1 && !working.has(network)) newcomers++
    },
    leave,
    take(network) {
      leave(network)
      if (working.add(network) === 1 && waiting.has(network)) newcomers--
    },
    free(network) {
      if (working.remove(network) === 0 && waiting.has(network)) newcomers++
    },
    startable() {
      if (working.total() < concurrent) return waiting.total()
      return hasRoom() ? newcomers : 0
    },
    mayTake: (network) => working.total() < concurrent || (hasRoom() && !working.has(network)),
    isNewcomer: (network) =>
      working.total() >= concurrent && hasRoom() && !working.has(network) && !waiting.has(network),
    taken: working.total,
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
