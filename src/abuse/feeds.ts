import { hash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { faultOf, isRemote, obtain, sourceName, type Fetch } from '../lib/obtain.ts'
import { openSet, type CompactSet } from './compact-set.ts'
import type { KeptLists, ListState } from './kept-lists.ts'
import type { ParsedList, ParseTask } from './parse-thread.ts'

/** How often it is looked which lists are due. */
const TICK_MS = 60_000
/** How long a downloaded list is believed; publishers ask not to be asked more often. */
const REFRESH_MS = 3_600_000
const RETRY_MS = 300_000
/** How long one answer may take to arrive. */
const TIMEOUT_MS = 120_000
/** More lines than one in so many that are neither host, URL nor comment: this is something else. */
const FOREIGN_SHARE = 10

/** A list as it is looked things up in. */
export interface LoadedList {
  name: string
  set: CompactSet
}

/** What an operator may know about a list. */
export interface ListStatus extends Partial<Omit<ListState, 'etag' | 'lastModified'>> {
  name: string
  /** Why its last refresh was not taken over; the old state stays in use. */
  fault: string | null
}

/** The lists of `ABUSE_FEEDS`. */
export interface Feeds {
  salt: string
  lists: () => readonly LoadedList[]
  /** Tells one state of all lists from another, also when it comes back later. */
  digest: () => string
  status: () => ListStatus[]
  /**
   * Looks for new states of the lists that are due, or of all; one after the other.
   * @param accept also takes over what shrank by half
   */
  refresh: (options?: { all?: boolean; accept?: boolean }) => Promise<void>
  close: () => Promise<void>
}

export interface FeedOptions {
  sources: string[]
  kept: KeptLists
  now: () => number
  monotonic: () => number
  fetch: typeof globalThis.fetch
  parse: (task: ParseTask) => Promise<ParsedList>
  /** Called after a list has changed. */
  changed: () => void
  log: { warn: (details: object, text: string) => void }
}

interface Feed {
  source: string
  name: string
  loaded?: LoadedList & { state: ListState; digest: string }
  /** On the clock that never goes back. */
  dueAt: number
  fault: string | null
}

/** Loads what was kept, and refreshes the rest in the background. */
export function openFeeds(options: FeedOptions): Feeds {
  const { sources, kept, now, monotonic } = options
  kept.prune(sources)
  const feeds = sources.map((source): Feed => {
    const name = sourceName(source)
    const found = kept.load(source)
    const loaded = found && { name, set: openSet(found.keys), state: found.state, digest: found.digest }
    // A file costs one look; a server is left alone for as long as it was told.
    const restMs = found !== undefined && isRemote(source) ? found.state.takenAt + REFRESH_MS - now() : 0
    const dueAt = monotonic() + Math.min(Math.max(restMs, 0), REFRESH_MS)
    return { source, name, dueAt, fault: null, ...(loaded && { loaded }) }
  })
  const closing = new AbortController()
  const ask: Fetch = (url, headers) => {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(TIMEOUT_MS)])
    return options.fetch(url, { headers, signal, redirect: 'manual' })
  }
  let work: Promise<void> = Promise.resolve()

  const refresh: Feeds['refresh'] = ({ all = false, accept = false } = {}) => {
    work = work.then(async () => {
      for (const feed of feeds) {
        if (!closing.signal.aborted && (all || monotonic() >= feed.dueAt)) await refreshFeed(feed, accept, options, ask)
      }
    })
    return work
  }
  void refresh()
  const timer = setInterval(() => void refresh(), TICK_MS)

  return {
    salt: kept.salt,
    lists: () => feeds.flatMap(({ loaded }) => loaded ?? []),
    digest: () =>
      hash(
        'sha256',
        JSON.stringify(feeds.map(({ source, loaded }) => [source, loaded?.digest, loaded?.state.changedAt])),
      ),
    status: () =>
      feeds.map(({ name, loaded, fault }) => {
        const { etag: _, lastModified: __, ...state } = loaded?.state ?? { etag: null, lastModified: null }
        return { name, ...state, fault }
      }),
    refresh,
    close() {
      clearInterval(timer)
      closing.abort()
      return work
    },
  }
}

async function refreshFeed(feed: Feed, accept: boolean, options: FeedOptions, ask: Fetch): Promise<void> {
  const { monotonic, log, changed } = options
  try {
    const isNew = await takeOver(feed, accept, options, ask)
    feed.fault = null
    feed.dueAt = monotonic() + (isRemote(feed.source) ? REFRESH_MS : 0)
    if (isNew) changed()
  } catch (error) {
    const fault = faultOf(error)
    if (fault !== feed.fault) {
      const use = feed.loaded === undefined ? 'there is no older state of it' : 'its last good state stays in use'
      log.warn({ list: feed.name, fault }, `a list could not be refreshed; ${use}`)
    }
    feed.fault = fault
    feed.dueAt = monotonic() + RETRY_MS
  }
}

/** Fetches, reads and judges the list; only a good one takes the place of the old. Whether it differs from that. */
async function takeOver(feed: Feed, accept: boolean, { kept, parse, now }: FeedOptions, ask: Fetch): Promise<boolean> {
  const draft = kept.draft(feed.source)
  try {
    const validators = await obtain(feed.source, draft, {
      known: feed.loaded?.state,
      fetch: ask,
      purpose: 'abuse lists',
    })
    if (validators === undefined) return false
    const parsed = await parse({ file: draft, salt: kept.salt })
    const reason = refusal(parsed, feed, accept)
    if (reason !== undefined) throw new Error(reason)
    const { keys, foreign: _, firstForeign: __, ...summary } = parsed
    const before = feed.loaded
    const digest = kept.digest(keys)
    const isNew = digest !== before?.digest
    const changedAt = isNew || before === undefined ? now() : before.state.changedAt
    const state = { ...summary, ...validators, takenAt: now(), changedAt }
    await kept.save(feed.source, { state, digest, keys })
    feed.loaded = { name: feed.name, set: openSet(keys), state, digest }
    return isNew
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Why a list is not taken over. An operator's own file may be empty; a publisher's would be a fault of theirs. */
function refusal(
  { entries, foreign, firstForeign }: ParsedList,
  { source, loaded }: Feed,
  accept: boolean,
): string | undefined {
  if (foreign > 0 && foreign * FOREIGN_SHARE >= entries) {
    return `it is not a list of hosts or URLs (${foreign} of ${foreign + entries} lines are neither, the first is line ${firstForeign})`
  }
  if (entries === 0 && isRemote(source)) return 'it is empty'
  const before = loaded?.state.entries ?? 0
  if (accept || entries * 2 >= before) return undefined
  return `it shrank from ${before} to ${entries} entries; "quirl lists --accept" takes it over`
}
