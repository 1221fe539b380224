import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { OperatorOperations } from '../operator/socket.ts'
import type { Bus } from '../bus/bus.ts'
import type { Database } from '../db/database.ts'
import { createLeases } from '../db/lease.ts'
import type { AnyMetric, Metric } from '../http/metric.ts'
import type { Screen } from '../links/url-policy.ts'
import { openFeeds, type Feeds, type ListStatus } from './feeds.ts'
import type { ListSource } from './list-sources.ts'
import { findFolderSalt, openListFiles, type ListFiles } from './list-files.ts'
import { abuseOperations } from './operator.ts'
import { createOwnListed } from './own-listed.ts'
import { reinstateOwn } from './reinstate-own.ts'
import { openRulings } from './rulings.ts'
import { deleteReportersBefore } from './reporter-store.ts'
import { firstDay } from './reporters.ts'
import { findOrInsertSalt } from './salt-store.ts'
import { createScreening, type Hit } from './screen.ts'
import { createSweep, type SweepDeps } from './sweep.ts'
import { submitReport, type ReportSource } from './reports.ts'
import { countUnhandled } from './store.ts'
import { startTelling, type ReportDeps } from './telling.ts'
import type { SuspensionDeps } from './suspension.ts'
import { throttle } from '../lib/throttle.ts'
import { withThread, type Thread } from '../lib/thread-calls.ts'
import type { ParseCalls, ParsedList, ParseTask } from './parse-thread.ts'

/** A list that has never been loaded, and why; null before its first try ends. */
export type MissingList = Pick<ListStatus, 'name' | 'fault'>
/** Heap limits in MiB: a list is parsed in batches of lines. */
const HEAP = { maxYoungGenerationSizeMb: 16, maxOldGenerationSizeMb: 128 }

/** Screening of links by lists and rulings, and abuse reports. */
export interface Abuse {
  /** Screens each URL of a new or changed link. */
  screen: Screen
  /** Identifies what `screen` compares with: the contents of all lists, and the rulings. */
  screenedBy: () => string
  /** Stores a report of a harmful code, as `submitReport` does. */
  report: (body: unknown, source: ReportSource) => Promise<string>
  /** Why a list that the operator named is missing; undefined when each has been loaded once, also by a former process. */
  notReady: () => string | undefined
  /** The recommended lists that have never been loaded: links are not compared with them. */
  missingLists: () => MissingList[]
  /**
   * Loads the rulings again. Call it when another process may have changed them, or the store although it reported a failure.
   * @param keys what other processes have announced
   */
  reloadRulings: (keys?: string[]) => void
  operations: OperatorOperations
  metrics: AnyMetric[]
  close: () => Promise<void>
}

export interface AbuseNeeds extends SuspensionDeps, Pick<ReportDeps, 'threshold'> {
  webhooks: SuspensionDeps['webhooks'] & ReportDeps['webhooks']
  bus: Bus
  dataDir: string
  monotonic: () => number
  sources: ListSource[]
  owns: (url: URL) => boolean
  /** Whether a host is the service's own: custom domains are not, since strangers make them lead here and elsewhere. */
  isOwnHost: (host: string) => boolean
  /** The service's own host; undefined when it has none. */
  ownHost: string | undefined
  fetch: typeof globalThis.fetch
  log: SweepDeps['log'] & { warn: (details: object, text: string) => void }
  /** Overrides the time that a sweep waits after a change of the lists. */
  sweepWaitMs?: number | undefined
}

/** The key under which the topic of rulings has changes of lists. */
const LISTS = 'lists'

export async function openAbuse(needs: AbuseNeeds): Promise<Abuse> {
  const { db, bus, now } = needs
  const rulings = await openRulings(db, now, () => bus.publish('rules', ''))
  const files = await openFiles(needs)
  const startSweep = (hasChanged: boolean) => {
    if (rulings.all().size > 0 || feeds.lists().length > 0) sweep.start(hasChanged)
  }
  const feeds: Feeds = openFeeds({
    ...needs,
    files,
    parse: (task) => parseList(task),
    onChange(isFirst) {
      if (isFirst) bus.publish('rules', LISTS)
      startSweep(true)
      ownListed.tell()
    },
  })
  const { screening, ownListed, screenedBy } = openScreening(needs, feeds, rulings)
  const sweep = openSweep(needs, { screening, screenedBy, files })
  ownListed.tell()
  startSweep(files.isChanged())
  const reloads = startReloads(needs, async () => startSweep(await rulings.reload()))
  const repeated = [startForgetting(needs), startTellingOf(needs)]

  return {
    screen: (url) => detailOf(screening.find(url)),
    screenedBy,
    report: (body, source) => submitReport(needs, body, source),
    notReady: () => missingList(feeds),
    missingLists: () => missingOf(feeds).filter(({ isRecommended }) => isRecommended),
    reloadRulings(keys = []) {
      if (keys.includes(LISTS)) feeds.expire()
      reloads.run()
    },
    operations: abuseOperations({ ...needs, rulings, screening, feeds, sweep, ownListed }),
    metrics: [...listMetrics(feeds), reportedMetric(db)],
    close: () => closeAll(reloads, ...repeated, feeds, sweep),
  }
}

type Rulings = Awaited<ReturnType<typeof openRulings>>

function openScreening(needs: AbuseNeeds, feeds: Feeds, rulings: Rulings) {
  const { salt, lists, digest } = feeds
  const screening = createScreening({ salt, lists, rulings: rulings.all, isOwnHost: needs.isOwnHost })
  const ownListed = createOwnListed({ ...needs, listingOf: screening.listingOf })
  // While a list names the service, a sweep reinstates what was blocked for that.
  const ofOwn = () => (ownListed.find() === undefined ? [] : ['own'])
  const screenedBy = () => [digest(), rulings.revision(), ...ofOwn()].join(' ')
  return { screening, ownListed, screenedBy }
}

interface Swept {
  screening: ReturnType<typeof createScreening>
  screenedBy: () => string
  files: ListFiles
}

function openSweep(needs: AbuseNeeds, { screening, screenedBy, files }: Swept) {
  return createSweep({
    ...needs,
    acquire: createLeases(needs.db, needs.monotonic, 'takedown'),
    findInLink: screening.findInLink,
    onFinished: () => reinstateOwn(needs, screening),
    digest: screenedBy,
    onRequested: files.clearChange,
    waitMs: needs.sweepWaitMs,
  })
}

function startTellingOf(needs: AbuseNeeds) {
  const onError = (err: unknown) =>
    needs.log.error({ err }, 'operator and owners could not be told of reports; it is tried again in a second')
  return startTelling(needs, throttle(MINUTE_MS, needs.monotonic, onError))
}

async function closeAll(...parts: { close: () => Promise<void> | void }[]): Promise<void> {
  for (const part of parts) await part.close()
}

/** Loads the rulings again on call, and as often as what other processes have changed must be seen when a message is lost. */
function startReloads({ bus, log }: AbuseNeeds, reload: () => Promise<void>) {
  const onError = (err: unknown) => log.error({ err }, 'the rules of the operator could not be loaded again')
  const run = () => void reload().catch(onError)
  const timer = Number.isFinite(bus.lifeMs) ? setInterval(run, bus.lifeMs).unref() : undefined
  return { run, close: () => clearInterval(timer) }
}

const [MINUTE_MS, HOUR_MS] = [60_000, 3_600_000]

/** Forgets from where links were reported, once that no longer counts. Each process may do so. */
function startForgetting({ db, now, log }: AbuseNeeds) {
  let running = Promise.resolve()
  const run = () => {
    running = deleteReportersBefore(db, firstDay(now())).catch((err: unknown) => {
      log.error({ err }, 'what is known of reporters of 30 days ago could not be deleted; it is tried again in an hour')
    })
  }
  run()
  const timer = setInterval(run, HOUR_MS).unref()
  return {
    async close() {
      clearInterval(timer)
      await running
    },
  }
}

/** Opens the files of the lists. The first process on a store gives it the salt of its folder, so that its lists stay valid. */
async function openFiles({ db, dataDir }: AbuseNeeds): Promise<ListFiles> {
  const folder = join(dataDir, 'lists')
  const salt = findFolderSalt(folder) ?? randomBytes(16).toString('hex')
  return openListFiles(folder, await findOrInsertSalt(db, salt))
}

function missingList(feeds: Feeds): string | undefined {
  const missing = missingOf(feeds).find(({ isRecommended }) => !isRecommended)
  if (missing === undefined) return undefined
  return `the list ${missing.name} has not been loaded yet${missing.fault === null ? '' : `: ${missing.fault}`}`
}

function reportedMetric({ read }: Database): AnyMetric {
  return {
    name: 'quirl_reported_links',
    help: 'Links that people in many networks have reported, and that the operator has neither blocked, warned of nor dismissed',
    type: 'gauge',
    readSlowly: () => countUnhandled(read),
  }
}

function missingOf(feeds: Feeds): ListStatus[] {
  return feeds.status().filter(({ takenAt }) => takenAt === undefined)
}

function listMetrics(feeds: Feeds): Metric[] {
  return [
    {
      name: 'quirl_abuse_list_entries',
      help: 'Hosts and URLs on the abuse lists in use',
      type: 'gauge',
      read: () => feeds.status().reduce((sum, { entries = 0 }) => sum + entries, 0),
    },
    {
      name: 'quirl_abuse_lists_checked_timestamp_seconds',
      help: 'When the loaded list that was checked longest ago was found current or replaced; 0 before, and without lists',
      type: 'gauge',
      read: () => feeds.checkedAt() / 1000,
    },
    {
      name: 'quirl_abuse_lists_failing',
      help: 'Abuse lists whose last refresh failed',
      type: 'gauge',
      read: () => feeds.status().filter(({ fault }) => fault !== null).length,
    },
    {
      name: 'quirl_abuse_lists_missing',
      help: 'Abuse lists that have never been loaded, with which links are not compared',
      type: 'gauge',
      read: () => missingOf(feeds).length,
    },
  ]
}

function detailOf(hit: Hit | undefined): string | undefined {
  if (hit === undefined) return undefined
  const { expression, list } = hit
  if (list === undefined) return `is blocked by the operator of this service (${expression})`
  return `is listed as malware or phishing (${expression}, by ${list})`
}

/** How long a list may take to be read: others wait, also a file of the operator. Five million lines take less than a minute. */
const PARSE_MS = 5 * 60_000

/** Parses the file of a list on a new thread. @throws {Error} when that takes longer than `ms` */
export async function parseList(task: ParseTask, ms = PARSE_MS): Promise<ParsedList> {
  const signal = AbortSignal.timeout(ms)
  const options = { name: 'the thread that parses lists', heap: HEAP, signal }
  const parse = (thread: Thread<ParseCalls>) => thread.call('parse', task)
  try {
    return await withThread(new URL('./parse-thread.ts', import.meta.url), options, parse)
  } catch (error) {
    if (!signal.aborted) throw error
    throw new Error(`it takes longer than ${ms / 60_000} minutes to read`, { cause: error })
  }
}
