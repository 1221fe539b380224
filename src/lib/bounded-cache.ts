/** A map that evicts the least recently used entries to keep its weight under a bound. */
export interface BoundedCache<V> {
  get(key: string): V | undefined
  /** `weight` is the entry's share of the bound, in the bound's own unit (bytes, say). */
  set(key: string, value: V, weight: number): void
  delete(key: string): void
  clear(): void
}

/**
 * Two generations: entries are written to the young one; when that reaches half of the bound, it becomes the old one,
 * and the former old one is dropped. A hit in the young generation is one map look-up and writes nothing, which is
 * why this and not a linked list: a visit pays for it.
 */
export function createBoundedCache<V>(maxWeight: number): BoundedCache<V> {
  type Entry = { value: V; weight: number }
  let young = new Map<string, Entry>()
  let old = new Map<string, Entry>()
  let youngWeight = 0

  function put(key: string, entry: Entry): void {
    youngWeight += entry.weight - (young.get(key)?.weight ?? 0)
    young.set(key, entry)
    if (youngWeight <= maxWeight / 2) return
    old = young
    young = new Map()
    youngWeight = 0
  }

  return {
    get(key) {
      const entry = young.get(key)
      if (entry !== undefined) return entry.value
      const aged = old.get(key)
      if (aged === undefined) return undefined
      old.delete(key)
      put(key, aged)
      return aged.value
    },
    set(key, value, weight) {
      old.delete(key)
      put(key, { value, weight })
    },
    delete(key) {
      youngWeight -= young.get(key)?.weight ?? 0
      young.delete(key)
      old.delete(key)
    },
    clear() {
      young = new Map()
      old = new Map()
      youngWeight = 0
    },
  }
}
