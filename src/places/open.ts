import { join } from 'node:path'
import type { OperatorOperations } from '../operator/socket.ts'
import type { Metric } from '../http/metric.ts'
import type { Fetch } from '../lib/obtain.ts'
import { createFindPlace, type FindPlace } from './find.ts'
import { openTableCache } from './table-cache.ts'
import { placeOperations } from './operator.ts'
import type { PlaceFile } from './record.ts'
import { openBundledSource, openSource, reasonOf, RETRY_MS, type Source } from './source.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
/** Older data are logged: most likely, nothing updates them any more. */
const OLD_DAYS = 90

/** Looks up the places of addresses, in databases on the disk. */
export interface Places {
  find: FindPlace
  operations: OperatorOperations
  metrics: Metric[]
  /** Whether data of DB-IP are in use, whose licence requires a link on pages. */
  isCreditDue: () => boolean
  /** Refreshes the sources that are due, or all. */
  refresh: (all?: boolean) => Promise<void>
  close: () => Promise<void>
}

export interface PlacesOptions {
  /** Files, https URLs and `bundled`; the first one with a place for an address is used. */
  sources: readonly string[]
  dataDir: string
  now: () => number
  monotonic: () => number
  fetch: typeof globalThis.fetch
  log: { warn: (text: string) => void }
}

/** The interval of the check for due sources. */
const TICK_MS = 60_000
/** The interval of downloads; publishers update monthly. */
const REFRESH_MS = 30 * 86_400_000
/** The delay before tables are loaded into the system's cache, so that a start has the disk and the processor. */
const READ_AHEAD_MS = 2_000
/** The time-out of a download. */
const TIMEOUT_MS = 600_000

interface ScheduledSource extends Source {
  /** On the monotonic clock. */
  dueAt: number
}

/** Opens what is available at once, and refreshes the sources in the background. */
export function openPlaces(options: PlacesOptions): Places {
  const { monotonic } = options
  const closing = new AbortController()
  const sources = openSources(options, closing.signal)
  const lookup = createLookup(sources)
  const logChanges = createSourceLog(sources, options)
  let work: Promise<void> = Promise.resolve()
  let closed: Promise<void> | undefined

  const refresh: Places['refresh'] = (all = false) => {
    work = work.then(async () => {
      // One at a time: a conversion takes much memory.
      for (const source of sources) {
        if (!closing.signal.aborted && (all || monotonic() >= source.dueAt))
          await refreshOne(source, lookup.update, monotonic, all)
      }
      if (!closing.signal.aborted) logChanges()
    })
    return work
  }
  logChanges()
  void refresh()
  const timer = setInterval(() => void refresh(), TICK_MS)

  return {
    find: lookup.find,
    operations: placeOperations({ files: lookup.files, sources, refresh }),
    metrics: metricsOf(sources, lookup.files),
    isCreditDue: () => lookup.files().some(({ type }) => /^(?:city ipv[46]$|DBIP)/i.test(type)),
    refresh,
    close: () =>
      (closed ??= (async () => {
        clearInterval(timer)
        closing.abort()
        await work
        closeAll(lookup.files())
      })()),
  }
}

function openSources(options: PlacesOptions, closing: AbortSignal): ScheduledSource[] {
  const { now, monotonic } = options
  const fetch: Fetch = (url, headers) => {
    const signal = AbortSignal.any([closing, AbortSignal.timeout(TIMEOUT_MS)])
    return options.fetch(url, { headers, signal, redirect: 'manual' })
  }
  const tables = openTableCache(join(options.dataDir, 'places'), options.sources)
  return options.sources.map((setting) => {
    const source = openSource(setting, { tables, now, fetch, signal: closing })
    const delay = source.takenAt === undefined ? 0 : source.takenAt + REFRESH_MS - now()
    return Object.assign(source, { dueAt: monotonic() + Math.min(Math.max(delay, 0), REFRESH_MS) })
  })
}

/** Looks up addresses in the files of all sources, or in the bundled files while no source has any. */
function createLookup(sources: readonly Source[]) {
  let fallback: PlaceFile[] = []
  let files: PlaceFile[] = []
  let find: FindPlace
  const update = () => {
    const own = sources.flatMap((source) => source.files)
    if (own.length === 0 && sources.length > 0 && fallback.length === 0) fallback = openBundledSource().files
    if (own.length > 0) fallback = closeAll(fallback)
    const added = (own.length > 0 ? own : fallback).filter((file) => !files.includes(file))
    files = own.length > 0 ? own : fallback
    find = createFindPlace(files)
    // A file that cannot be read shows in the look-ups.
    const readAhead = () => added.forEach((file) => void file.readAhead?.().catch(() => {}))
    setTimeout(readAhead, READ_AHEAD_MS).unref()
  }
  update()
  return { update, files: () => files, find: (address: string) => find(address) }
}

function closeAll(files: readonly PlaceFile[]): PlaceFile[] {
  for (const { close } of files) close()
  return []
}

/** @param isForced whether the operator requested it */
async function refreshOne(
  source: ScheduledSource,
  onReplaced: () => void,
  monotonic: () => number,
  isForced: boolean,
): Promise<void> {
  try {
    const replaced = await source.refresh(isForced)
    if (source.name !== 'bundled') source.fault = null
    source.dueAt = monotonic() + (source.isRemote ? REFRESH_MS : 0)
    if (replaced === undefined) return
    onReplaced()
    closeAll(replaced)
  } catch (error) {
    source.fault = reasonOf(error)
    source.dueAt = monotonic() + (source.isRemote ? RETRY_MS : 0)
  }
}

function metricsOf(sources: readonly Source[], files: () => readonly PlaceFile[]): Metric[] {
  return [
    {
      name: 'quirl_places_built_timestamp_seconds',
      help: 'When the oldest database of places in use was built; 0 without any',
      type: 'gauge',
      read: () => (files().length === 0 ? 0 : oldest(files()) / 1000),
    },
    {
      name: 'quirl_places_failing',
      help: 'Sources of places that cannot be used, or whose last refresh failed',
      type: 'gauge',
      read: () => sources.filter(({ fault }) => fault !== null).length,
    },
  ]
}

interface SourceLogOptions {
  now: () => number
  monotonic: () => number
  log: { warn: (text: string) => void }
}

/** Returns a function that logs new faults of sources, and that their data are old; each once. */
function createSourceLog(sources: readonly Source[], { now, monotonic, log }: SourceLogOptions): () => void {
  // A new installation has nothing newer to install.
  const bundledFrom = monotonic() + HOUR_MS
  const states = sources.map((source) => ({ source, fault: null as string | null, builtAt: Number.NaN }))
  return () => {
    for (const state of states) {
      const { name, files, fault } = state.source
      if (fault !== null && fault !== state.fault) {
        log.warn(`GEOIP_DB: ${name} cannot be used (${fault}): ${consequence(files)}`)
      }
      state.fault = fault
      const builtAt = oldest(files)
      const days = Math.floor((now() - builtAt) / DAY_MS)
      if (!(days > OLD_DAYS) || builtAt === state.builtAt || (name === 'bundled' && monotonic() < bundledFrom)) continue
      state.builtAt = builtAt
      const advice =
        name === 'bundled' ? 'GEOIP_DB takes a URL, which is updated each month' : 'update it, as addresses move'
      log.warn(`GEOIP_DB: ${name} was built ${days} days ago: ${advice}`)
    }
  }
}

function consequence(files: readonly PlaceFile[]): string {
  return files.length > 0 ? 'the last good version stays in use' : 'the other sources are used, or else the bundled one'
}

/** The build time of the oldest file; NaN without files. */
function oldest(files: readonly PlaceFile[]): number {
  return files.length === 0 ? Number.NaN : Math.min(...files.map(({ builtAt }) => builtAt))
}
