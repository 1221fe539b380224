import type { OperatorOperations } from '../operator/socket.ts'
import { asObject } from '../http/body.ts'
import { invalidRequest, Problem } from '../http/problem.ts'
import { readPatiently } from '../db/patience.ts'
import { yieldEvery } from '../lib/yield-every.ts'
import { storedLinkOfCode } from '../links/deleted.ts'
import type { Link, Warning } from '../links/link.ts'
import { linksSuspendedByRuling } from '../links/suspension.ts'
import { untellReported, warn } from '../links/warning.ts'
import { canonicalise } from './canonical.ts'
import { expressions, wideLimits } from './expressions.ts'
import type { Feeds, ListStatus } from './feeds.ts'
import type { OwnListed } from './own-listed.ts'
import type { Rulings } from './rulings.ts'
import { addressesOf, type Hit, type ListedHost, type Screening } from './screen.ts'
import { firstDay } from './reporters.ts'
import {
  deleteReport,
  insertAudit,
  newestAudit,
  openReports,
  type AuditRow,
  type LinkReports,
  type Ruling,
} from './store.ts'
import { codeInPath, readSubject } from './subject.ts'
import { reinstateLink, suspendLink, suspensionFor, type SuspensionDeps } from './suspension.ts'
import type { Sweep } from './sweep.ts'
import { linkOfCode } from '../links/look-up.ts'

type LinkDeps = Parameters<typeof storedLinkOfCode>[0]

/** What reading a code needs of the rest of the program. */
export type CodeDeps = LinkDeps & Pick<OperatorDeps, 'owns'>

export interface OperatorDeps extends SuspensionDeps {
  /** Whether a URL is one of the service. */
  owns: (url: URL) => boolean
  rulings: Rulings
  screening: Screening
  feeds: Feeds
  sweep: Sweep
  ownListed: Pick<OwnListed, 'find'>
}

/** The result of `block`: the code of the suspended link, or the blocked expression. */
export interface BlockResult {
  code?: string
  expression?: string
  /** The code of a link that is not blocked, of which the URL is the short URL if its host leads to this service. */
  alsoCode?: string
}

/** The result of `unblock`: the reinstated code, or what happened to an expression. */
export type UnblockResult =
  | {
      code: string
      /** The short URL that was given, when links that name it stay blocked, and what blocks them. */
      shortUrl?: { expression: string; blockedBy: BlockedBy }
    }
  | {
      code?: undefined
      expression: string
      /** Whether an allow ruling was added, because the expression is on a list. */
      allowed: boolean
      /** The number of reinstated links. */
      reinstated: number
      /** What still blocks the expression. */
      blockedBy: BlockedBy | null
    }

/** An expression that blocks another one, of a list or else of the operator. */
export interface BlockedBy {
  expression: string
  list?: string
}

export interface RulingsResult {
  rulings: Ruling[]
}

export interface ReportsResult {
  reports: LinkReports[]
  /** Whether more links are reported than these. */
  hasMore: boolean
}

export interface AuditResult {
  audit: AuditRow[]
  /** The entry before which older ones are, which are not among these. */
  before: number | null
}

export interface ListsResult {
  lists: ListStatus[]
  /** The service's own host where a list has it: no link is blocked for that. */
  own: ListedHost | null
  sweeping: boolean
}

const MAX_ROWS = 200
/** How long visits may wait while links are compared with what is no longer blocked, in milliseconds. */
const SLICE_MS = 5
const MAX_REASON = 500

/** Without a BASE_URL the short URLs of a service have a loopback host, to which no link may lead. */
const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

/** The operations of `quirl block`, `unblock`, `warn`, `unwarn`, `entries`, `reports`, `lists` and `audit`. */
export function abuseOperations(options: OperatorDeps): OperatorOperations {
  const owns = (url: URL) => options.owns(url) || loopback.test(url.hostname)
  const deps = { ...options, owns }
  return {
    block: (input) => block(deps, input),
    unblock: (input) => unblock(deps, input),
    warn: (input) => setWarning(deps, input, true),
    unwarn: (input) => setWarning(deps, input, false),
    async entries({ forget }): Promise<RulingsResult> {
      if (forget !== undefined) await forgetRuling(deps, forget)
      return { rulings: [...deps.rulings.all().values()] }
    },
    async reports(): Promise<ReportsResult> {
      const reports = await openReports(deps.db.read, firstDay(deps.now()), MAX_ROWS + 1)
      return { reports: reports.slice(0, MAX_ROWS), hasMore: reports.length > MAX_ROWS }
    },
    dismiss: (input) => dismiss(deps, input),
    async audit({ before }): Promise<AuditResult> {
      const found = await newestAudit(deps.db.read, MAX_ROWS + 1, readEntry(before))
      const audit = found.slice(0, MAX_ROWS)
      return { audit, before: found.length > MAX_ROWS ? (audit.at(-1)?.id ?? null) : null }
    },
    async lists({ refresh, accept }): Promise<ListsResult> {
      if (refresh === true || accept === true) await deps.feeds.refresh({ all: true, accept: accept === true })
      return { lists: deps.feeds.status(), own: deps.ownListed.find() ?? null, sweeping: deps.sweep.isRunning() }
    },
  }
}

async function block(deps: OperatorDeps, input: Record<string, unknown>): Promise<BlockResult> {
  const isLegal = asObject(input)['legal'] === true
  const reason = readReason(input)
  const subject = readSubject(input['subject'], deps.owns)
  const at = deps.now()
  if ('expression' in subject) {
    const { expression } = subject
    await deps.rulings.put({ expression, verdict: 'block', reason, isLegal, createdAt: at })
    deps.sweep.start(true)
    return { expression, ...(await findCodeInPath(deps, expression)) }
  }
  const source = isLegal ? 'legal' : 'operator'
  const link = await updateStored(deps, subject.code, (found) =>
    suspendLink(deps, found, { at, reason, source, expression: null }, source, 'operator'),
  )
  return { code: link.code }
}

/** Anybody can have a name lead here without registering it: what it is for is not known, so what was meant is not guessed. */
async function findCodeInPath(deps: OperatorDeps, expression: string): Promise<Pick<BlockResult, 'alsoCode'>> {
  const url = URL.parse(`http://${expression}`)
  const code = url === null ? undefined : codeInPath(url)
  const link = code === undefined ? undefined : await readPatiently(() => linkOfCode(deps, code))
  return typeof link === 'object' && link.suspension === null ? { alsoCode: link.code } : {}
}

async function unblock(deps: OperatorDeps, input: Record<string, unknown>): Promise<UnblockResult> {
  const reason = readReason(input)
  // A custom domain can be allowed, and a rule of before a host became the service's own deleted.
  const subject = readSubject(input['subject'], deps.owns, true)
  if ('expression' in subject) return unblockExpression(deps, subject.expression, reason)
  const { code, shortUrl } = subject
  const blockedBy = shortUrl === undefined ? undefined : deps.screening.find(shortUrl)
  const isNamed = blockedBy !== undefined || (shortUrl !== undefined && isRuledOut(deps, shortUrl))
  if (shortUrl !== undefined && isNamed && !(await isSuspended(deps, code)))
    return unblockExpression(deps, shortUrl, reason)
  const link = await unblockCode(deps, code, reason)
  return { code: link.code, ...(shortUrl && blockedBy && { shortUrl: { expression: shortUrl, blockedBy } }) }
}

async function unblockExpression(deps: OperatorDeps, expression: string, reason: string): Promise<UnblockResult> {
  const { rulings, screening, now } = deps
  const hadRuling = isRuledOut(deps, expression) && (await rulings.remove(expression, 'unblock', reason))
  const isListed = !hadRuling && screening.find(expression) !== undefined
  if (isListed) await rulings.put({ expression, verdict: 'allow', reason, isLegal: false, createdAt: now() })
  if (!hadRuling && !isListed) throw notBlocked(deps, expression)
  const reinstated = await reinstateBelow(deps, expression, reason)
  return { expression, allowed: isListed, reinstated, blockedBy: screening.find(expression) ?? null }
}

/** Whether the operator has a rule that blocks an expression, also one of before its host became the service's own. */
const isRuledOut = ({ rulings }: OperatorDeps, expression: string) => rulings.all().get(expression)?.verdict === 'block'

/** Whether a link has a code and is blocked, also one that its owner can bring back. */
async function isSuspended(deps: LinkDeps, code: string): Promise<boolean> {
  const link = await readPatiently(async () => (await storedLinkOfCode(deps, code)) ?? linkOfCode(deps, code))
  return typeof link === 'object' && link.suspension !== null
}

function notBlocked({ screening }: OperatorDeps, expression: string): Problem {
  const [host = ''] = expression.split('/')
  if (!screening.isOwnHost(host)) return new Problem('not_found', `nothing blocks ${expression}`)
  const listing = screening.listingOf(host)
  const by = listing === undefined ? '' : `; the list ${listing.list} names it, ask its publisher why`
  return new Problem('not_found', `${host} is this service itself: lists and rules block no link for naming it${by}`)
}

async function unblockCode(deps: OperatorDeps, code: string, reason: string): Promise<Link> {
  return updateStored(deps, code, async (link) => {
    if (link.suspension === null) throw new Problem('invalid_request', `${link.code} is not blocked`)
    const hit = deps.screening.findInLink(link)
    if (hit !== undefined) {
      const by = hit.list === undefined ? 'your rules block' : `the list ${hit.list} has`
      throw new Problem('target_blocked', `${link.code} leads to what ${by}: "quirl unblock ${hit.expression}" first`)
    }
    return reinstateLink(deps, link, reason)
  })
}

/**
 * Reinstates the links that were suspended for what an expression covers, and that nothing blocks any more. One that something else
 * blocks counts as suspended for that from then on, so that its end reinstates the link.
 */
async function reinstateBelow(deps: OperatorDeps, expression: string, reason: string): Promise<number> {
  let reinstated = 0
  const pause = yieldEvery(SLICE_MS)
  for await (const link of linksSuspendedByRuling(deps.db)) {
    await pause()
    if (!isSuspendedBelow(link, expression)) continue
    const hit = deps.screening.findInLink(link)
    if (hit === undefined) reinstated += Number(await reinstateLink(deps, link, reason))
    else await suspendFor(deps, link, hit)
  }
  return reinstated
}

/** Whether the address for which a link was suspended is covered by an expression. */
function isSuspendedBelow(link: Link, expression: string): boolean {
  const cause = link.suspension?.expression ?? ''
  return addressesOf(link).some((url) => {
    const all = expressions(canonicalise(url), wideLimits)
    return all.includes(expression) && all.includes(cause)
  })
}

/** Notes what suspends a link that is suspended already. */
async function suspendFor(deps: OperatorDeps, link: Link, hit: Hit): Promise<void> {
  if (link.suspension === null || link.suspension.expression === hit.expression) return
  const suspension = suspensionFor(hit, link.suspension.at)
  await suspendLink(deps, link, suspension, hit.list ?? suspension.source, 'operator')
}

async function forgetRuling(deps: OperatorDeps, text: unknown): Promise<void> {
  const subject = readSubject(text, deps.owns, true)
  const expression = 'expression' in subject ? subject.expression : subject.shortUrl
  const isDeleted = expression !== undefined && (await deps.rulings.remove(expression, 'forget', ''))
  if (!isDeleted) throw new Problem('not_found', `there is no rule for ${String(text)}`)
  deps.sweep.start(true)
}

/** Warns visitors of a code, again with another reason, or no longer. */
async function setWarning(deps: OperatorDeps, input: Record<string, unknown>, on: boolean): Promise<{ code: string }> {
  const reason = readReason(input)
  const warning = on ? { reason, at: deps.now() } : null
  const { code } = await updateStored(deps, readCode(deps, input), async (link) => {
    if (link.suspension !== null) throw new Problem('invalid_request', `${link.code} is blocked`)
    if (!on && link.warning === null) throw new Problem('invalid_request', `${link.code} has no warning`)
    return setWarningOf(deps, link, warning, reason)
  })
  return { code }
}

/** @throws {Problem} 400 when the subject is not a code */
export function readCode({ owns }: Pick<CodeDeps, 'owns'>, input: Record<string, unknown>): string {
  const subject = readSubject(input['subject'], owns)
  if (!('code' in subject)) throw invalidRequest([{ pointer: '/subject', detail: 'must be a code' }])
  return subject.code
}

async function dismiss(deps: OperatorDeps, input: Record<string, unknown>): Promise<{ code: string }> {
  const reason = readReason(input)
  const { id, code } = await requireLink(deps, readCode(deps, input))
  const audit = { at: deps.now(), action: 'dismiss', subject: code, source: 'operator', reason }
  const isDone = await deps.db.urgent('operator', async (transaction) => {
    const deleted = await deleteReport(transaction, id)
    if (deleted) await insertAudit(transaction, audit)
    if (deleted) await untellReported(transaction, id)
    return deleted
  })
  if (!isDone) throw new Problem('not_found', `there are no reports of ${code}`)
  return { code }
}

/** The number of an entry of the audit log. */
function readEntry(entry: unknown): number | undefined {
  if (entry === undefined) return undefined
  const id = typeof entry === 'string' && /^\d{1,15}$/.test(entry) ? Number(entry) : undefined
  if (id === undefined) {
    throw invalidRequest([{ pointer: '/before', detail: 'must be the number of an entry, with 15 digits at most' }])
  }
  return id
}

/** The reason that the operator gave; empty when there is none, which pages leave out. */
export function readReason({ reason = '' }: Record<string, unknown>): string {
  if (typeof reason !== 'string' || reason.length > MAX_REASON) {
    throw invalidRequest([{ pointer: '/reason', detail: `must be a text of at most ${MAX_REASON} characters` }])
  }
  return reason.trim()
}

/**
 * Reads a link, also one that its owner has deleted and can bring back: as it is then, and updates it. Retries when the link was changed in
 * between, for which `update` returns false.
 */
async function updateStored(deps: LinkDeps, code: string, update: (link: Link) => Promise<boolean>): Promise<Link> {
  for (;;) {
    const link = (await readPatiently(() => storedLinkOfCode(deps, code))) ?? (await requireLink(deps, code))
    if (await update(link)) return link
  }
}

/** @throws {Problem} 404 for an unknown code, 410 for a deleted link */
export async function requireLink(deps: LinkDeps, code: string): Promise<Link> {
  const link = await readPatiently(() => linkOfCode(deps, code))
  if (link === undefined) throw new Problem('unknown_code', `no link has the code ${code}`)
  if (link === 'gone') throw new Problem('code_gone', `the link ${code} was deleted by its owner`)
  return link
}

/**
 * Puts the operator's warning before a link, or takes it away with null, and records that in the audit log, in one transaction.
 * Visits see it when the promise resolves.
 * @returns false when the link was changed or deleted since it was read
 */
async function setWarningOf(
  deps: SuspensionDeps,
  link: Link,
  warning: Warning | null,
  reason: string,
): Promise<boolean> {
  const action = warning === null ? 'unwarn' : 'warn'
  const audit = { at: deps.now(), action, subject: link.code, source: 'operator', reason }
  const isDone = await deps.db.urgent('operator', async (transaction) => {
    if (!(await warn(transaction, link, warning))) return false
    await insertAudit(transaction, audit)
    await deps.webhooks.onChange(transaction, link, { ...link, warning, revision: link.revision + 1 })
    return true
  })
  deps.invalidate(link.code)
  return isDone
}
