import { join } from 'node:path'
import type { AdminOperations } from '../admin/socket.ts'
import type { Metric } from '../http/metrics.ts'
import type { Fetch } from '../lib/obtain.ts'
import { createFind, type FindPlace } from './find.ts'
import { openKeptTables } from './kept.ts'
import { placeOperations } from './operator.ts'
import type { PlaceFile } from './record.ts'
import { openBundledSource, openSource, plainFault, RETRY_MS, type Source } from './source.ts'

/** Databases of places, of which little is in memory. */
export interface Places {
  find: FindPlace
  operations: AdminOperations
  metrics: Metric[]
  /** Whether data of DB-IP are in use, whose licence asks for a link on pages. */
  isCreditDue: () => boolean
  /** Looks for new states of the sources that are due, or of all. */
  refresh: (all?: boolean) => Promise<void>
  close: () => Promise<void>
}

export interface PlacesOptions {
  /** Files, https URLs and `bundled`; the first that knows answers. */
  sources: readonly string[]
  dataDir: string
  now: () => number
  monotonic: () => number
  fetch: typeof globalThis.fetch
  log: { warn: (text: string) => void }
}

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** Past this, whatever renews the data has most likely stopped. */
const OLD_DAYS = 90
/** How often it is looked which sources are due. */
const TICK_MS = 60_000
/** How long a download is used; publishers renew theirs each month. */
const REFRESH_MS = 30 * DAY_MS
/** How long the reading of tables into the system's cache waits, so that a start has the disk and the processor. */
const READ_AHEAD_MS = 2_000
/** How long one answer may take to arrive. */
const TIMEOUT_MS = 600_000

interface Fed extends Source {
  /** On the clock that never goes back. */
  dueAt: number
  /** What was said of it last, so that it is said once. */
  said: { fault?: string | null; builtAt?: number }
}

/** Opens what can be opened at once, and keeps it fresh in the background. */
export function openPlaces(options: PlacesOptions): Places {
  const { now, monotonic } = options
  const closing = new AbortController()
  const ask: Fetch = (url, headers) => {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(TIMEOUT_MS)])
    return options.fetch(url, { headers, signal, redirect: 'manual' })
  }
  const kept = openKeptTables(join(options.dataDir, 'places'), options.sources)
  const feeds = options.sources.map((word): Fed => {
    const source = openSource(word, { kept, now, fetch: ask, signal: closing.signal })
    const restMs = source.takenAt === undefined ? 0 : source.takenAt + REFRESH_MS - now()
    return Object.assign(source, { dueAt: monotonic() + Math.min(Math.max(restMs, 0), REFRESH_MS), said: {} })
  })
  const used = createUsed(feeds)
  const say = createSay(feeds, options)
  let work: Promise<void> = Promise.resolve()
  let closed: Promise<void> | undefined

  const refresh: Places['refresh'] = (all = false) => {
    work = work.then(async () => {
      // One after the other: of what a table takes to make, only one is in memory.
      for (const feed of feeds) {
        if (!closing.signal.aborted && (all || monotonic() >= feed.dueAt))
          await refreshOne(feed, used.changed, monotonic, all)
      }
      if (!closing.signal.aborted) say()
    })
    return work
  }
  say()
  void refresh()
  const timer = setInterval(() => void refresh(), TICK_MS)

  return {
    find: (address) => used.find(address),
    operations: placeOperations({ files: used.files, sources: feeds, refresh }),
    metrics: metricsOf(feeds, used.files, now),
    isCreditDue: () => used.files().some(({ type }) => /^(?:city ipv[46]$|DBIP)/i.test(type)),
    refresh,
    close: () =>
      (closed ??= (async () => {
        clearInterval(timer)
        closing.abort()
        await work
        for (const { close } of used.files()) close()
      })()),
  }
}

/** What look-ups read: all sources in order, or the bundled data while none can be used. */
function createUsed(feeds: readonly Source[]) {
  let standIn: PlaceFile[] = []
  let files: PlaceFile[] = []
  let find: FindPlace
  const changed = () => {
    const own = feeds.flatMap((feed) => feed.files)
    if (own.length === 0 && feeds.length > 0 && standIn.length === 0) standIn = openBundledSource().files
    if (own.length > 0) standIn = closed(standIn)
    const added = (own.length > 0 ? own : standIn).filter((file) => !files.includes(file))
    files = own.length > 0 ? own : standIn
    find = createFind(files)
    // What cannot be read is told by look-ups' results.
    const readAhead = () => added.forEach((file) => void file.readAhead?.().catch(() => {}))
    setTimeout(readAhead, READ_AHEAD_MS).unref()
  }
  changed()
  return { changed, files: () => files, find: (address: string) => find(address) }
}

function closed(files: readonly PlaceFile[]): PlaceFile[] {
  for (const { close } of files) close()
  return []
}

async function refreshOne(feed: Fed, changed: () => void, monotonic: () => number, isAsked: boolean): Promise<void> {
  try {
    const replaced = await feed.refresh(isAsked)
    if (feed.name !== 'bundled') feed.fault = null
    feed.dueAt = monotonic() + (feed.isRemote ? REFRESH_MS : 0)
    if (replaced === undefined) return
    changed()
    for (const { close } of replaced) close()
  } catch (error) {
    feed.fault = plainFault(error)
    feed.dueAt = monotonic() + (feed.isRemote ? RETRY_MS : 0)
  }
}

/** Says what is wrong with a source, and that its data are old, once each. */
function createSay(feeds: readonly Fed[], { now, monotonic, log }: PlacesOptions): () => void {
  // Whoever has just installed has nothing to renew.
  const bundledFrom = monotonic() + HOUR_MS
  return () => {
    for (const { name, files, fault, said } of feeds) {
      if (fault !== null && fault !== said.fault)
        log.warn(`GEOIP_DB: ${name} cannot be used (${fault}): ${instead(files)}`)
      said.fault = fault
      const builtAt = oldest(files)
      const days = Math.floor((now() - builtAt) / DAY_MS)
      if (!(days > OLD_DAYS) || builtAt === said.builtAt || (name === 'bundled' && monotonic() < bundledFrom)) continue
      said.builtAt = builtAt
      const how =
        name === 'bundled' ? 'GEOIP_DB takes a URL, which is renewed each month' : 'renew it, as addresses move'
      log.warn(`GEOIP_DB: ${name} was built ${days} days ago: ${how}`)
    }
  }
}

function instead(files: readonly PlaceFile[]): string {
  return files.length > 0 ? 'its last good state stays in use' : 'the other sources answer, or else the bundled one'
}

/** When the oldest of the files was built; NaN without any. */
function oldest(files: readonly PlaceFile[]): number {
  return files.length === 0 ? Number.NaN : Math.min(...files.map(({ builtAt }) => builtAt))
}

function metricsOf(feeds: readonly Source[], files: () => readonly PlaceFile[], now: () => number): Metric[] {
  return [
    {
      name: 'quirl_places_age_seconds',
      help: 'Age of the oldest database of places in use; 0 without any',
      type: 'gauge',
      read: () => (files().length === 0 ? 0 : Math.round((now() - oldest(files())) / 1000)),
    },
    {
      name: 'quirl_places_failing',
      help: 'Sources of places that cannot be used, or whose last refresh was not taken over',
      type: 'gauge',
      read: () => feeds.filter(({ fault }) => fault !== null).length,
    },
  ]
}
