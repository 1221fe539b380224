import { growingSince, TooMuch } from './refresh.ts'
import { bytesOf, createSetState, type SetState } from './set-state.ts'

/** Links whose statistics are read as those of one. */
export interface LinkSet {
  /** Names the set: who asks again for the same, of which perhaps some links are others, has the same key. */
  key: string
  /** Each once, ascending. */
  ids: number[]
}

/** Bytes of all states. One that needs more than half of them is forgotten after its answer. */
const MAX_BYTES = 64 * 2 ** 20
/** What nobody has asked for in this time is forgotten. */
const IDLE_MS = 3_600_000

/**
 * The sums of sets of links that were asked for lately. In memory only: what is removed from the store is nowhere else. Sums are kept
 * as long as no link leaves its set; a link that joins is added.
 */
export interface SetCache {
  /**
   * Reads with the state of a set, which nobody else uses meanwhile.
   * @param waits whether to wait for whoever uses it
   * @returns undefined when it is in use, or `work` has found that it would read too much
   */
  use: <T>(set: LinkSet, now: number, waits: boolean, work: (state: SetState) => Promise<T>) => Promise<T | undefined>
  /** Forgets the sets that have one of these links. */
  drop: (linkIds: readonly number[]) => void
  /** Forgets what was counted of raw scans. */
  dropEdges: () => void
  /** Forgets what nobody has asked for lately; to be called now and then. */
  expire: () => void
  bytes: () => number
}

interface Entry {
  state: SetState
  usedAt: number
  bytes: number
  /** Ends when nobody uses it any more. */
  inUse: Promise<unknown> | undefined
}

/** @param monotonic in milliseconds */
export function createSetCache(monotonic: () => number = () => performance.now(), maxBytes = MAX_BYTES): SetCache {
  const entries: Entries = new Map()

  async function use<T>(set: LinkSet, now: number, work: (state: SetState) => Promise<T>): Promise<T | undefined> {
    const entry = entryOf(entries, set, now)
    try {
      const result = work(entry.state)
      entry.inUse = result
      return await result
    } catch (error) {
      // What it has read so far stays: a state is never between two moments.
      if (error instanceof TooMuch) return undefined
      throw error
    } finally {
      Object.assign(entry, { inUse: undefined, usedAt: monotonic(), bytes: bytesOf(entry.state) })
      makeRoom(entries, set.key, entry, maxBytes)
    }
  }

  return {
    async use(set, now, waits, work) {
      for (let user; (user = entries.get(set.key)?.inUse) !== undefined;) {
        if (!waits) return undefined
        await user.catch(() => undefined)
      }
      return use(set, now, work)
    },
    drop(linkIds) {
      for (const [key, { state }] of entries) if (linkIds.some((id) => state.members.has(id))) entries.delete(key)
    },
    dropEdges() {
      for (const { state } of entries.values()) state.edges.clear()
    },
    expire() {
      const oldest = monotonic() - IDLE_MS
      for (const [key, { usedAt, inUse }] of entries) if (usedAt < oldest && inUse === undefined) entries.delete(key)
    },
    bytes: () => bytesOfAll(entries),
  }
}

/** Entries by key, the least recently used first. */
type Entries = Map<string, Entry>

const bytesOfAll = (entries: Entries) => [...entries.values()].reduce((sum, { bytes }) => sum + bytes, 0)

/** The entry of a set, without links that have left it: what they have added to its sums is not known any more. */
function entryOf(entries: Entries, { key, ids }: LinkSet, now: number): Entry {
  const known = entries.get(key)
  const isUsable = known !== undefined && isPartOf(known.state.ids, ids)
  const entry = isUsable ? known : createEntry(now)
  entries.delete(key)
  entries.set(key, entry)
  return entry
}

function createEntry(now: number): Entry {
  const state = createSetState({ day: growingSince(now), month: undefined })
  return { state, usedAt: 0, bytes: 0, inUse: undefined }
}

function makeRoom(entries: Entries, key: string, entry: Entry, maxBytes: number): void {
  const isKept = !entry.state.isTooLarge && entry.bytes <= maxBytes / 2
  if (!isKept && entries.get(key) === entry) entries.delete(key)
  for (const [oldest, { inUse }] of entries) {
    if (bytesOfAll(entries) <= maxBytes) return
    if (inUse === undefined && oldest !== key) entries.delete(oldest)
  }
}

function isPartOf(ids: number[], all: number[]): boolean {
  if (ids.length > all.length) return false
  let at = 0
  for (const id of all) if (ids[at] === id) at++
  return at === ids.length
}
