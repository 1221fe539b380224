import { createLeases, LeaseLost, type AcquireLease, type Lease } from '../db/lease.ts'
import type { BackgroundTasks } from '../lib/background-tasks.ts'
import type { Totals } from '../links/link.ts'
import { endWaitsAhead } from './ahead-store.ts'
import { findNewlyQueued } from './collection-store.ts'
import { checkDue, findDueLinks, type DestinationsDeps } from './destinations.ts'
import type { DeliveryCounts } from './metrics.ts'
import { createMilestones, type Milestones } from './milestones.ts'
import { isAnyDue } from './outbox-store.ts'
import { sendDue, type SenderDeps } from './sender.ts'
import { countAll } from './store.ts'

/** How often what this process has queued is sent. */
const POLL_MS = 1_000
/** How often what other processes have set and queued is read. */
const REFRESH_MS = 10_000
/** How often destinations that are due are looked for; each is due once a day. */
const CHECK_POLL_MS = 60_000
/** How long a stop waits for requests that are under way; what they send may come again after the next start. */
const GRACE_MS = 1_000

/** What runs without a request. */
export interface Background {
  onFold: Milestones['onFold']
  /** Starts no further request. */
  stop: () => void
  /** Interrupts the requests that do not end soon. */
  close: () => Promise<void>
}

interface BackgroundDeps extends Omit<SenderDeps, 'count'>, DestinationsDeps {
  counts: DeliveryCounts
  totals: (linkId: number) => Promise<Totals>
}

/** Times in milliseconds, when they are not the usual ones. */
export interface BackgroundTimes {
  /** The interval of all work. */
  pollMs?: number
  /** How long a stop waits for requests that are under way. */
  graceMs?: number
}

/** Finds milestones, sends events and checks destinations, each once at a time. */
export function startBackground(deps: BackgroundDeps, tasks: BackgroundTasks, times: BackgroundTimes): Background {
  const { pollMs, graceMs = GRACE_MS } = times
  const { db, now, monotonic, outbox, counts } = deps
  const [stopping, closing] = [new AbortController(), new AbortController()]
  const milestones = createMilestones({ ...deps, stopping: stopping.signal })
  const ends = { stopping: stopping.signal, closing: closing.signal }
  const acquire = createLeases(db, monotonic)
  const count = (isDelivered: boolean) => void counts[isDelivered ? 'delivered' : 'failed']++

  const isEventDue = async () => outbox.rows() > 0 && (await isAnyEvent(deps))
  const send = (lease: Lease) => sendDue({ ...deps, count }, lease, ends, pollMs ?? POLL_MS)
  const isCheckDue = async () => (await findDueLinks(db.read, now(), 1)).length > 0
  const check = (lease: Lease) => checkDue(deps, lease, ends)

  const works = [
    repeat(milestones.check, pollMs ?? POLL_MS, tasks.run),
    repeat(() => underLease(acquire, 'webhooks', isEventDue, send), pollMs ?? POLL_MS, tasks.run),
    repeat(() => underLease(acquire, 'destination checks', isCheckDue, check), pollMs ?? CHECK_POLL_MS, tasks.run),
    repeat(() => refresh(deps, milestones), pollMs ?? REFRESH_MS, tasks.run),
  ]
  const stop = () => {
    stopping.abort()
    for (const work of works) work.stop()
  }
  return {
    onFold: milestones.onFold,
    stop,
    async close() {
      stop()
      const grace = setTimeout(() => closing.abort(), graceMs)
      await Promise.all(works.map((work) => work.done()))
      await milestones.ended()
      clearTimeout(grace)
      tasks.close()
    },
  }
}

/** Reads what other processes have set and queued. */
async function refresh({ db, now, outbox, counts }: BackgroundDeps, milestones: Milestones): Promise<void> {
  await milestones.load()
  await endWaitsAhead(db, now())
  const { givenUp, outbox: rows } = await countAll(db.read)
  counts.givenUp = givenUp
  outbox.counted(rows)
}

/** Whether an event is to be sent, or to be taken in. */
async function isAnyEvent({ db, now }: BackgroundDeps): Promise<boolean> {
  return (await isAnyDue(db.read, now())) || (await findNewlyQueued(db.read, 1)).length > 0
}

/** Does work that is due, if no other process does it. The lease is only held meanwhile: it costs writes. */
async function underLease(
  acquire: AcquireLease,
  name: string,
  isDue: () => Promise<boolean>,
  work: (lease: Lease) => Promise<void>,
): Promise<void> {
  const lease = (await isDue()) ? await acquire(name) : undefined
  if (lease === undefined) return
  try {
    await work(lease)
  } catch (error) {
    if (!(error instanceof LeaseLost)) throw error
  } finally {
    await lease.release()
  }
}

/** Runs `work` now and at intervals, once at a time. */
function repeat(work: () => Promise<void>, ms: number, onRun: (task: Promise<void>) => void) {
  let running: Promise<void> | undefined
  const run = () => {
    if (running !== undefined) return
    running = work().finally(() => (running = undefined))
    onRun(running)
  }
  run()
  const timer = setInterval(run, ms).unref()
  return { stop: () => clearInterval(timer), done: async () => running?.catch(() => {}) }
}
