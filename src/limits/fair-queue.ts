/** A bounded queue that serves clients round-robin, however many entries each of them has. */
export interface FairQueue<T> {
  /** Whether no more may wait, of all clients or of this one. */
  isFull: (client: string) => boolean
  /** How many entries would be served before a further one of this client. */
  ahead: (client: string) => number
  add: (client: string, entry: T) => void
  /** Removes the first entry of the client that was served least recently. */
  take: () => T | undefined
  /** @returns whether the entry was in the queue */
  remove: (client: string, entry: T) => boolean
  filter: (matches: (entry: T) => boolean) => T[]
  length: () => number
}

/** @param max entries that may wait; of one client, half of them */
export function createFairQueue<T>(max: number): FairQueue<T> {
  const perClient = Math.max(1, Math.floor(max / 2))
  // Maps and sets keep insertion order: the next client is the first one, and moves to the end when it was served.
  const clients = new Map<string, Set<T>>()
  let length = 0

  return {
    isFull: (client) => length >= max || (clients.get(client)?.size ?? 0) >= perClient,
    ahead: (client) => countAhead(clients, client),
    add(client, entry) {
      const entries = clients.get(client)
      if (entries === undefined) clients.set(client, new Set([entry]))
      else entries.add(entry)
      length++
    },
    take() {
      for (const [client, entries] of clients) {
        for (const entry of entries) {
          clients.delete(client)
          entries.delete(entry)
          length--
          if (entries.size > 0) clients.set(client, entries)
          return entry
        }
      }
      return undefined
    },
    remove(client, entry) {
      const entries = clients.get(client)
      if (entries?.delete(entry) !== true) return false
      length--
      if (entries.size === 0) clients.delete(client)
      return true
    },
    filter: (matches) => [...clients.values()].flatMap((entries) => [...entries].filter(matches)),
    length: () => length,
  }
}

/** All entries of the client itself, and of each other one no more than it has turns until then. */
function countAhead(clients: ReadonlyMap<string, ReadonlySet<unknown>>, client: string): number {
  const own = clients.get(client)?.size ?? 0
  let ahead = own
  for (const [each, { size }] of clients) if (each !== client) ahead += Math.min(size, own + 1)
  return ahead
}
