import type { Lane } from '../db/schema-webhooks.ts'
import type { Lease } from '../db/lease.ts'
import { createBell } from '../lib/bell.ts'
import { deliver, LOCKED_MS, putAside, type DeliveryDeps } from './delivery.ts'
import type { Outbox } from './outbox.ts'
import { findDue, postpone, setSites, type Due, type Postponed } from './outbox-store.ts'
import { MAX_UNPAUSED, type Receivers } from './receivers.ts'
import { commitsInTurn, createStoreTurns } from './store-turns.ts'
import { createTakeIn } from './take-in.ts'

/**
 * Requests at the same time in each lane, one for each host. A receiver that was slow or failed the last time takes none of
 * the others' places, and one that was quick keeps them also while strangers set many that are new.
 */
export const LANES: Readonly<Record<Lane, number>> = { quick: 32, new: 64, slow: 64 }
/** A request in another lane than that of the slow ones leaves its place to the next one after this time, */
export const YIELD_MS = 250
/** as long as there are no more of these. They take no more than a socket. */
export const MAX_LATE = 256

/** What is over the share of a network in a lane is tried again so much later, one after the other. */
const OVER_SHARE_MS: Readonly<Record<Lane, number>> = { quick: 10, new: 10, slow: 50 }

/** Rows that are read at once. */
const PAGE = 128

/** How often events that became due in the meantime are looked for. */
const POLL_MS = 1_000

export interface SenderDeps extends Omit<DeliveryDeps, 'inStoreTurn'> {
  receivers: Receivers
  outbox: Outbox
}

/** Ends of the work. */
export interface Ends {
  /** No further request starts. */
  stopping: AbortSignal
  /** Running requests are interrupted. */
  closing: AbortSignal
}

/** A request under way. */
interface Running {
  lane: Lane
  /** As `Due` has it. */
  network: string
  /** Whether it has left its place. */
  isLate: boolean
  done: Promise<void>
}

/**
 * Sends all events that are due; each link's in order. Resolves when none is, and the receivers have all of their shares again:
 * the next process to send, which knows nothing of what they had, would add its own.
 */
export async function sendDue(
  deps: SenderDeps,
  lease: Lease,
  { stopping, closing }: Ends,
  pollMs = POLL_MS,
): Promise<void> {
  const signal = AbortSignal.any([closing, lease.lost])
  const isEnding = () => stopping.aborted || signal.aborted
  const bell = createBell()
  const inStoreTurn = createStoreTurns()
  const send = (due: Due) =>
    deliver({ ...deps, inStoreTurn }, commitsInTurn(lease, inStoreTurn, due.network), due, signal)
  const requests = createRequests(send, bell.ring)
  const locked = createLocked(deps.monotonic)
  const takeInNew = createTakeIn(deps, lease)
  stopping.addEventListener('abort', bell.ring)
  try {
    while (!isEnding()) {
      requests.throwFailure()
      await takeInNew()
      if (await startDue(deps, lease, { requests, locked })) continue
      if (requests.hosts().length === 0 && !deps.receivers.isAnySpent()) return
      await bell.wait(pollMs)
    }
  } finally {
    stopping.removeEventListener('abort', bell.ring)
    await requests.ended()
  }
  requests.throwFailure()
}

/** The requests under way. */
interface Requests {
  hosts: () => string[]
  isBusy: (host: string) => boolean
  /** How many more a lane may have. */
  room: (lane: Lane) => number
  /** Whether a network has as many places in a lane as are left, so that there is one for a network that has none. */
  isOverShare: (lane: Lane, network: string) => boolean
  /** @param leave is called when it has ended */
  start: (due: Due, lane: Lane, leave: () => void) => void
  /** Throws what a request has failed with: not its receiver, but the store or the lease. */
  throwFailure: () => void
  ended: () => Promise<unknown>
}

/** @param onRoom called when there may be room for another one */
function createRequests(send: (due: Due) => Promise<void>, onRoom: () => void): Requests {
  const running = new Map<string, Running>()
  const failures: unknown[] = []
  const count = (is: (request: Running) => boolean) => [...running.values()].filter(is).length
  const room = (lane: Lane) => LANES[lane] - count((request) => request.lane === lane && !request.isLate)

  function yieldPlace(request: Running): void {
    if (request.isLate || count(({ isLate }) => isLate) >= MAX_LATE) return
    request.isLate = true
    onRoom()
  }

  return {
    hosts: () => [...running.keys()],
    isBusy: (host) => running.has(host),
    room,
    isOverShare: (lane, network) =>
      count((request) => request.lane === lane && !request.isLate && request.network === network) >= room(lane),
    start(due, lane, leave) {
      const end = () => {
        clearInterval(timer)
        running.delete(due.host)
        leave()
        onRoom()
      }
      const done = send(due)
        .catch((error: unknown) => void failures.push(error))
        .finally(end)
      const request = { lane, network: due.network, isLate: false, done }
      const timer = lane === 'slow' ? undefined : setInterval(yieldPlace, YIELD_MS, request)
      running.set(due.host, request)
    },
    throwFailure() {
      if (failures.length > 0) throw failures[0]
    },
    ended: () => Promise.allSettled(Array.from(running.values(), ({ done }) => done)),
  }
}

/** Webhooks that are due and were found locked a moment ago. */
interface Locked {
  has: (due: Due) => boolean
  note: (owners: Pick<Due, 'owner'>[]) => void
  /** How many they are, so that so many more are looked for. */
  count: () => number
}

function createLocked(monotonic: () => number): Locked {
  const until = new Map<number | string, number>()
  return {
    has: ({ owner }) => until.has(owner.id),
    note(owners) {
      for (const { owner } of owners) until.set(owner.id, monotonic() + LOCKED_MS)
    },
    count() {
      const now = monotonic()
      for (const [id, end] of until) if (end <= now) until.delete(id)
      return until.size
    },
  }
}

/** What is under way. */
interface Sending {
  requests: Requests
  locked: Locked
}

/** Starts what is due. @returns whether there may be more of it */
async function startDue(deps: SenderDeps, lease: Lease, sending: Sending): Promise<boolean> {
  let hasMore = false
  for (const lane of Object.keys(LANES) as Lane[]) {
    if (sending.requests.room(lane) > 0) hasMore = (await startLane(deps, lease, sending, lane)) || hasMore
  }
  return hasMore
}

async function startLane(deps: SenderDeps, lease: Lease, { requests, locked }: Sending, lane: Lane): Promise<boolean> {
  const { db, now, receivers } = deps
  const busy = { busyHosts: requests.hosts(), busySites: receivers.busy() }
  const due = await findDue(db.read, { now: now(), lane, limit: PAGE + locked.count(), ...busy })
  const found = due.filter((each) => !locked.has(each))
  const misplaced = found.filter(({ isMisplaced }) => isMisplaced)
  const blocked = found.filter(({ url }) => deps.screen(url) !== undefined)
  const allowed = found.filter((each) => !blocked.includes(each))
  const { started, postponed } = startFound(deps, requests, lane, allowed)
  const later = blocked.length + postponed.length
  if (misplaced.length + later === 0) return started > 0
  const lockedNow = await lease.commit(async (transaction) => {
    await setSites(transaction, misplaced)
    return [...(await putAside(deps, transaction, blocked)), ...(await postpone(transaction, db.unlocked, postponed))]
  })
  locked.note(lockedNow)
  return started + misplaced.length + later > lockedNow.length
}

/**
 * Starts requests as far as the lane has room, and the receivers. @returns how many, and what is to be postponed: a few
 * events wait until their receiver has answered the one before; more of them would stand before those of other receivers, as would
 * those of a network that has its share of the lane.
 */
function startFound({ receivers }: SenderDeps, requests: Requests, lane: Lane, found: Due[]) {
  const waiting = new Map<string, number>()
  const postponed: Postponed[] = []
  let started = 0
  for (const due of inTurn(receivers, found)) {
    const { host, site, network } = due
    const isBusy = requests.isBusy(host) || receivers.standing(site) === 'busy'
    const waits = waiting.get(site) ?? 0
    if (isBusy && waits < MAX_UNPAUSED) waiting.set(site, waits + 1)
    else if (isBusy || receivers.standing(site) === 'spent')
      postponed.push({ ...due, until: receivers.nextTry(site, network) })
    else if (requests.room(lane) === 0) continue
    else if (requests.isOverShare(lane, network)) {
      postponed.push({ ...due, until: receivers.nextTry(`lane ${lane}`, network, OVER_SHARE_MS[lane]) })
    } else {
      requests.start(due, lane, receivers.enter(site, network) as () => void)
      started++
    }
  }
  return { started, postponed }
}

/** Has the networks whose events wait for a receiver take turns, whichever waits for longest; each receiver keeps its places. */
function inTurn({ lastTurn }: Receivers, found: Due[]): Due[] {
  const bySite = Map.groupBy(found, ({ site }) => site)
  const sorted = new Map(
    Array.from(bySite, ([site, of]) => [
      site,
      of.toSorted((a, b) => lastTurn(site, a.network) - lastTurn(site, b.network)).values(),
    ]),
  )
  return found.map((due) => sorted.get(due.site)?.next().value ?? due)
}
