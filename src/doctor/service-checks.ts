import type { ListsResult } from '../abuse/operator.ts'
import type { DomainsResult } from '../domains/operator.ts'
import { describeWaiting, type CertificatesResult } from '../tls/operator.ts'
import { ago, fault, ok, warning, type Check, type Result } from './finding.ts'
import type { ServiceState } from './operator.ts'
import type { CheckedSettings } from './settings.ts'

/** The oldest Node that runs quirl (docs/install.md). */
const MIN_NODE = [24, 12] as const
/** No clock that is set shows a year before this version's, nor one so far ahead. */
const YEARS = [2026, 2100] as const
/** As in deploy/prometheus/alerts.yaml. */
const BEHIND_MS = 300_000
const EXPIRY_MS = 7 * 86_400_000
const LISTS_MS = 86_400_000
const USED = 0.9
const MIN_FILES = 4096
const MIN_MEMORY = 256 * 2 ** 20
const MIB = 2 ** 20

/** What these checks look at. */
export interface ServiceSubject {
  settings: CheckedSettings
  service: ServiceState | undefined
  lists: () => Promise<ListsResult>
  certificates: () => Promise<CertificatesResult>
  domains: () => Promise<DomainsResult>
  node: string
  files: { open: number | null; limit: number | null }
  memory: { used: number; limit: number | null }
  now: () => number
}

export function serviceChecks(subject: ServiceSubject): Check[] {
  const { service } = subject
  return [
    { name: 'node', run: () => checkNode(subject.node) },
    { name: 'clock', run: () => checkYear(subject.now()) },
    { name: 'statistics', run: () => (service === undefined ? [] : checkStatistics(service.metrics, subject.now())) },
    { name: 'lists', run: () => listFindings(subject) },
    { name: 'certificates', run: () => certificateFindings(subject) },
    { name: 'domains', run: () => domainFindings(subject) },
    { name: 'open files', run: () => checkFiles(subject.files) },
    { name: 'memory', run: () => checkMemory(subject.memory) },
  ]
}

async function listFindings({ settings, service, lists, now }: ServiceSubject): Promise<Result[]> {
  if (service === undefined || !settings.hasLists) return []
  const checkedAt = (service.metrics['quirl_abuse_lists_checked_timestamp_seconds'] ?? 0) * 1000
  return checkLists(await lists(), checkedAt, now())
}

async function certificateFindings({ settings, service, certificates, now }: ServiceSubject): Promise<Result[]> {
  return service === undefined || !settings.tls ? [] : checkCertificates(await certificates(), now())
}

/** Names that lead here and were registered by somebody: perhaps they are the operator's, who may not want that. */
async function domainFindings({ service, domains }: ServiceSubject): Promise<Result[]> {
  if (service === undefined) return []
  const open = (await domains()).domains.filter(({ status, proof }) => status === 'active' && proof !== null)
  const [first] = open
  if (first === undefined) return []
  const more = open.length === 1 ? '' : ` and ${open.length - 1} more`
  return [
    warning(
      `${first.name}${more} led here before somebody registered it, and serves pages until its DNS has the TXT record that ` +
        `"quirl domains check ${first.name}" shows: if it is yours, "quirl domains refuse ${first.name}" removes the registration`,
    ),
  ]
}

function checkNode(version: string): Result[] {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const isOld = major < MIN_NODE[0] || (major === MIN_NODE[0] && minor < MIN_NODE[1])
  return [isOld ? fault(`Node ${version} is too old: install ${MIN_NODE.join('.')} or newer`) : ok(`Node ${version}`)]
}

function checkYear(now: number): Result[] {
  const year = new Date(now).getUTCFullYear()
  const text = `it is ${new Date(now).toISOString().slice(0, 16).replace('T', ' ')} UTC by this machine's clock`
  return [year < YEARS[0] || year > YEARS[1] ? fault(`${text}: set it, and keep it by NTP`) : ok(text)]
}

function checkStatistics(metrics: Record<string, number>, now: number): Result[] {
  const [until = 0, backlog = 0] = [
    metrics['quirl_folded_until_timestamp_seconds'],
    metrics['quirl_journal_backlog_bytes'],
  ]
  if (metrics['quirl_fold_failing'] === 1) {
    return [fault('visits do not reach the statistics, and wait in the journal: the log of the service says why')]
  }
  const behind = now - until * 1000
  if (until > 0 && backlog > 0 && behind > BEHIND_MS) {
    return [warning(`the statistics are ${ago(behind)} behind: the processor or the store is too busy`)]
  }
  const lost = metrics['quirl_scans_lost_total'] ?? 0
  if (lost > 0)
    return [
      warning(
        `${lost} visits were not counted, because they could not be written or were damaged: check the disk and the log`,
      ),
    ]
  return [ok('visits reach the statistics')]
}

const named = ({ host, list }: NonNullable<ListsResult['own']>) =>
  warning(
    `${list} names ${host}, which is this service: no link is blocked for that, but browsers may be; ask its publisher why`,
  )

function checkLists({ lists, own }: ListsResult, checkedAt: number, now: number): Result[] {
  const faults = lists.flatMap(({ name, isRecommended, takenAt, fault: reason }) => {
    if (takenAt === undefined) {
      const text = `${name} has never been loaded (${reason ?? 'not yet'})`
      if (isRecommended) return [warning(`${text}: links are not compared with it; it is tried every 5 minutes`)]
      return [fault(`${text}: the service is not ready until it is`)]
    }
    if (reason === null) return []
    return [warning(`${name} could not be refreshed (${reason}): that of ${ago(now - takenAt)} ago is in use`)]
  })
  const found = [...(own === null ? [] : [named(own)]), ...faults]
  if (found.length > 0) return found
  const text = `${lists.length} checked, the last one ${ago(now - checkedAt)} ago`
  return [checkedAt > 0 && now - checkedAt > LISTS_MS ? warning(`${text}: run "quirl lists --refresh"`) : ok(text)]
}

function checkCertificates({ certificates, waiting }: CertificatesResult, now: number): Result[] {
  // Those that wait for their turn are one matter, however many they are.
  const found = certificates.flatMap(({ name, expires_at: expires, queued_at: queued, fault: reason }) => {
    if (expires === null && queued !== null) return []
    const why = reason === null ? 'the log of the service says why' : reason
    if (expires === null) return [fault(`${name} has none: ${why}`)]
    if (expires < now) return [fault(`that of ${name} expired ${ago(now - expires)} ago: ${why}`)]
    return expires - now < EXPIRY_MS
      ? [warning(`that of ${name} expires in ${ago(expires - now)}: ${why}; "quirl certs renew ${name}" tries again`)]
      : []
  })
  if (waiting !== null) found.push(warning(describeWaiting(waiting)))
  return found.length > 0 ? found : [ok(`${certificates.length}, of which none expires within a week`)]
}

function checkFiles({ open, limit }: ServiceSubject['files']): Result[] {
  if (limit === null) return [ok('no limit is known')]
  const advice = 'raise it (ulimit -n, LimitNOFILE= of the unit)'
  if (open !== null && open > limit * USED) return [fault(`${open} of ${limit} are open: ${advice}`)]
  return [
    limit < MIN_FILES
      ? warning(`at most ${limit}, and each connection is one: ${advice}`)
      : ok(`at most ${limit.toLocaleString('en')}`),
  ]
}

function checkMemory({ used, limit }: ServiceSubject['memory']): Result[] {
  const [mine, most] = [used, limit ?? 0].map((bytes) => Math.round(bytes / MIB).toLocaleString('en'))
  if (limit === null) return [ok(`${mine} MiB in use, without a limit`)]
  const text = `${mine} of ${most} MiB in use`
  return [
    used > limit * USED || limit < MIN_MEMORY
      ? warning(`${text}: give the service more (MemoryMax=, --memory)`)
      : ok(text),
  ]
}
