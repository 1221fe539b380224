import { setTimeout as sleep } from 'node:timers/promises'
import type { Link } from '../links/link.ts'
import { liveLinksAfter } from '../links/removal.ts'
import type { Hit } from './screen.ts'
import { readSweep, writeSweep, type SweepState } from './store.ts'
import { removalFor, removeLink, type TakedownDeps } from './suspension.ts'

/**
 * How long a sweep waits after the lists have changed: a creation that was screened by the old ones has been written by
 * then, so that the sweep meets it.
 */
const SETTLE_MS = 2_000
const PAGE = 500
/** At most 20,000 links a second, so that visits hardly notice. */
const PAUSE_MS = 25
const RETRY_MS = 5_000

export interface SweepDeps extends TakedownDeps {
  findInLink: (link: Link) => Hit | undefined
  /** Tells one state of everything that is listed from another. */
  digest: () => string
  log: { error: (details: object, text: string) => void }
  /** Overrides the time to settle. */
  settleMs?: number | undefined
}

/** Matches all links again when the lists have changed. */
export interface Sweep {
  /** To be called after every change of the lists, and at the start: goes on where a former run was stopped. */
  start: () => void
  /** Whether links are being matched. */
  isRunning: () => boolean
  close: () => Promise<void>
}

export function createSweep(deps: SweepDeps): Sweep {
  const { log, settleMs = SETTLE_MS } = deps
  const closing = new AbortController()
  const { signal } = closing
  let asked = false
  let running: Promise<void> | undefined

  const rest = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined)

  async function run(): Promise<void> {
    while (asked && !signal.aborted) {
      asked = false
      try {
        await rest(settleMs)
        await sweepOnce(deps, rest, signal)
      } catch (error) {
        log.error({ err: error }, 'the sweep of all links has stopped and will go on')
        asked = true
        await rest(RETRY_MS)
      }
    }
  }

  return {
    start() {
      asked = true
      running ??= run().finally(() => (running = undefined))
    },
    isRunning: () => running !== undefined,
    async close() {
      closing.abort()
      await running
    },
  }
}

/** Goes through all links, or through those that a former run has left; lists that change meanwhile end it. */
async function sweepOnce(deps: SweepDeps, rest: (ms: number) => Promise<void>, signal: AbortSignal): Promise<void> {
  const lists = deps.digest()
  const before = await readSweep(deps.db.read)
  let state: SweepState = before?.lists === lists ? before : { lists, position: 0, finished: false }
  while (!state.finished && !signal.aborted && deps.digest() === lists) {
    const links = await liveLinksAfter(deps.db, state.position, PAGE)
    for (const link of links) await match(deps, link)
    state = { lists, position: links.at(-1)?.id ?? state.position, finished: links.length < PAGE }
    await writeSweep(deps.db.write, state)
    await rest(PAUSE_MS)
  }
}

async function match(deps: SweepDeps, link: Link): Promise<void> {
  const hit = deps.findInLink(link)
  if (hit === undefined) return
  // A link that has changed since was matched by the same lists when it was changed.
  await removeLink(deps, link, removalFor(hit, deps.now()), hit.list ?? 'operator')
}
