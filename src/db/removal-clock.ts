import { readClock, writeClock, type SeenClock } from './clock-store.ts'
import type { Database } from './database.ts'
import type { Metric } from '../http/metric.ts'
import { isStoreUnavailable } from './open.ts'
import { isUnavailable } from './unavailable.ts'

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

/** How often it is checked. */
const CHECK_MS = 10 * MINUTE_MS
/** A check counts as so much time at most: the service may not have run since the one before. */
const MOST_MS = 1.5 * CHECK_MS
/** How far the clock may have gone on since the last check without a doubt. */
const PAUSE_MS = 2 * DAY_MS
/** How long the service has to run until a clock that is further ahead is believed. */
const DOUBT_MS = DAY_MS

/** The clock by which what is old is removed for good. A wrong clock does not move it before it has been said for a day. */
export interface RemovalClock {
  /** The latest time that is known to have come; 0, by which nothing is old, before that is known. */
  time: () => Promise<number>
  /** The latest time that may have come; Infinity while the clock is so far from what was seen that this is unknown. */
  latest: () => Promise<number>
  /** Checks the clock, which also happens every ten minutes. */
  check: () => Promise<void>
  close: () => Promise<void>
  metrics: Metric[]
}

interface ClockNeeds {
  db: Pick<Database, 'transaction' | 'lock' | 'time'>
  now: () => number
  log: Record<'warn' | 'error', (details: object, text: string) => void>
}

/**
 * The clock is that of the store, or this machine's when that is behind. It is first checked when somebody asks for it: a start
 * that is refused changes nothing.
 */
export function openRemovalClock({ db, now, log }: ClockNeeds): RemovalClock {
  let time = 0
  let latest = Number.POSITIVE_INFINITY
  let isDoubted = false

  function note({ seen, verdict }: Judgement, at: number): void {
    const details = { clock: dateOf(at), last_seen: dateOf(seen.seenAt) }
    if (verdict === 'doubted' && !isDoubted) log.warn(details, DOUBTED)
    if (verdict === 'believed') log.warn(details, BELIEVED)
    isDoubted = verdict === 'doubted'
    // Behind what was seen, less is old.
    time = Math.min(at, seen.seenAt)
    latest = verdict === 'plausible' ? Math.max(at, seen.seenAt) + PAUSE_MS : Number.POSITIVE_INFINITY
  }

  async function checkOnce(): Promise<void> {
    const { judged, at } = await judgeStored(db, now)
    note(judged, at)
  }

  // While the store is moved or away, what was known goes on.
  const check = () =>
    checkOnce().catch((err: unknown) => isStoreUnavailable(err) || isUnavailable(err) || log.error({ err }, UNCHECKED))
  let last: Promise<unknown> | undefined
  const timer = setInterval(() => (last = check()), CHECK_MS).unref()
  return {
    time: async () => {
      await (last ??= check())
      return time
    },
    latest: async () => {
      await (last ??= check())
      return latest
    },
    async check() {
      await (last = check())
    },
    metrics: [{ ...doubtMetric, read: () => Number(isDoubted) }],
    async close() {
      clearInterval(timer)
      await last
    },
  }
}

/** Judges the clock by what is stored, and stores what is known of it now. */
function judgeStored(db: ClockNeeds['db'], now: () => number): Promise<{ judged: Judgement; at: number }> {
  return db.transaction(async (transaction) => {
    await db.lock(transaction, 'clock')
    const { now: ofStore, stored, newestLink } = await readClock(db, transaction)
    const at = Math.min(ofStore, now())
    const judged = judge(stored ?? firstSeen(newestLink, at), at)
    await writeClock(transaction, judged.seen)
    return { judged, at }
  })
}

const doubtMetric = {
  name: 'quirl_clock_doubted',
  help: '1 while the clock is so far ahead that nothing is removed for its age',
  type: 'gauge',
} as const

const UNCHECKED = 'the clock could not be checked'
const DOUBTED =
  'the clock is days ahead of when quirl ran last: nothing is removed for its age until it has run for a day like that; set the clock if it is wrong'
const BELIEVED = 'quirl has run for a day with the clock that was ahead: what is old by it is removed from now on'

/** A store of an earlier release, or a new one: links were created at times that have come. */
function firstSeen(newestLink: number | undefined, now: number): SeenClock {
  return { seenAt: newestLink ?? now, checkedAt: now, doubtedMs: 0 }
}

interface Judgement {
  seen: SeenClock
  /** A clock that is behind needs no doubt: less is old by it. */
  verdict: 'plausible' | 'behind' | 'doubted' | 'believed'
}

/** Judges the clock, which may have been stopped, set or wrong since the last check. */
export function judge({ seenAt, checkedAt, doubtedMs }: SeenClock, now: number): Judgement {
  const ahead = now - seenAt
  if (Math.abs(ahead) <= PAUSE_MS)
    return { seen: { seenAt: Math.max(seenAt, now), checkedAt: now, doubtedMs: 0 }, verdict: 'plausible' }
  // The last check may have been before the clock was set, also the other way.
  const wasAhead = checkedAt - seenAt
  const isSame = Math.abs(wasAhead) > PAUSE_MS && wasAhead > 0 === ahead > 0
  const ran = Math.max(0, Math.min(now - checkedAt, MOST_MS))
  const doubted = isSame ? doubtedMs + ran : 0
  if (doubted < DOUBT_MS)
    return { seen: { seenAt, checkedAt: now, doubtedMs: doubted }, verdict: ahead > 0 ? 'doubted' : 'behind' }
  return { seen: { seenAt: now, checkedAt: now, doubtedMs: 0 }, verdict: ahead > 0 ? 'believed' : 'plausible' }
}

function dateOf(ms: number): string {
  return new Date(ms).toISOString()
}
