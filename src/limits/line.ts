/** What waits of one kind, in the order in which it came; clients take turns, however much each of them wants. */
export interface Line<T> {
  /** Whether no more may wait, of all clients or of this one. */
  isFull: (client: string) => boolean
  add: (client: string, entry: T) => void
  /** Takes out the first entry of the client whose last turn is the longest ago. */
  take: () => T | undefined
  /** @returns whether it was there */
  remove: (client: string, entry: T) => boolean
  /** All that `isLate` holds for. */
  late: (isLate: (entry: T) => boolean) => T[]
  length: () => number
}

/** @param most how many may wait; of one client, half of them */
export function createLine<T>(most: number): Line<T> {
  const share = Math.max(1, Math.floor(most / 2))
  // Maps and sets keep their order: the client whose turn it is stands first, and goes to the end when it has had it.
  const clients = new Map<string, Set<T>>()
  let length = 0

  function remove(client: string, entry: T): boolean {
    const own = clients.get(client)
    if (own?.delete(entry) !== true) return false
    length--
    if (own.size === 0) clients.delete(client)
    return true
  }

  return {
    isFull: (client) => length >= most || (clients.get(client)?.size ?? 0) >= share,
    add(client, entry) {
      const own = clients.get(client)
      if (own === undefined) clients.set(client, new Set([entry]))
      else own.add(entry)
      length++
    },
    take() {
      for (const [client, own] of clients) {
        for (const entry of own) {
          clients.delete(client)
          own.delete(entry)
          length--
          if (own.size > 0) clients.set(client, own)
          return entry
        }
      }
      return undefined
    },
    remove,
    late: (isLate) => [...clients.values()].flatMap((own) => [...own].filter(isLate)),
    length: () => length,
  }
}
