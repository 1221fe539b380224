import type { Holder } from './holder.ts'

/**
 * A bounded pool that strangers share. Its rule: an entry is put into it, and while there is more than fits, the largest holder
 * gives way. So one holder may have all of it as long as nobody else wants any, and a newcomer is refused only when no allocation
 * and nothing that entries are about, such as a link, holds more than its own would.
 *
 * The largest holder is the client with most in the network with most in the allocation, or the subject, with most; of equal ones
 * that of the newcomer, or else the latest.
 */
export interface FairPool<E> {
  /**
   * Adds an entry, or changes its weight; it then counts as the latest of its holder.
   * @returns the entries that give way, which are no longer in the pool; the entry itself may be one of them
   */
  put: (entry: E, holder: Holder, weight?: number) => readonly E[]
  /** Whether a further entry would find its own holder to be the largest. */
  isRefused: (holder: Holder) => boolean
  /** Makes an entry stay until it is removed; it still counts. */
  keep: (entry: E) => void
  /** @returns whether the entry was in the pool */
  remove: (entry: E) => boolean
  /**
   * Removes the first entry that may be served, of the allocation that was served least recently, or had least (`usedOf`), in it
   * of the network, and in that of the client that was served least recently. Whoever has put the next one by the time that it
   * would be its turn has lost nothing by having had none for a moment.
   * @param mayServe whether a holder may be served, by default any
   */
  take: (mayServe?: (holder: Holder) => boolean) => E | undefined
  /** The weight of what `take` returns before a further entry of this weight: of its own allocation, and of all. */
  ahead: (holder: Holder, weight?: number) => { ofAllocation: number; ofAll: number }
  entries: () => Iterable<E>
  /**
   * Changes the weight that all entries may have.
   * @returns those that give way to that, which are no longer in the pool
   */
  resize: (capacity: number) => readonly E[]
  /** The weight of all entries. */
  total: () => number
  length: () => number
}

export interface FairPoolBounds<E> {
  /** The weight of all entries; an entry weighs 1 unless it says more. */
  capacity: number
  /** How many entries there may be, whatever they weigh. */
  entries?: number
  /** Chooses which entry of a client gives way; they come in the order in which they were put. By default the latest. */
  choose?: (entries: Iterable<E>) => E | undefined
  /**
   * What an allocation had lately, in the measure of the weights. Then that is next which has least with its next entry, so that
   * each has the same weight served, and not the same number.
   */
  usedOf?: (allocation: string) => number
}

const NOBODY: readonly never[] = []

export function createFairPool<E>(bounds: FairPoolBounds<E>): FairPool<E> {
  const { entries: most = Infinity, choose, usedOf } = bounds
  let { capacity } = bounds
  const holdings = createHoldings<E>()
  const { held, holders, add, remove } = holdings
  const isFull = () => holdings.total() > capacity || held.size > most
  const room = createRoom(holdings, isFull, choose)

  return {
    put(entry, holder, weight = 1) {
      remove(entry)
      add(entry, { holder, weight, isKept: false })
      return isFull() ? room.make({ entry, holder }) : NOBODY
    },
    resize(to) {
      capacity = to
      return isFull() ? room.make() : NOBODY
    },
    isRefused: (holder) => (holdings.total() >= capacity || held.size >= most) && room.isRefused(holder),
    keep: holdings.keep,
    remove,
    take: (mayServe = always) => takeNext(holdings, inTurn(holdings, usedOf), mayServe),
    ahead: (holder, weight = 1) => weightAhead(holders, holder, weight),
    entries: () => held.keys(),
    total: holdings.total,
    length: () => held.size,
  }
}

interface Newcomer<E> {
  entry: E
  holder: Holder
}

/** Lets the entries of the largest holders give way. */
function createRoom<E>(holdings: Holdings<E>, isFull: () => boolean, choose: FairPoolBounds<E>['choose']) {
  function findLeaving(newcomer: Newcomer<E> | undefined): E | undefined {
    const largest = findLargest(holdings, newcomer?.holder)
    if (choose !== undefined) return choose(largest) ?? newcomer?.entry
    return newcomer !== undefined && largest.has(newcomer.entry)
      ? newcomer.entry
      : (latestOf(largest) ?? newcomer?.entry)
  }
  return {
    make(newcomer?: Newcomer<E>): E[] {
      const leaving: E[] = []
      while (isFull()) {
        const next = findLeaving(newcomer)
        if (next === undefined) break
        holdings.remove(next)
        leaving.push(next)
        if (next === newcomer?.entry) break
      }
      return leaving
    },
    isRefused(holder: Holder): boolean {
      const probe = {} as E
      holdings.add(probe, { holder, weight: 1, isKept: false })
      const isLargest = findLargest(holdings, holder).has(probe)
      holdings.remove(probe)
      return isLargest
    },
  }
}

const always = () => true

/** The one that was put last. */
function latestOf<E>(entries: Iterable<E>): E | undefined {
  let latest: E | undefined
  for (const entry of entries) latest = entry
  return latest
}

/** The one that was put first: where each step of an entry puts it again, the slowest. */
export function slowestOf<E>(entries: Iterable<E>): E | undefined {
  for (const entry of entries) return entry
  return undefined
}

/** What an entry holds of the pool. */
interface Holding {
  holder: Holder
  weight: number
  isKept: boolean
}

/** What has a part of the pool: an allocation, a network of it, a client of that, or what entries are about. */
interface Group<E> {
  weight: number
  /** All its entries. */
  count: number
  /** Those that may give way. */
  yielding: number
  /** It stays for a turn without entries. */
  wasServed: boolean
  /** Those of a client, or of what entries are about; else there are parts. */
  entries: Set<E>
  /** The networks of an allocation, or the clients of a network. */
  parts: Groups<string, E>
}

/** Maps keep insertion order: the first group is served next, and moves to the end when it was. */
interface Groups<K, E> {
  byKey: Map<K, Group<E>>
  /** No group that may give way weighs more than this, so that a flood of one holder costs no search. */
  most: number
}

interface Holdings<E> {
  held: Map<E, Holding>
  /** By allocation. */
  holders: Groups<string, E>
  subjects: Groups<number | string, E>
  add: (entry: E, holding: Holding) => void
  remove: (entry: E) => boolean
  keep: (entry: E) => void
  total: () => number
}

const newGroups = <K, E>(): Groups<K, E> => ({ byKey: new Map<K, Group<E>>(), most: 0 })
/** Nothing is ever put into these two. */
const [noEntries, noParts] = [new Set<never>(), newGroups<string, never>()]
const newGroup = <E>(): Group<E> => ({
  weight: 0,
  count: 0,
  yielding: 0,
  wasServed: false,
  entries: noEntries,
  parts: noParts,
})

const levels = ['allocation', 'network', 'client'] as const

/** From the largest to the client. An allocation that is a network is one level. */
function pathOf({ allocation, network, client }: Holder): readonly string[] {
  return allocation === network ? [network, client] : [allocation, network, client]
}

/** Who holds what. */
function createHoldings<E>(): Holdings<E> {
  const held: Holdings<E>['held'] = new Map()
  const holders = newGroups<string, E>()
  const subjects = newGroups<number | string, E>()
  let total = 0

  function change(entry: E, holding: Holding, sign: 1 | -1): void {
    const { holder, weight } = holding
    total += sign * weight
    const groups =
      holder.allocation === holder.network ? holders : changeParts(holders, holder.allocation, holding, sign)
    changeEntries(changeParts(groups, holder.network, holding, sign), holder.client, entry, holding, sign)
    if (holder.about !== undefined) changeEntries(subjects, holder.about, entry, holding, sign)
  }

  function add(entry: E, holding: Holding): void {
    held.set(entry, holding)
    change(entry, holding, 1)
  }

  function remove(entry: E): boolean {
    const holding = held.get(entry)
    if (holding === undefined) return false
    held.delete(entry)
    change(entry, holding, -1)
    return true
  }

  function keep(entry: E): void {
    const holding = held.get(entry)
    if (remove(entry) && holding !== undefined) add(entry, { ...holding, isKept: true })
  }

  return { held, holders, subjects, add, remove, keep, total: () => total }
}

function changeParts<E>(groups: Groups<string, E>, key: string, holding: Holding, sign: 1 | -1): Groups<string, E> {
  const group = groupOf(groups, key, () => ({ ...newGroup<E>(), parts: newGroups() }))
  changeGroup(groups, key, group, holding, sign)
  return group.parts
}

function changeEntries<K, E>(groups: Groups<K, E>, key: K, entry: E, holding: Holding, sign: 1 | -1): void {
  const group = groupOf(groups, key, () => ({ ...newGroup<E>(), entries: new Set() }))
  changeGroup(groups, key, group, holding, sign)
  const { entries } = group
  if (sign === 1 && !holding.isKept) entries.add(entry)
  else entries.delete(entry)
}

function changeGroup<K, E>(
  groups: Groups<K, E>,
  key: K,
  group: Group<E>,
  { weight, isKept }: Holding,
  sign: 1 | -1,
): void {
  group.weight += sign * weight
  group.count += sign
  if (!isKept) group.yielding += sign
  if (group.count === 0 && !group.wasServed) groups.byKey.delete(key)
  else if (group.weight > groups.most) groups.most = group.weight
}

function groupOf<K, E>({ byKey }: Groups<K, E>, key: K, create: () => Group<E>): Group<E> {
  let group = byKey.get(key)
  if (group === undefined) byKey.set(key, (group = create()))
  return group
}

/** The entries of the largest holder that may give way. */
function findLargest<E>({ held, holders, subjects }: Holdings<E>, newcomer: Holder | undefined): Set<E> {
  const path = newcomer === undefined ? [] : pathOf(newcomer)
  const largest = largestOf(holders, path[0])
  const subject = largestOf(subjects, newcomer?.about)
  if (subject === undefined || subject.weight <= (largest?.weight ?? 0)) return largestWithin(largest, path.slice(1))
  let { entries } = subject
  for (const level of levels) {
    const groups = newGroups<string, E>()
    for (const entry of entries) {
      const holding = held.get(entry) as Holding
      changeEntries(groups, holding.holder[level], entry, holding, 1)
    }
    entries = largestOf(groups, newcomer?.[level])?.entries ?? entries
  }
  return entries
}

/** The entries of the largest client of the largest part. */
function largestWithin<E>(group: Group<E> | undefined, [preferred, ...within]: readonly string[]): Set<E> {
  if (group === undefined) return new Set()
  return group.parts.byKey.size === 0 ? group.entries : largestWithin(largestOf(group.parts, preferred), within)
}

/**
 * The largest group that may give way.
 * @param preferred the key of the one that is returned when others are only as large; else it is the latest of them
 */
function largestOf<K, E>(groups: Groups<K, E>, preferred: K | undefined): Group<E> | undefined {
  const first = preferred === undefined ? undefined : groups.byKey.get(preferred)
  const isLargest = () => first !== undefined && first.yielding > 0 && first.weight === groups.most
  if (isLargest()) return first
  groups.most = 0
  let largest: Group<E> | undefined
  for (const group of groups.byKey.values()) {
    if (group.yielding === 0 || group.weight < groups.most) continue
    groups.most = group.weight
    largest = group
  }
  return isLargest() ? first : largest
}

/** The allocations in the order in which they are served. */
function inTurn<E>({ held, holders }: Holdings<E>, usedOf: FairPoolBounds<E>['usedOf']): Iterable<[string, Group<E>]> {
  if (usedOf === undefined) return holders.byKey
  const rank = ([name, group]: [string, Group<E>]) => {
    const next = nextOf(group)
    return usedOf(name) + ((next && held.get(next)?.weight) ?? 0)
  }
  // What they had is what places them, whether they have something now or not.
  for (const [name, { count }] of holders.byKey) if (count === 0) holders.byKey.delete(name)
  const ranked = [...holders.byKey].map((each) => ({ each, rank: rank(each) }))
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ each }) => each)
}

/** What is served next of a group; undefined when the first client has nothing that may be. */
function nextOf<E>(group: Group<E>): E | undefined {
  for (const part of group.parts.byKey.values()) if (part.count > 0) return nextOf(part)
  const [next] = group.entries
  return next
}

function takeNext<E>(
  { held, holders, remove }: Holdings<E>,
  turns: Iterable<[string, Group<E>]>,
  mayServe: (holder: Holder) => boolean,
): E | undefined {
  const isServed = (entry: E) => mayServe((held.get(entry) as Holding).holder)
  function takeOf(groups: Groups<string, E>, inOrder: Iterable<[string, Group<E>]>): E | undefined {
    for (const [key, group] of inOrder) {
      if (group.count === 0) groups.byKey.delete(key)
      const next = takeOf(group.parts, group.parts.byKey) ?? firstOf(group.entries, isServed)
      if (next === undefined) continue
      group.wasServed = true
      moveToEnd(groups.byKey, key)
      return next
    }
    return undefined
  }
  const next = takeOf(holders, turns)
  if (next !== undefined) remove(next)
  return next
}

/** What the first entry of a client may not have, none of it may. */
function firstOf<E>(entries: Iterable<E>, isServed: (entry: E) => boolean): E | undefined {
  const [first] = entries
  return first !== undefined && isServed(first) ? first : undefined
}

function moveToEnd<K, V>(map: Map<K, V>, key: K): void {
  const value = map.get(key)
  if (value === undefined) return
  map.delete(key)
  map.set(key, value)
}

/** All of the client itself, and of each other client, network and allocation no more than is served in turns with that. */
function weightAhead<E>(holders: Groups<string, E>, holder: Holder, weight: number) {
  const path = pathOf(holder)
  const groups = [holders]
  for (const key of path) groups.push(groups.at(-1)?.byKey.get(key)?.parts ?? newGroups())
  let [ahead, ofAllocation] = [0, 0]
  for (const [at, key] of [...path.entries()].toReversed()) {
    ofAllocation = ahead
    const { byKey } = groups[at] as Groups<string, E>
    if (at === path.length - 1) ahead = byKey.get(key)?.weight ?? 0
    ahead += weightOfOthers(byKey, key, ahead + weight)
  }
  return { ofAllocation, ofAll: ahead }
}

function weightOfOthers(groups: ReadonlyMap<string, { weight: number }>, own: string, upTo: number): number {
  let sum = 0
  for (const [each, group] of groups) if (each !== own) sum += Math.min(group.weight, upTo)
  return sum
}
