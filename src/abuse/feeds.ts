import { hash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { faultOf, isRemote, obtain, sourceName, type Fetch } from '../lib/obtain.ts'
import { openSet, type CompactSet } from './compact-set.ts'
import type { ListFiles, ListState } from './list-files.ts'
import type { ListSource } from './list-sources.ts'
import type { ParsedList, ParseTask } from './parse-thread.ts'

/** How often to check which lists are due. */
const TICK_MS = 60_000
/** How often a list is downloaded; publishers ask for no more than that. */
const REFRESH_MS = 3_600_000
const RETRY_MS = 300_000
/** The timeout of a download. */
const TIMEOUT_MS = 120_000
/** A file is not a list when at least one in this many lines is neither an entry nor a comment. */
const INVALID_SHARE = 10

/**
 * What a recommended list may take, several times the size of the largest: 64 MiB of memory, and three times as much while it
 * is read. Lists that the operator has named have the bound of every download.
 */
const RECOMMENDED = { maxBytes: 256 * 1024 * 1024, maxEntries: 4_000_000 }
const NAMED = { maxEntries: Number.POSITIVE_INFINITY }

/** A list in memory. */
export interface LoadedList {
  name: string
  set: CompactSet
}

/** The status of a list for the operator. */
export interface ListStatus extends Partial<Omit<ListState, 'etag' | 'lastModified'>> {
  name: string
  /** Whether the service does not wait for it, because the operator has not named it. */
  isRecommended: boolean
  /** Why the last refresh failed; the previous state stays in use. */
  fault: string | null
}

/** The lists of `ABUSE_FEEDS`. */
export interface Feeds {
  salt: string
  lists: () => readonly LoadedList[]
  /** Identifies the contents of all lists, in every process on the store. */
  digest: () => string
  status: () => ListStatus[]
  /** When the loaded list that was checked longest ago was found current or replaced; 0 before, and without lists. */
  checkedAt: () => number
  /**
   * Refreshes the lists that are due, or all, one after the other.
   * @param accept also accepts a list that shrank by half
   */
  refresh: (options?: { all?: boolean; accept?: boolean }) => Promise<void>
  /** Checks all lists soon: another process has a newer one. */
  expire: () => void
  close: () => Promise<void>
}

export interface FeedOptions {
  sources: ListSource[]
  files: ListFiles
  now: () => number
  monotonic: () => number
  fetch: typeof globalThis.fetch
  parse: (task: ParseTask) => Promise<ParsedList>
  /** Called after a list has changed; `isFirst` unless another process had announced that. */
  onChange: (isFirst: boolean) => void
  log: { warn: (details: object, text: string) => void }
}

interface Feed extends ListSource {
  name: string
  loaded?: LoadedList & { state: ListState; digest: string }
  /** On the monotonic clock. */
  dueAt: number
  /** Whether it is due because another process has a newer one. */
  isAnnounced: boolean
  /** When its publisher last confirmed or replaced it. */
  checkedAt: number
  fault: string | null
}

/** Loads the stored lists, and refreshes them in the background. */
export function openFeeds(options: FeedOptions): Feeds {
  const { sources, files, monotonic } = options
  files.prune(sources.map(({ source }) => source))
  const feeds = sources.map((source) => loadFeed(source, options))
  const closing = new AbortController()
  const fetch: Fetch = (url, headers) => {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(TIMEOUT_MS)])
    return options.fetch(url, { headers, signal, redirect: 'manual' })
  }
  let work: Promise<void> = Promise.resolve()

  const refresh: Feeds['refresh'] = ({ all = false, accept = false } = {}) => {
    work = work.then(async () => {
      for (const feed of feeds) {
        const isDue = all || monotonic() >= feed.dueAt
        if (isDue && !closing.signal.aborted) await refreshFeed(feed, accept, options, fetch)
      }
    })
    return work
  }
  void refresh()
  const timer = setInterval(() => void refresh(), TICK_MS)

  return {
    salt: files.salt,
    lists: () => feeds.flatMap(({ loaded }) => loaded ?? []),
    digest: () => digestOf(feeds),
    status: () => feeds.map(statusOf),
    checkedAt: () => firstCheckOf(feeds),
    refresh,
    expire() {
      for (const feed of feeds) Object.assign(feed, { dueAt: monotonic(), isAnnounced: true })
    },
    close() {
      clearInterval(timer)
      closing.abort()
      return work
    },
  }
}

function loadFeed({ source, isRecommended }: ListSource, { files, now, monotonic }: FeedOptions): Feed {
  const name = sourceName(source)
  const stored = files.load(source)
  const loaded = stored && { name, set: openSet(stored.keys), state: stored.state, digest: stored.digest }
  // Local files are cheap to check; remote lists are not downloaded again before their interval is over.
  const waitMs = stored !== undefined && isRemote(source) ? stored.state.takenAt + REFRESH_MS - now() : 0
  const dueAt = monotonic() + Math.min(Math.max(waitMs, 0), REFRESH_MS)
  const checkedAt = stored?.state.takenAt ?? 0
  const state = { dueAt, isAnnounced: false, checkedAt, fault: null }
  return { source, isRecommended, name, ...state, ...(loaded && { loaded }) }
}

function digestOf(feeds: Feed[]): string {
  const states = feeds.map(({ source, loaded }) => [source, loaded?.digest])
  return hash('sha256', JSON.stringify(states))
}

function firstCheckOf(feeds: Feed[]): number {
  const times = feeds.flatMap(({ loaded, checkedAt }) => (loaded === undefined ? [] : checkedAt))
  return times.length === 0 ? 0 : Math.min(...times)
}

function statusOf({ name, isRecommended, loaded, fault }: Feed): ListStatus {
  const { etag: _, lastModified: __, ...state } = loaded?.state ?? { etag: null, lastModified: null }
  return { name, isRecommended, ...state, fault }
}

async function refreshFeed(feed: Feed, accept: boolean, options: FeedOptions, fetch: Fetch): Promise<void> {
  const { now, monotonic, log, onChange } = options
  const isFirst = !feed.isAnnounced
  feed.isAnnounced = false
  try {
    const hasChanged = await update(feed, accept, options, fetch)
    feed.fault = null
    feed.checkedAt = now()
    feed.dueAt = monotonic() + (isRemote(feed.source) ? REFRESH_MS : 0)
    if (hasChanged) onChange(isFirst)
  } catch (error) {
    const fault = faultOf(error)
    if (fault !== feed.fault) {
      log.warn({ list: feed.name, fault }, `a list could not be refreshed; ${useOf(feed)}`)
    }
    feed.fault = fault
    feed.dueAt = monotonic() + RETRY_MS
  }
}

/** What screens links while a list cannot be refreshed. */
function useOf({ loaded, isRecommended }: Feed): string {
  if (loaded !== undefined) return 'the previous state stays in use'
  return isRecommended ? 'links are not compared with it until it can be' : 'there is no previous state'
}

/** Fetches, parses and validates a list, and replaces the previous state. Returns whether its entries have changed. */
async function update(feed: Feed, accept: boolean, { files, parse, now }: FeedOptions, fetch: Fetch): Promise<boolean> {
  const draft = files.draft(feed.source)
  const { maxEntries, ...bounds } = feed.isRecommended ? RECOMMENDED : NAMED
  try {
    const known = feed.loaded?.state
    const validators = await obtain(feed.source, draft, { known, fetch, purpose: 'abuse lists', ...bounds })
    if (validators === undefined) return false
    const parsed = await parse({ file: draft, salt: files.salt, maxEntries })
    const reason = rejectionOf(parsed, feed, accept)
    if (reason !== undefined) throw new Error(reason)
    const { keys, foreign: _, firstForeign: __, ...summary } = parsed
    const before = feed.loaded
    const digest = files.digest(keys)
    const hasChanged = digest !== before?.digest
    const changedAt = hasChanged || before === undefined ? now() : before.state.changedAt
    const state = { ...summary, ...validators, takenAt: now(), changedAt }
    if (hasChanged) await files.noteChange()
    await files.save(feed.source, { state, digest, keys })
    feed.loaded = { name: feed.name, set: openSet(keys), state, digest }
    return hasChanged
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Why a list is rejected. A local file may be empty; an empty download is an error of the publisher. */
function rejectionOf(
  { entries, foreign, firstForeign }: ParsedList,
  { source, loaded }: Feed,
  accept: boolean,
): string | undefined {
  if (foreign > 0 && foreign * INVALID_SHARE >= entries) {
    return `it is not a list of hosts or URLs (${foreign} of ${foreign + entries} lines are neither, the first is line ${firstForeign})`
  }
  if (entries === 0 && isRemote(source)) return 'it is empty'
  const before = loaded?.state.entries ?? 0
  if (accept || entries * 2 >= before) return undefined
  return `it shrank from ${before} to ${entries} entries; "quirl lists --accept" accepts it`
}
