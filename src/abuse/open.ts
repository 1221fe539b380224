import { join } from 'node:path'
import type { AdminOperations } from '../admin/socket.ts'
import type { Metric } from '../http/metrics.ts'
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

/** What keeps links from leading to what harms people. */
export interface Abuse {
  /** For every URL that a link shall get. */
  screen: Screen
  /**
   * Notes a report of a code, and nothing of who makes it.
   * @param owns whether a URL is one of ours, so that its path is a code
   * @returns the code as its owner wrote it
   * @throws {Problem} 400 for a bad field, 404 for an unknown code, 410 or 451 for one that is gone already
   */
  report: (body: unknown, owns: (url: URL) => boolean) => Promise<string>
  /** Why not every list has been loaded yet; undefined when all have, now or by a former run. */
  notReady: () => string | undefined
  /** To be called when what the operator says may have been changed without that being known here. */
  reread: () => void
  operations: AdminOperations
  metrics: Metric[]
  close: () => Promise<void>
}

/** What screening needs of the rest of the program. */
export interface AbuseNeeds extends SuspensionDeps {
  dataDir: string
  monotonic: () => number
  /** Files and URLs of lists. */
  sources: string[]
  owns: (url: URL) => boolean
  fetch: typeof globalThis.fetch
  log: SweepDeps['log'] & { warn: (details: object, text: string) => void }
  /** How long a sweep waits after the lists have changed, when it is not the usual time. */
  settleMs?: number | undefined
}

export async function openAbuse(options: AbuseNeeds): Promise<Abuse> {
  const { db, now, monotonic, log, owns, fetch } = options
  const rules = await openOperatorRules(db, now)
  const files = openListFiles(join(options.dataDir, 'lists'))
  const startSweep = () => {
    if (rules.all().size > 0 || feeds.lists().length > 0) sweep.start()
  }
  const feeds: Feeds = openFeeds({
    sources: options.sources,
    files,
    now,
    monotonic,
    fetch,
    parse: parseList,
    onChange: startSweep,
    log,
  })
  const screening = createScreening({ salt: feeds.salt, lists: feeds.lists, rules: rules.all })
  const sweep = createSweep({
    ...options,
    findInLink: screening.findInLink,
    digest: () => `${feeds.digest()} ${rules.revision()}`,
  })
  startSweep()

  return {
    screen(url) {
      const hit = screening.find(url)
      return hit && detailOf(hit)
    },
    report: (body, isOurs) => submitReport({ db, now }, body, isOurs),
    notReady() {
      const missing = feeds.status().find(({ takenAt }) => takenAt === undefined)
      if (missing === undefined) return undefined
      return `the list ${missing.name} has not been loaded yet${missing.fault === null ? '' : `: ${missing.fault}`}`
    },
    reread() {
      const onError = (err: unknown) => log.error({ err }, 'the rules of the operator could not be loaded again')
      rules.reload().then(startSweep, onError)
    },
    operations: abuseOperations({ ...options, owns, rules, screening, feeds, sweep }),
    metrics: [
      {
        name: 'quirl_abuse_list_entries',
        help: 'Hosts and URLs on the abuse lists in use',
        type: 'gauge',
        read: () => feeds.status().reduce((sum, { entries = 0 }) => sum + entries, 0),
      },
      {
        name: 'quirl_abuse_lists_failing',
        help: 'Abuse lists whose last refresh was not taken over',
        type: 'gauge',
        read: () => feeds.status().filter(({ fault }) => fault !== null).length,
      },
    ],
    async close() {
      await feeds.close()
      await sweep.close()
    },
  }
}

function detailOf({ expression, list }: Hit): string {
  if (list === undefined) return `is blocked by the operator of this service (${expression})`
  return `is listed as malware or phishing (${expression}, by ${list})`
}
