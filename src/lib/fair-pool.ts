import type { Holder } from './holder.ts'

/**
 * A bounded pool that strangers share. Its rule: an entry is put into it, and while there is more than fits, the largest holder
 * gives way. So one holder may have all of it as long as nobody else wants any, and a newcomer is refused only when no network
 * and nothing that entries are about, such as a link, holds more than its own would.
 *
 * The largest holder is the client with most in the network, or the subject, with most; of equal ones that of the newcomer, or
 * else the latest.
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
   * Removes the first entry that may be served, of the network that was served least recently, or had least (`usedOf`), and in
   * it of the client that was served least recently.
   * @param mayServe whether a holder may be served, by default any
   */
  take: (mayServe?: (holder: Holder) => boolean, mayStart?: (entry: E) => boolean) => E | undefined
  /** The weight of what `take` returns before a further entry of this weight. */
  ahead: (holder: Holder, weight?: number) => { ofNetwork: number; ofAll: number }
  entries: () => Iterable<E>
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
   * What a network had lately, in the measure of the weights. Then the network is next that has least with its next entry, so that
   * each has the same weight served, and not the same number.
   */
  usedOf?: (network: string) => number
}

const NOBODY: readonly never[] = []

export function createFairPool<E>(bounds: FairPoolBounds<E>): FairPool<E> {
  const { capacity, entries: most = Infinity, choose, usedOf } = bounds
  const holdings = createHoldings<E>()
  const { held, networks, add, remove } = holdings
  const isFull = () => holdings.total() > capacity || held.size > most
  const room = createRoom(holdings, isFull, choose)

  return {
    put(entry, holder, weight = 1) {
      remove(entry)
      add(entry, { holder, weight, isKept: false })
      return isFull() ? room.make(entry, holder) : NOBODY
    },
    isRefused: (holder) => (holdings.total() >= capacity || held.size >= most) && room.isRefused(holder),
    keep: holdings.keep,
    remove,
    take: (mayServe = always, mayStart = always) => takeNext(holdings, inTurn(holdings, usedOf), mayServe, mayStart),
    ahead: (holder, weight = 1) => weightAhead(networks.byKey, holder, weight),
    entries: () => held.keys(),
    total: holdings.total,
    length: () => held.size,
  }
}

/** Lets the entries of the largest holders give way. */
function createRoom<E>(holdings: Holdings<E>, isFull: () => boolean, choose: FairPoolBounds<E>['choose']) {
  function findLeaving(newcomer: E, holder: Holder): E {
    const largest = findLargest(holdings, holder)
    if (choose !== undefined) return choose(largest) ?? newcomer
    return largest.has(newcomer) ? newcomer : (latestOf(largest) ?? newcomer)
  }
  return {
    make(newcomer: E, holder: Holder): E[] {
      const leaving: E[] = []
      while (isFull() && leaving.at(-1) !== newcomer) {
        const next = findLeaving(newcomer, holder)
        holdings.remove(next)
        leaving.push(next)
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

/** What has a part of the pool: a network, a client of one, or what entries are about. */
interface Group {
  weight: number
  /** All its entries. */
  count: number
  /** Those that may give way. */
  yielding: number
}

/** Maps keep insertion order: the first group is served next, and moves to the end when it was. */
interface Groups<K, G extends Group> {
  byKey: Map<K, G>
  /** No group that may give way weighs more than this, so that a flood of one holder costs no search. */
  most: number
}

/** A client, or what entries are about. */
interface EntryGroup<E> extends Group {
  entries: Set<E>
}

interface Network<E> extends Group {
  clients: Groups<string, EntryGroup<E>>
}

interface Holdings<E> {
  held: Map<E, Holding>
  networks: Groups<string, Network<E>>
  subjects: Groups<number | string, EntryGroup<E>>
  add: (entry: E, holding: Holding) => void
  remove: (entry: E) => boolean
  keep: (entry: E) => void
  total: () => number
}

const newGroups = <K, G extends Group>(): Groups<K, G> => ({ byKey: new Map<K, G>(), most: 0 })
const newNetwork = <E>(): Network<E> => ({ weight: 0, count: 0, yielding: 0, clients: newGroups() })
const newEntryGroup = <E>(): EntryGroup<E> => ({ weight: 0, count: 0, yielding: 0, entries: new Set() })

/** Who holds what. */
function createHoldings<E>(): Holdings<E> {
  const held: Holdings<E>['held'] = new Map()
  const networks = newGroups<string, Network<E>>()
  const subjects = newGroups<number | string, EntryGroup<E>>()
  let total = 0

  function change(entry: E, holding: Holding, sign: 1 | -1): void {
    const { network: name, client, about } = holding.holder
    total += sign * holding.weight
    const network = groupOf(networks, name, newNetwork<E>)
    changeEntries(network.clients, client, entry, holding, sign)
    changeGroup(networks, name, network, holding, sign)
    if (about !== undefined) changeEntries(subjects, about, entry, holding, sign)
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

  return { held, networks, subjects, add, remove, keep, total: () => total }
}

function changeEntries<K, E>(groups: Groups<K, EntryGroup<E>>, key: K, entry: E, holding: Holding, sign: 1 | -1): void {
  const group = groupOf(groups, key, newEntryGroup<E>)
  if (sign === 1 && !holding.isKept) group.entries.add(entry)
  else group.entries.delete(entry)
  changeGroup(groups, key, group, holding, sign)
}

function changeGroup<K, G extends Group>(
  groups: Groups<K, G>,
  key: K,
  group: G,
  { weight, isKept }: Holding,
  sign: 1 | -1,
): void {
  group.weight += sign * weight
  group.count += sign
  if (!isKept) group.yielding += sign
  if (group.count === 0) groups.byKey.delete(key)
  else if (group.weight > groups.most) groups.most = group.weight
}

function groupOf<K, G extends Group>({ byKey }: Groups<K, G>, key: K, create: () => G): G {
  let group = byKey.get(key)
  if (group === undefined) byKey.set(key, (group = create()))
  return group
}

/** The entries of the largest holder that may give way. */
function findLargest<E>({ held, networks, subjects }: Holdings<E>, newcomer: Holder): Set<E> {
  const network = largestOf(networks, newcomer.network)
  const subject = largestOf(subjects, newcomer.about)
  if (subject === undefined || subject.weight <= (network?.weight ?? 0)) {
    const client = network && largestOf(network.clients, newcomer.client)
    return client?.entries ?? new Set()
  }
  let { entries } = subject
  for (const level of ['network', 'client'] as const) {
    const groups = newGroups<string, EntryGroup<E>>()
    for (const entry of entries) {
      const holding = held.get(entry) as Holding
      changeEntries(groups, holding.holder[level], entry, holding, 1)
    }
    entries = largestOf(groups, newcomer[level])?.entries ?? entries
  }
  return entries
}

/**
 * The largest group that may give way.
 * @param preferred the key of the one that is returned when others are only as large; else it is the latest of them
 */
function largestOf<K, G extends Group>(groups: Groups<K, G>, preferred: K | undefined): G | undefined {
  const first = preferred === undefined ? undefined : groups.byKey.get(preferred)
  const isLargest = () => first !== undefined && first.yielding > 0 && first.weight === groups.most
  if (isLargest()) return first
  groups.most = 0
  let largest: G | undefined
  for (const group of groups.byKey.values()) {
    if (group.yielding === 0 || group.weight < groups.most) continue
    groups.most = group.weight
    largest = group
  }
  return isLargest() ? first : largest
}

/** The networks in the order in which they are served. */
function inTurn<E>(
  { held, networks }: Holdings<E>,
  usedOf: FairPoolBounds<E>['usedOf'],
): Iterable<[name: string, network: Network<E>]> {
  if (usedOf === undefined) return networks.byKey
  const rank = ([name, { clients }]: [string, Network<E>]) => {
    const [first] = clients.byKey.values()
    const [next] = first?.entries ?? []
    return usedOf(name) + ((next && held.get(next)?.weight) ?? 0)
  }
  const ranked = [...networks.byKey].map((each) => ({ each, rank: rank(each) }))
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ each }) => each)
}

function takeNext<E>(
  { held, networks, remove }: Holdings<E>,
  turns: Iterable<[string, Network<E>]>,
  mayServe: (holder: Holder) => boolean,
  mayStart: (entry: E) => boolean,
): E | undefined {
  for (const [name, { clients }] of turns) {
    for (const [client, { entries }] of clients.byKey) {
      const next = findFirst(entries, (entry) => mayServe((held.get(entry) as Holding).holder), mayStart)
      if (next === undefined) continue
      remove(next)
      moveToEnd(clients.byKey, client)
      moveToEnd(networks.byKey, name)
      return next
    }
  }
  return undefined
}

/** Reads no further than it has to: what one entry of a client may not have, none of it may. */
function findFirst<E>(
  entries: Iterable<E>,
  mayServe: (entry: E) => boolean,
  mayStart: (entry: E) => boolean,
): E | undefined {
  for (const entry of entries) {
    if (!mayServe(entry)) return undefined
    if (mayStart(entry)) return entry
  }
  return undefined
}

function moveToEnd<K, V>(map: Map<K, V>, key: K): void {
  const value = map.get(key)
  if (value === undefined) return
  map.delete(key)
  map.set(key, value)
}

/** All of the client itself, and of each other client and network no more than is served in turns with that. */
function weightAhead<E>(networks: ReadonlyMap<string, Network<E>>, { network, client }: Holder, weight: number) {
  const clients = networks.get(network)?.clients.byKey ?? new Map<string, EntryGroup<E>>()
  const own = clients.get(client)?.weight ?? 0
  const ofNetwork = own + weightOfOthers(clients, client, own + weight)
  return { ofNetwork, ofAll: ofNetwork + weightOfOthers(networks, network, ofNetwork + weight) }
}

function weightOfOthers(groups: ReadonlyMap<string, Group>, own: string, upTo: number): number {
  let sum = 0
  for (const [each, { weight }] of groups) if (each !== own) sum += Math.min(weight, upTo)
  return sum
}
