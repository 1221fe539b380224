import { join } from 'node:path'
import type { AdminOperations } from '../admin/socket.ts'
import type { Bus } from '../bus/bus.ts'
import type { Metric } from '../http/metric.ts'
import type { Screen } from '../links/url-policy.ts'
import { openFeeds, type Feeds } from './feeds.ts'
import { openListFiles } from './list-files.ts'
import { abuseOperations } from './operator.ts'
import { openOperatorRules } from './operator-rules.ts'
import { parseList } from './parse-list.ts'
import { createScreening, type Hit } from './screen.ts'
import { createSweep, type SweepDeps } from './sweep.ts'
import { submitReport } from './reports.ts'
import type { SuspensionDeps } from './suspension.ts'

/** Screening of links by lists and rules, and abuse reports. */
export interface Abuse {
  /** Screens each URL of a new or changed link. */
  screen: Screen
  /**
   * Stores a report of a harmful code. Nothing about the reporter is stored.
   * @param owns whether a URL is one of this service, so that its path is a code
   * @returns the code in its owner's spelling
   * @throws {Problem} 400 for an invalid field, 404 for an unknown code, 410 or 451 for a deleted or removed one
   */
  report: (body: unknown, owns: (url: URL) => boolean) => Promise<string>
  /** Why a list is missing; undefined when every list has been loaded once, also by a former process. */
  notReady: () => string | undefined
  /** Loads the rules again. Call it when the store may have changed them although it reported a failure. */
  reloadRules: () => void
  operations: AdminOperations
  metrics: Metric[]
  close: () => Promise<void>
}

export interface AbuseNeeds extends SuspensionDeps {
  bus: Pick<Bus, 'publish'>
  dataDir: string
  monotonic: () => number
  /** The files and URLs of lists. */
  sources: string[]
  owns: (url: URL) => boolean
  fetch: typeof globalThis.fetch
  log: SweepDeps['log'] & { warn: (details: object, text: string) => void }
  /** Overrides the time that a sweep waits after a change of the lists. */
  settleMs?: number | undefined
}

export async function openAbuse(needs: AbuseNeeds): Promise<Abuse> {
  const { db, bus, now, log } = needs
  const rules = await openOperatorRules(db, now, () => bus.publish('rules', ''))
  const files = openListFiles(join(needs.dataDir, 'lists'))
  const startSweep = () => {
    if (rules.all().size > 0 || feeds.lists().length > 0) sweep.start()
  }
  const feeds: Feeds = openFeeds({ ...needs, files, parse: parseList, onChange: startSweep })
  const screening = createScreening({ salt: feeds.salt, lists: feeds.lists, rules: rules.all })
  const sweep = createSweep({
    ...needs,
    findInLink: screening.findInLink,
    digest: () => `${feeds.digest()} ${rules.revision()}`,
  })
  startSweep()

  return {
    screen(url) {
      const hit = screening.find(url)
      return hit && detailOf(hit)
    },
    report: (body, owns) => submitReport({ db, now }, body, owns),
    notReady: () => missingList(feeds),
    reloadRules() {
      const onError = (err: unknown) => log.error({ err }, 'the rules of the operator could not be loaded again')
      rules.reload().then(startSweep, onError)
    },
    operations: abuseOperations({ ...needs, rules, screening, feeds, sweep }),
    metrics: listMetrics(feeds),
    async close() {
      await feeds.close()
      await sweep.close()
    },
  }
}

function missingList(feeds: Feeds): string | undefined {
  const missing = feeds.status().find(({ takenAt }) => takenAt === undefined)
  if (missing === undefined) return undefined
  return `the list ${missing.name} has not been loaded yet${missing.fault === null ? '' : `: ${missing.fault}`}`
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
      name: 'quirl_abuse_lists_failing',
      help: 'Abuse lists whose last refresh failed',
      type: 'gauge',
      read: () => feeds.status().filter(({ fault }) => fault !== null).length,
    },
  ]
}

function detailOf({ expression, list }: Hit): string {
  if (list === undefined) return `is blocked by the operator of this service (${expression})`
  return `is listed as malware or phishing (${expression}, by ${list})`
}
