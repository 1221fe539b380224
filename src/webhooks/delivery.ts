import { setTimeout as sleep } from 'node:timers/promises'
import type { Transaction } from '#kysely'
import type { Database, Executor } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import type { Lane } from '../db/schema-webhooks.ts'
import type { Lease } from '../db/lease.ts'
import { parseRetryAfter } from '../lib/retry-after.ts'
import type { GuardedRequest } from './guarded-request.ts'
import { RequestError } from './request-error.ts'
import {
  dropBefore,
  findOldest,
  isLocked,
  PAUSE_MS,
  postpone,
  recordDelivery,
  recordFailure,
  setNextAttempt,
  type Due,
  type Postponed,
  type Queued,
} from './outbox-store.ts'
import { NotNow } from './receivers.ts'
import type { Screen } from '../links/url-policy.ts'
import { signedHeaders } from './signature.ts'
import type { InStoreTurn } from './store-turns.ts'

/** A receiver that is gone for good (RFC 9110, 15.5.11). */
const GONE = 410

/** What a receiver may answer that is there and has no time (RFC 6585, 4; RFC 9110, 15.6.4). */
const busy = new Set([429, 503])

/** Whether a receiver may have said with a status when to send again. */
export const isBusyStatus = (status: number): boolean => busy.has(status)

/** How often is looked whether a host is still blocked. */
const BLOCKED_MS = 60_000

/** How long events wait for a host that is blocked. */
const BLOCKED_WAIT_MS = 3 * 86_400_000

/** When a webhook that a change has locked is tried again. */
export const LOCKED_MS = 250

/** A receiver that takes longer to respond is sent to in the lane of the slow ones. */
const SLOW_MS = 1_000

export interface DeliveryDeps {
  db: Database
  now: () => number
  monotonic: () => number
  random: () => number
  request: GuardedRequest
  screen: Screen
  /** Counts an attempt. */
  count: (isDelivered: boolean) => void
  inStoreTurn: InStoreTurn
}

/**
 * Sends the oldest event of a webhook, and records how that went. An interrupted attempt is not recorded; one whose receiver
 * has as many requests as it may have is none.
 */
export async function deliver(deps: DeliveryDeps, lease: Lease, due: Due, signal: AbortSignal): Promise<void> {
  const { db, now, monotonic, inStoreTurn } = deps
  const save = (work: Recording) => record(db, lease, due, signal, work)
  const event = await inStoreTurn(due.network, () => findOldest(db.read, due.owner))
  if (event === undefined) return save((transaction) => setNextAttempt(transaction, due.owner, now()))
  const startedAt = monotonic()
  const result = await attempt(deps, due, event, signal)
  if (signal.aborted) return
  if (result instanceof NotNow) {
    return save(
      async (transaction) => void (await postpone(transaction, db.unlocked, [{ ...due, until: result.until }])),
    )
  }
  const { status, error, asked } = result
  deps.count(error === undefined)
  const at = now()
  if (error === undefined) {
    const lane: Lane = monotonic() - startedAt > SLOW_MS ? 'slow' : 'quick'
    const delivery = { status: status as number, at, nextAt: at + PAUSE_MS, lane }
    return save((transaction) => recordDelivery(transaction, due, event, delivery))
  }
  const failing = { failures: due.failures + 1, since: due.failingSince ?? at, asked }
  const next = nextAttempt(at, failing, deps.random())
  const failure = { status: status ?? null, error, at, nextAt: status === GONE ? null : next }
  return save((transaction) => recordFailure(transaction, due, failure))
}

type Recording = (transaction: Transaction<Tables>) => Promise<void>

/**
 * Records what became of a request once nobody has its webhook locked. A change of hundreds of links has theirs locked for seconds:
 * what waited for it would keep the places of the store for so long, and end all sending when it takes longer.
 */
async function record(db: Database, lease: Lease, due: Due, signal: AbortSignal, work: Recording): Promise<void> {
  const isRecorded = () =>
    lease.commit(async (transaction) => {
      if (await isLocked(transaction, db.unlocked, due.owner)) return false
      await work(transaction)
      return true
    })
  while (!signal.aborted && !(await isRecorded())) await sleep(LOCKED_MS, undefined, { signal }).catch(() => {})
}

async function attempt(
  { request, screen, now }: DeliveryDeps,
  { url, secret, lane, network }: Due,
  { eventId: id, body }: Queued,
  signal: AbortSignal,
): Promise<NotNow | { status?: number; error?: string; asked?: number | undefined }> {
  // It may have been listed or blocked since it was looked at.
  const onConnect = () => {
    if (screen(url) !== undefined) throw new NotNow(now() + BLOCKED_MS)
  }
  const signed = signedHeaders({ id, sentAt: now(), body }, secret)
  const headers = { 'content-type': 'application/json', 'user-agent': 'quirl-webhooks', ...signed }
  try {
    const { status, retryAfter } = await request(url, {
      method: 'POST',
      headers,
      body,
      signal,
      onConnect,
      isSlow: lane === 'slow',
      network,
    })
    if (status >= 200 && status < 300) return { status }
    const isRedirect = status >= 300 && status < 400
    const error = isRedirect ? 'it redirects, which is not followed' : `it responds with status ${status}`
    return { status, error, asked: isBusyStatus(status) ? parseRetryAfter(retryAfter, now()) : undefined }
  } catch (error) {
    if (error instanceof NotNow) return error
    if (error instanceof RequestError) return { error: error.message }
    throw error
  }
}

/**
 * Puts webhooks aside whose addresses were listed or blocked after they were set, until these may be on no list any more. Nothing
 * has failed; what waits is news for as long as what fails.
 * @returns those that are due as before, because others have them locked
 */
export async function putAside(
  { db, now }: Pick<DeliveryDeps, 'db' | 'now'>,
  transaction: Executor,
  blocked: Due[],
): Promise<Postponed[]> {
  const at = now()
  const later = blocked.map((due) => ({ ...due, until: at + BLOCKED_MS }))
  const locked = await postpone(transaction, db.unlocked, later)
  const waiting = later.filter((row) => !locked.includes(row))
  for (const { owner } of waiting) await dropBefore(transaction, owner, at - BLOCKED_WAIT_MS)
  return locked
}

const FIRST_MS = 5_000
const FACTOR = 3
const DAY_MS = 86_400_000
/** How long a webhook may fail until it is given up. */
const GIVE_UP_MS = 3 * DAY_MS
/** How often it has failed by then at least: a clock that goes ahead makes no days of one failure. */
const GIVE_UP_FAILURES = 10
/** The longest that a receiver may ask to be left alone. */
export const LONGEST_ASKED_MS = 3_600_000

/** A failed attempt, and those before it in a row. */
interface Failing {
  /** This attempt included. */
  failures: number
  since: number
  /** The wait that the receiver has asked for, in milliseconds. */
  asked?: number | undefined
}

/**
 * When an event is sent again: after 5 seconds, then three times as long, up to a day; not before the receiver wants it, which may ask for
 * an hour; the last time three days after the first failure, or after ten of them if these come later. Null after that.
 * @param random from 0 to 1: up to a quarter of the time is left out, so that failures at the same time spread
 */
export function nextAttempt(now: number, { failures, since, asked = 0 }: Failing, random: number): number | null {
  const last = since + GIVE_UP_MS
  if (now >= last && failures >= GIVE_UP_FAILURES) return null
  const wait = Math.min(DAY_MS, FIRST_MS * FACTOR ** (failures - 1)) * (1 - random / 4)
  const next = now + Math.round(Math.max(wait, Math.min(asked, LONGEST_ASKED_MS)))
  return now >= last ? next : Math.min(last, next)
}
