import { setTimeout as sleep } from 'node:timers/promises'
import { LeaseLost, type AcquireLease } from '../db/lease.ts'
import { yieldEvery } from '../lib/yield-every.ts'
import type { Link } from '../links/link.ts'
import { activeLinksAfter, activeLinksOf } from '../links/suspension.ts'
import type { Hit } from './screen.ts'
import { readSweep, requestSweep, writeSweep, type SweepState } from './sweep-store.ts'
import { suspendLinks, suspensionFor, type SuspensionDeps, type Suspending } from './suspension.ts'

/**
 * How long a sweep waits after a change of the lists: creations that were screened by the old ones are stored by then, so
 * that the sweep includes them.
 */
const WAIT_MS = 2_000
/** After each part of at most 500 links. Limits a sweep to 20,000 links per second, so that it hardly affects visits. */
const PAUSE_MS = 25
/** How long visits may wait while links are compared with the lists, in milliseconds: one link may have hundreds of URLs. */
const SLICE_MS = 5
/** In one transaction, whose sync they share: a stranger can have 50,000 links to a host, and visits hardly wait for so many. */
const SUSPENDED_AT_ONCE = 16
/** The position is stored after so many parts: each store waits for PostgreSQL four times, which a flood of others makes slow. */
const PARTS_STORED_AT_ONCE = 8
const RETRY_MS = 5_000
const LEASE = 'sweep of links'

export interface SweepDeps extends SuspensionDeps {
  findInLink: (link: Link) => Hit | undefined
  /** Identifies the current state of all lists and rulings. */
  digest: () => string
  acquire: AcquireLease
  /** Called by the process that has screened the last link, before the sweep counts as finished. */
  onFinished?: () => Promise<void>
  /** Called when the store has noted that lists or rulings have changed. */
  onRequested: () => void
  log: { error: (details: object, text: string) => void }
  /** Overrides `WAIT_MS`. */
  waitMs?: number | undefined
  /** Overrides `RETRY_MS`. */
  retryMs?: number
}

/**
 * Screens all links again after a change of lists or rulings. Of the processes that have the same lists and rulings, one does
 * so, and another resumes when that one dies.
 */
export interface Sweep {
  /**
   * Starts a sweep, resumes an interrupted one, or waits until another process has finished it.
   * @param hasChanged whether lists or rulings have changed here: links may have been screened by older ones until now, so
   * that a sweep by the same lists begins again, wherever it is
   */
  start: (hasChanged: boolean) => void
  isRunning: () => boolean
  close: () => Promise<void>
}

export function createSweep(deps: SweepDeps): Sweep {
  const { log, waitMs = WAIT_MS, retryMs = RETRY_MS } = deps
  const requests = createRequests(deps)
  const closing = new AbortController()
  const { signal } = closing
  let isRequested = false
  let running: Promise<void> | undefined

  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined)

  async function run(): Promise<void> {
    while (isRequested && !signal.aborted) {
      isRequested = false
      try {
        await pause(waitMs)
        if (!signal.aborted) await requests.send()
        if (await sweepOnce(deps, pause, signal)) continue
      } catch (error) {
        if (!(error instanceof LeaseLost))
          log.error({ err: error }, 'the sweep of all links was interrupted and will be resumed')
      }
      isRequested = true
      await pause(retryMs)
    }
  }

  return {
    start(hasChanged) {
      isRequested = true
      if (hasChanged) requests.note()
      running ??= run().finally(() => (running = undefined))
    },
    isRunning: () => running !== undefined,
    async close() {
      closing.abort()
      await running
    },
  }
}

/** Notes changes of lists and rulings in the store, so that a sweep of any process begins again. */
function createRequests({ db, digest, onRequested }: SweepDeps) {
  let isNoted = false
  return {
    note: () => void (isNoted = true),
    async send(): Promise<void> {
      if (!isNoted) return
      isNoted = false
      try {
        await db.urgent('takedown', (transaction) => requestSweep(transaction, digest()))
      } catch (error) {
        isNoted = true
        throw error
      }
      if (!isNoted) onRequested()
    },
  }
}

/**
 * Screens all links, or those after the position of an interrupted sweep, by the lists as they are then. When these change, it goes on to
 * the last link, and `run` begins again: lists that change all the time would keep it from ever reaching that.
 * @returns false while another process sweeps
 */
async function sweepOnce(deps: SweepDeps, pause: (ms: number) => Promise<void>, signal: AbortSignal): Promise<boolean> {
  const lists = deps.digest()
  const read = async (): Promise<SweepState> => {
    const stored = await readSweep(deps.db.read)
    return stored?.lists === lists ? stored : { lists, position: 0, finished: false, requests: stored?.requests ?? 0 }
  }
  if (signal.aborted || (await read()).finished) return true
  const lease = await deps.acquire(LEASE)
  if (lease === undefined) return false
  try {
    let state = await read()
    while (!state.finished && !signal.aborted) {
      const next = await sweepParts(deps, state, () => pause(PAUSE_MS), signal)
      state = (await lease.commit((transaction) => writeSweep(transaction, next))) ? next : await read()
    }
    return true
  } finally {
    await lease.release()
  }
}

/** @returns the state after the next parts; after the first one at once, as requests to begin again find only what is stored */
async function sweepParts(
  deps: SweepDeps,
  state: SweepState,
  pause: () => Promise<void>,
  signal: AbortSignal,
): Promise<SweepState> {
  let { position } = state
  const most = position === 0 ? 1 : PARTS_STORED_AT_ONCE
  for (let parts = 0; parts < most && !signal.aborted; parts++) {
    const part = await activeLinksAfter(deps.db, position)
    await screenLinks(deps, part.links)
    if (part.next === undefined) {
      await deps.onFinished?.()
      return { ...state, position, finished: true }
    }
    position = part.next
    await pause()
  }
  return { ...state, position }
}

async function screenLinks(deps: SweepDeps, links: Link[]): Promise<void> {
  const found = await listed(deps, links)
  for (let from = 0; from < found.length; from += SUSPENDED_AT_ONCE)
    await suspendFound(deps, found.slice(from, from + SUSPENDED_AT_ONCE))
}

/** The links with a URL that is on a list. */
async function listed({ now, findInLink }: SweepDeps, links: Link[]): Promise<Suspending[]> {
  const at = now()
  const found: Suspending[] = []
  const pause = yieldEvery(SLICE_MS)
  for (const link of links) {
    const hit = findInLink(link)
    if (hit !== undefined) found.push({ link, suspension: suspensionFor(hit, at), source: hit.list ?? 'operator' })
    await pause()
  }
  return found
}

/** Links that were changed since they were read are read again: whoever deletes one and brings it back is screened by nobody else. */
async function suspendFound(deps: SweepDeps, found: Suspending[]): Promise<void> {
  for (let left = found; left.length > 0;) {
    if ((await suspendLinks(deps, left, 'suspension')) === left.length) return
    const ids = left.map(({ link }) => link.id)
    left = await listed(deps, await activeLinksOf(deps.db, ids))
  }
}
