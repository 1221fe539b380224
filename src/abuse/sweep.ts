import { setTimeout as sleep } from 'node:timers/promises'
import type { Link } from '../links/link.ts'
import { activeLinksAfter } from '../links/suspension.ts'
import type { Hit } from './screen.ts'
import { readSweep, writeSweep, type SweepState } from './store.ts'
import { suspensionFor, suspendLink, type SuspensionDeps } from './suspension.ts'

/**
 * How long a sweep waits after a change of the lists: creations that were screened by the old ones are stored by then, so
 * that the sweep includes them.
 */
const SETTLE_MS = 2_000
const PAGE = 500
/** Limits a sweep to 20,000 links per second, so that it hardly affects visits. */
const PAUSE_MS = 25
const RETRY_MS = 5_000

export interface SweepDeps extends SuspensionDeps {
  findInLink: (link: Link) => Hit | undefined
  /** Identifies the current state of all lists and rules. */
  digest: () => string
  log: { error: (details: object, text: string) => void }
  /** Overrides `SETTLE_MS`. */
  settleMs?: number | undefined
}

/** Screens all links again after a change of lists or rules. */
export interface Sweep {
  /** Starts a sweep, or resumes an interrupted one. Call it after every change of lists or rules, and at startup. */
  start: () => void
  isRunning: () => boolean
  close: () => Promise<void>
}

export function createSweep(deps: SweepDeps): Sweep {
  const { log, settleMs = SETTLE_MS } = deps
  const closing = new AbortController()
  const { signal } = closing
  let isRequested = false
  let running: Promise<void> | undefined

  const pause = (ms: number) => sleep(ms, undefined, { signal }).catch(() => undefined)

  async function run(): Promise<void> {
    while (isRequested && !signal.aborted) {
      isRequested = false
      try {
        await pause(settleMs)
        await sweepOnce(deps, pause, signal)
      } catch (error) {
        log.error({ err: error }, 'the sweep of all links was interrupted and will be resumed')
        isRequested = true
        await pause(RETRY_MS)
      }
    }
  }

  return {
    start() {
      isRequested = true
      running ??= run().finally(() => (running = undefined))
    },
    isRunning: () => running !== undefined,
    async close() {
      closing.abort()
      await running
    },
  }
}

/** Screens all links, or those after the position of an interrupted sweep. A change of the lists ends it. */
async function sweepOnce(deps: SweepDeps, pause: (ms: number) => Promise<void>, signal: AbortSignal): Promise<void> {
  const lists = deps.digest()
  const before = await readSweep(deps.db.read)
  let state: SweepState = before?.lists === lists ? before : { lists, position: 0, finished: false }
  while (!state.finished && !signal.aborted && deps.digest() === lists) {
    const links = await activeLinksAfter(deps.db, state.position, PAGE)
    for (const link of links) await screenLink(deps, link)
    state = { lists, position: links.at(-1)?.id ?? state.position, finished: links.length < PAGE }
    await writeSweep(deps.db.write, state)
    await pause(PAUSE_MS)
  }
}

async function screenLink(deps: SweepDeps, link: Link): Promise<void> {
  const hit = deps.findInLink(link)
  if (hit === undefined) return
  // A link that was changed in the meantime was screened by the same lists then.
  await suspendLink(deps, link, suspensionFor(hit, deps.now()), hit.list ?? 'operator')
}
