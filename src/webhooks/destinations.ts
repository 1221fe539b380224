import { setTimeout as sleep } from 'node:timers/promises'
import type { Transaction } from '#kysely'
import type { Database, Executor } from '../db/database.ts'
import type { Lease } from '../db/lease.ts'
import type { Tables } from '../db/schema.ts'
import type { Link } from '../links/link.ts'
import { createBell } from '../lib/bell.ts'
import { linkOfId } from '../links/look-up.ts'
import type { Screen } from '../links/url-policy.ts'
import { CHECK_MS } from './changes.ts'
import { checkedAddress } from './checked-address.ts'
import { createEvent } from './event.ts'
import { OwnHostError, type GuardedRequest } from './guarded-request.ts'
import { RequestError } from './request-error.ts'
import type { Outbox } from './outbox.ts'
import { isLocked } from './outbox-store.ts'
import { NotNow, siteOf, type Receivers } from './receivers.ts'
import { YIELD_MS, type Ends } from './sender.ts'
import { eventsOf } from './settings.ts'
import { commitsInTurn, createStoreTurns } from './store-turns.ts'
import { findDueChecks, findWebhook, postponeCheck, setDestination } from './store.ts'
import { areChecksLocked, findDueWatches, findWatches, postponeWatches, setWatchedDestination } from './watch-store.ts'

/** Checks at the same time. Each leaves its place to the next one after `YIELD_MS`, */
export const WIDTH = 4
/** as long as there are no more of these: whoever has many machines that do not respond holds up the checks of nobody else. */
export const MAX_LATE_CHECKS = 64
const PAGE = 100
/** Checks that must fail in a row, a day apart: many sites are down for an hour. */
const FAILURES = 2
/** How much later a check takes place whose receiver has as many requests as it may have: this, and up to an hour. */
const LATER_MS = 60_000
/** How often is looked whether a link is still locked whose check is over, and how many times: then its result is left out. */
const LOCKED_MS = 1_000
const LOCKED_LOOKS = 60
/** Statuses that say that a visitor finds nothing; others may be meant for robots, or for whoever has not signed in. */
const isFailure = (status: number) => status === 404 || status === 410 || status >= 500
/** Statuses of servers that do not know HEAD. */
const isNoHead = (status: number) => status === 405 || status === 501

export interface DestinationsDeps {
  db: Database
  now: () => number
  random: () => number
  request: GuardedRequest
  receivers: Receivers
  screen: Screen
  outbox: Outbox
}

/** The links whose destination is due for a check, for whichever webhook: as many as `limit`, or up to twice as many. */
export async function findDueLinks(db: Executor, now: number, limit: number): Promise<number[]> {
  const own = await findDueChecks(db, now, limit)
  return [...new Set([...own, ...(await findDueWatches(db, now, limit))])]
}

/** Checks the destinations that are due. */
export async function checkDue(deps: DestinationsDeps, lease: Lease, { stopping, closing }: Ends): Promise<void> {
  const { db, now } = deps
  const signal = AbortSignal.any([closing, lease.lost])
  const isEnding = () => stopping.aborted || signal.aborted
  const places = createPlaces()
  const ofChecks = commitsInTurn(lease, createStoreTurns(), '')
  // A change has them locked, perhaps for seconds. They stay due, for the next time.
  const locked = new Set<number>()
  const start = async (linkId: number) => {
    await places.free()
    if (isEnding()) return
    // Before the check, so that a crash causes no second one within the day.
    const isPostponed = await commitUnlocked(deps, lease, linkId, (transaction) =>
      postpone(deps, transaction, linkId, CHECK_MS),
    )
    if (isPostponed) places.start((leave) => checkLink(deps, ofChecks, linkId, { signal, leave }))
    else locked.add(linkId)
  }
  try {
    for (let isMore = true; isMore && !isEnding();) {
      const page = await findDueLinks(db.read, now(), PAGE + locked.size)
      const free = page.filter((linkId) => !locked.has(linkId))
      for (const linkId of free) await start(linkId)
      isMore = free.length >= PAGE
    }
  } finally {
    await places.ended()
  }
}

/** How many of the checks under way need no place. @param onChange called when there are more of them */
function createAway(onChange: () => void) {
  let [late, left] = [0, 0]
  return {
    count: () => late + left,
    /** What one check does. */
    enter() {
      const place = { isLate: false, hasLeft: false }
      const endLate = () => {
        if (place.isLate) late--
        place.isLate = false
      }
      return {
        yieldPlace: () => {
          if (place.isLate || place.hasLeft || late >= MAX_LATE_CHECKS) return
          place.isLate = true
          late++
          onChange()
        },
        leave: () => {
          if (place.hasLeft) return
          endLate()
          place.hasLeft = true
          left++
          onChange()
        },
        end: () => {
          endLate()
          if (place.hasLeft) left--
        },
      }
    },
  }
}

/** The checks under way. */
function createPlaces() {
  const running = new Set<Promise<void>>()
  const bell = createBell()
  const failures: unknown[] = []
  const away = createAway(bell.ring)

  async function run(check: Check): Promise<void> {
    const { yieldPlace, leave, end } = away.enter()
    const timer = setInterval(yieldPlace, YIELD_MS)
    await check(leave).catch((error: unknown) => void failures.push(error))
    clearInterval(timer)
    end()
  }

  function throwFailure(): void {
    if (failures.length > 0) throw failures[0]
  }

  return {
    /** Resolves when there is room for another one. @throws what a check has failed with: not its destination, but the store or the lease */
    async free(): Promise<void> {
      while (running.size - away.count() >= WIDTH) await bell.wait(YIELD_MS)
      throwFailure()
    },
    start(check: Check): void {
      const done = run(check).finally(() => {
        running.delete(done)
        bell.ring()
      })
      running.add(done)
    },
    async ended(): Promise<void> {
      await Promise.all(running)
      throwFailure()
    },
  }
}

/** @param leave gives its place to another one before it ends */
type Check = (leave: () => void) => Promise<void>

// The jitter keeps checks from gathering. One check is for all who want to know: a link in ten collections is not checked ten times.
async function postpone(
  { now, random }: DestinationsDeps,
  transaction: Transaction<Tables>,
  linkId: number,
  ms: number,
): Promise<void> {
  const next = now() + ms + Math.floor(random() * (CHECK_MS / 24))
  await postponeCheck(transaction, linkId, next)
  await postponeWatches(transaction, linkId, next)
}

type Commit = (transaction: Transaction<Tables>) => Promise<void>

/** Commits what concerns the checks of a link. @returns false, without having done it, while a change has them locked */
function commitUnlocked({ db }: DestinationsDeps, lease: Lease, linkId: number, work: Commit): Promise<boolean> {
  return lease.commit(async (transaction) => {
    if (await isLocked(transaction, db.unlocked, { kind: 'link', id: linkId })) return false
    if (await areChecksLocked(transaction, db.unlocked, linkId)) return false
    await work(transaction)
    return true
  })
}

/** The way of a check. */
interface Way {
  signal: AbortSignal
  /** As `Check` has it. */
  leave: () => void
}

async function checkLink(deps: DestinationsDeps, lease: Lease, linkId: number, way: Way): Promise<void> {
  const link = await linkOfId(deps, linkId)
  const url = link && destinationOf(link)
  // A sweep may not have come to a link yet whose destination was listed or blocked.
  if (link === undefined || url === undefined || deps.screen(url) !== undefined) return
  const error = await errorOf(deps, url, way.signal)
  const work: Commit = (transaction) =>
    error instanceof NotNow
      ? postpone(deps, transaction, linkId, LATER_MS)
      : record(deps, transaction, link, url, error)
  for (let looks = 0; looks < LOCKED_LOOKS && !way.signal.aborted; looks++) {
    if (await commitUnlocked(deps, lease, linkId, work)) return
    // It has sent its request, and waits alone.
    way.leave()
    await sleep(LOCKED_MS, undefined, { signal: way.signal }).catch(() => {})
  }
}

/** The address to check; undefined while a visit leads nowhere. */
function destinationOf(link: Link): string | undefined {
  return link.active && link.suspension === null ? checkedAddress(link) : undefined
}

async function errorOf(deps: DestinationsDeps, url: string, signal: AbortSignal): Promise<string | NotNow | undefined> {
  try {
    const head = await send(deps, url, 'HEAD', signal)
    const status = isNoHead(head) ? await send(deps, url, 'GET', signal) : head
    return isFailure(status) ? `it responds with status ${status}` : undefined
  } catch (error) {
    if (error instanceof NotNow) return error
    // A shop's pages may be on the machine of its short links.
    if (error instanceof OwnHostError) return undefined
    if (error instanceof RequestError) return error.message
    throw error
  }
}

/** Sends one request of a check. @returns the status of its response */
async function send(
  { request, receivers }: DestinationsDeps,
  url: string,
  method: 'HEAD' | 'GET',
  signal: AbortSignal,
): Promise<number> {
  const site = siteOf(new URL(url).host)
  const leave = receivers.enter(site)
  if (leave === undefined) throw new NotNow(receivers.nextTry(site))
  try {
    return (await request(url, { method, headers: { 'user-agent': 'quirl-link-check' }, signal })).status
  } finally {
    leave()
  }
}

/** How the destination of a link does for one webhook. */
interface Checked {
  failures: number
  failingSince: number | null
}

/** @returns what follows a check, and whether the destination begins to fail with it */
function next(
  { failures, failingSince }: Checked,
  error: string | undefined,
  at: number,
): Checked & { begins: boolean } {
  if (error === undefined) return { failures: 0, failingSince: null, begins: false }
  const begins = failures + 1 >= FAILURES && failingSince === null
  return { failures: failures + 1, failingSince: begins ? at : failingSince, begins }
}

/** Stores the result for each webhook, and queues the event when the destination begins to fail. */
async function record(
  deps: DestinationsDeps,
  transaction: Transaction<Tables>,
  { id, code }: Link,
  url: string,
  error: string | undefined,
): Promise<void> {
  const { outbox, now } = deps
  const event = () => createEvent('destination.failing', now(), { code, url, error })
  if (await recordOwn(transaction, id, error, now())) await outbox.add(transaction, id, event())
  const told = await recordWatches(transaction, id, error, now())
  if (told.length > 0) await outbox.addToCollections(transaction, id, told, event())
}

/** @returns whether the link's own webhook is to be told */
async function recordOwn(
  transaction: Transaction<Tables>,
  linkId: number,
  error: string | undefined,
  at: number,
): Promise<boolean> {
  const webhook = await findWebhook(transaction, linkId)
  if (webhook === undefined) return false
  const { check_failures: before, destination_failing_since: since } = webhook
  const { failures, failingSince, begins } = next({ failures: before, failingSince: since }, error, at)
  await setDestination(transaction, linkId, { check_failures: failures, destination_failing_since: failingSince })
  return begins && eventsOf(webhook).includes('destination.failing')
}

/** @returns the collections whose webhooks are to be told */
async function recordWatches(
  transaction: Transaction<Tables>,
  linkId: number,
  error: string | undefined,
  at: number,
): Promise<string[]> {
  const told: string[] = []
  for (const watch of await findWatches(transaction, linkId, at)) {
    const { collectionId, isChecked, checkFailures, destinationFailingSince } = watch
    if (!isChecked || !eventsOf(watch).includes('destination.failing')) continue
    const { begins, ...checked } = next({ failures: checkFailures, failingSince: destinationFailingSince }, error, at)
    await setWatchedDestination(transaction, { collectionId, linkId }, checked)
    if (begins) told.push(collectionId)
  }
  return told
}
