import { setTimeout as sleep } from 'node:timers/promises'
import type { Lease } from '../db/lease.ts'
import { deliver, type DeliveryDeps } from './delivery.ts'
import { findDue, type Due } from './outbox-store.ts'

/**
 * Requests at the same time, one for each host; and how many of them to webhooks whose last attempt failed. They take no more
 * than a socket: with few, a few receivers that take their 5 seconds each time would delay all others.
 */
const MAX_RUNNING = 64
const MAX_FAILING = 16

/** How often events that became due in the meantime are looked for. */
const POLL_MS = 1_000

/** Ends of the work. */
export interface Ends {
  /** No further request starts. */
  stopping: AbortSignal
  /** Running requests are interrupted. */
  closing: AbortSignal
}

/** A request under way. */
interface Running {
  due: Due
  done: Promise<void>
}

/** Sends all events that are due; each link's in order. Resolves when none is. */
export async function sendDue(
  deps: DeliveryDeps,
  lease: Lease,
  { stopping, closing }: Ends,
  pollMs = POLL_MS,
): Promise<void> {
  const { db, now } = deps
  const running = new Map<string, Running>()
  const signal = AbortSignal.any([closing, lease.lost])
  const isEnding = () => stopping.aborted || signal.aborted

  /** Starts what is due. @returns whether there may be more of it */
  async function startDue(): Promise<boolean> {
    const failing = [...running.values()].filter(({ due }) => due.failures > 0).length
    const filter = { now: now(), limit: MAX_RUNNING - running.size, busyHosts: [...running.keys()] }
    const found = await findDue(db.read, { ...filter, isHealthy: failing >= MAX_FAILING })
    let started = 0
    for (const due of found) {
      if (running.has(due.host)) continue
      started++
      const done = deliver(deps, lease, due, signal).finally(() => running.delete(due.host))
      running.set(due.host, { due, done })
      if (due.failures > 0 && failing + started >= MAX_FAILING) break
    }
    return started > 0
  }

  try {
    while (!isEnding()) {
      if (running.size < MAX_RUNNING && (await startDue())) continue
      if (running.size === 0) return
      const pause = new AbortController()
      const waits = Array.from(running.values(), ({ done }) => done)
      await Promise.race([...waits, sleep(pollMs, undefined, { signal: pause.signal }).catch(() => {})])
      pause.abort()
    }
  } finally {
    await Promise.allSettled(Array.from(running.values(), ({ done }) => done))
  }
}
