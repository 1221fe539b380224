import ipaddr from 'ipaddr.js'
import { clientOf } from '../http/client-address.ts'
import { asHolder } from '../lib/holder.ts'
import { registrableOrSame } from '../lib/registrable.ts'

/** Requests to one receiver at the same time. */
export const MAX_AT_ONCE = 4
/** Requests to the machines of one network at the same time: whoever has a network has many machines that do not respond. */
export const MAX_IN_NETWORK = 16
/** Requests to one receiver in any minute, and how many of them come without a pause. */
export const MAX_A_MINUTE = 120
export const MAX_UNPAUSED = 20
const PAUSE_MS = 60_000 / (MAX_A_MINUTE - MAX_UNPAUSED)
/** How long is known which network's request a receiver had last. */
const TURNS_MS = 60_000
/** How much later than it may, what was refused tries again: what is due is looked for each second. */
const LATE_MS = 2_000
/** How long one place is kept for those that were slow, after one of them was refused. */
const KEPT_MS = 60_000
/** What is waited for by a clock that was set back by more than this is not waited for any longer. */
const SET_BACK_MS = 60_000
/** Receivers that are kept, and networks of one, before those without any use are looked for. */
const KEPT = 1_024

/** Nothing was sent, and nothing has failed: a receiver has as many requests as it may have, or its host is blocked. */
export class NotNow extends Error {
  /** When it may be tried again. */
  readonly until: number
  constructor(until: number) {
    super('nothing is sent now')
    this.until = until
  }
}

/**
 * Shares of receivers. Whoever names an address chooses how many names lead to it, and what else is served there: a machine
 * gets no more requests for having many names, and the names of one owner get no more for having many addresses. Many owners have
 * one receiver, such as a service that passes events on: of what it may have, the networks whose changes are told take turns.
 */
export interface Receivers {
  /** Whether a receiver may have a request now; as many at the same time as it may have, or as many a minute. */
  standing: (name: string) => 'free' | 'busy' | 'spent'
  /** Counts a request. @returns what to call when it ends; undefined when there may be none now */
  enter: (name: string, network?: string) => (() => void) | undefined
  /**
   * Counts a request for the machine behind an address and for its network. Those that were slow or failed the last time
   * get half of what either may have at the same time, so that they never have all of what others share with them; and for
   * a minute after one was refused, the others leave them one place. Of either, the networks whose changes are told take turns:
   * there is a place for each that waits since before the last turn of this one.
   * @returns what to call when it ends; the name of the one that may have none now
   */
  enterMachine: (address: string, isSlow?: boolean, network?: string) => (() => void) | string
  /** The next try of what a machine, or its network, had no place for: until then, and a little longer, it waits for its turn. */
  refused: (name: string, isSlow?: boolean, network?: string) => number
  /**
   * A time at which to try again: each call for a network tells a later one, so that what waits does not return at once, and the
   * later the more networks wait.
   * @param pauseMs between two of these times, by default as a receiver may have requests
   */
  nextTry: (name: string, network?: string, pauseMs?: number) => number
  /** When a network's request was sent last; the one with the earliest is next. */
  lastTurn: (name: string, network: string) => number
  /** Those that have as many requests as they may have at the same time. */
  busy: () => string[]
  /** Whether what any of them had is still counted; 12 seconds after the last request at most. */
  isAnySpent: () => boolean
}

interface Receiver {
  running: number
  /** Those of them that were slow or failed the last time. */
  slow: number
  /** The others leave one place until this time. */
  keptUntil: number
  /** The minute's share is spent up to this time. */
  spentUntil: number
  /** The networks whose changes it is told, by their digest; what no request has caused is one of them. */
  networks: Map<string, Turns>
}

interface Turns {
  last: number
  nextTry: number
  /** Until when a request that was refused waits for a place: of those that were slow, and of others. */
  waits: Record<Kind, number>
}

type Kind = 'slow' | 'other'

const kindOf = (isSlow: boolean): Kind => (isSlow ? 'slow' : 'other')

/** @param clock returns milliseconds, by the clock of the events */
export function createReceivers(clock: () => number): Receivers {
  const { receivers, of, now } = keepReceivers(clock)

  function standing(name: string): 'free' | 'busy' | 'spent' {
    const time = now()
    const { running, spentUntil } = receivers.get(name) ?? { running: 0, spentUntil: 0 }
    if (running >= MAX_AT_ONCE) return 'busy'
    return spentUntil - time > (MAX_UNPAUSED - 1) * PAUSE_MS ? 'spent' : 'free'
  }

  function enter(name: string, network = ''): (() => void) | undefined {
    if (standing(name) !== 'free') return undefined
    const receiver = of(name)
    receiver.running++
    if (receiver.networks.size % KEPT === KEPT - 1) forgetTurns(receiver, now())
    turnsOf(receiver, network).last = now()
    receiver.spentUntil = Math.max(receiver.spentUntil, now()) + PAUSE_MS
    return () => void receiver.running--
  }

  return {
    standing,
    enter,
    enterMachine: createEnterMachine(of, enter, now),
    refused: (name, isSlow = false, network = '') => refuse(of(name), kindOf(isSlow), network, now()),
    nextTry: (name, network = '', pauseMs = PAUSE_MS) => nextTryOf(of(name), network, now(), pauseMs),
    lastTurn: (name, network) => receivers.get(name)?.networks.get(network)?.last ?? 0,
    busy: () => [...receivers].flatMap(([name, { running }]) => (running >= MAX_AT_ONCE ? [name] : [])),
    isAnySpent() {
      const time = now()
      return [...receivers.values()].some(({ spentUntil }) => spentUntil > time)
    },
  }
}

/** @param enter counts a request for a machine */
function createEnterMachine(
  of: (name: string) => Receiver,
  enter: Receivers['enter'],
  now: () => number,
): Receivers['enterMachine'] {
  return (address, isSlow = false, holder = '') => {
    const [machine, network] = [machineOf(address), networkOf(address)]
    const request = { isSlow, holder, now: now() }
    if (!hasPlace(of(network), MAX_IN_NETWORK, request)) return network
    if (!hasPlace(of(machine), MAX_AT_ONCE, request)) return machine
    const leave = enter(machine, holder)
    if (leave === undefined) return machine
    of(network).running++
    turnsOf(of(network), holder).last = now()
    for (const name of [machine, network]) {
      turnsOf(of(name), holder).waits[kindOf(isSlow)] = 0
      if (isSlow) of(name).slow++
    }
    return () => {
      leave()
      of(network).running--
      if (isSlow) for (const name of [machine, network]) of(name).slow--
    }
  }
}

function keepReceivers(clock: () => number) {
  const receivers = new Map<string, Receiver>()
  let kept = KEPT
  let latest = 0

  /** To be called before times of a receiver are read. */
  function now(): number {
    const time = clock()
    if (time < latest - SET_BACK_MS) for (const receiver of receivers.values()) forgetTimes(receiver)
    latest = time
    return time
  }

  function forgetIdle(): void {
    for (const [name, receiver] of receivers) {
      forgetTurns(receiver, now())
      if (receiver.running === 0 && receiver.spentUntil <= now() && receiver.networks.size === 0) receivers.delete(name)
    }
    kept = Math.max(KEPT, 2 * receivers.size)
  }

  function of(name: string): Receiver {
    const known = receivers.get(name)
    if (known !== undefined) return known
    if (receivers.size >= kept) forgetIdle()
    const receiver = { running: 0, slow: 0, keptUntil: 0, spentUntil: 0, networks: new Map<string, Turns>() }
    receivers.set(name, receiver)
    return receiver
  }

  return { receivers, of, now }
}

/** Forgets what would last until the time that the clock had before it was set back. */
function forgetTimes(receiver: Receiver): void {
  Object.assign(receiver, { keptUntil: 0, spentUntil: 0 })
  receiver.networks.clear()
}

interface Entering {
  isSlow: boolean
  /** The network whose change is told. */
  holder: string
  now: number
}

/**
 * Whether a machine or a network has a place at the same time, besides those for who waits for longer. One that was slow, and for
 * which there is none, has a place kept.
 */
function hasPlace(receiver: Receiver, places: number, { isSlow, holder, now }: Entering): boolean {
  const { running, slow, keptUntil } = receiver
  const left = places - countBefore(receiver, kindOf(isSlow), holder, now)
  if (!isSlow) return running < left && running - slow < left - (keptUntil > now ? 1 : 0)
  if (running >= places || slow >= places / 2) receiver.keptUntil = now + KEPT_MS
  return running < left && slow < left - places / 2
}

/** How many other networks wait for a place of this kind that had their last turn before this one. */
function countBefore({ networks }: Receiver, kind: Kind, holder: string, now: number): number {
  const last = networks.get(holder)?.last ?? 0
  let count = 0
  for (const [name, turns] of networks) if (name !== holder && turns.waits[kind] > now && turns.last < last) count++
  return count
}

function turnsOf({ networks }: Receiver, network: string): Turns {
  const known = networks.get(network)
  if (known !== undefined) return known
  const turns = { last: 0, nextTry: 0, waits: { slow: 0, other: 0 } }
  networks.set(network, turns)
  return turns
}

function nextTryOf(receiver: Receiver, network: string, now: number, pauseMs: number): number {
  forgetTurns(receiver, now)
  const turns = turnsOf(receiver, network)
  turns.nextTry = Math.max(turns.nextTry, now)
  return (turns.nextTry += pauseMs * countWaiting(receiver, now))
}

function countWaiting({ networks }: Receiver, now: number): number {
  return [...networks.values()].filter(({ nextTry }) => nextTry >= now).length
}

/** Who has many to tell tries again long before the last of them, so that it waits no longer than who has one. */
function refuse(receiver: Receiver, kind: Kind, network: string, now: number): number {
  const next = nextTryOf(receiver, network, now, PAUSE_MS)
  turnsOf(receiver, network).waits[kind] = now + PAUSE_MS * countWaiting(receiver, now) + LATE_MS
  return next
}

function forgetTurns({ networks }: Receiver, now: number): void {
  for (const [network, { last, nextTry, waits }] of networks) {
    const isOver = Math.max(nextTry, waits.slow, waits.other) < now
    if (isOver && last < now - TURNS_MS) networks.delete(network)
  }
}

/**
 * The receiver behind a host: its registrable domain by the Public Suffix List with its private section, whose names have
 * one owner; the host itself where there is none.
 * @param host as a URL has it, with or without a port
 */
export function siteOf(host: string): string {
  const name = host.replace(/:\d+$/, '').replace(/\.$/, '')
  if (name.startsWith('[') || ipaddr.isValid(name)) return name
  return registrableOrSame(name)
}

/** The receiver behind an address: an IPv4 address, or the /64 that one machine can have for itself. No site is called so. */
export function machineOf(address: string): string {
  return `machine ${clientOf(address)}`
}

/** The network of an address: an IPv4 /24 or an IPv6 /48. */
function networkOf(address: string): string {
  return `network ${asHolder(clientOf(address)).network}`
}
