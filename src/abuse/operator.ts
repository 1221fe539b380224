import { asObject } from '../http/body.ts'
import type { AdminOperations } from '../admin/socket.ts'
import { invalidRequest, Problem } from '../http/problem.ts'
import type { Link } from '../links/link.ts'
import { linkOfCode } from '../links/manage.ts'
import { linksRemovedByEntry } from '../links/removal.ts'
import { urlsOf } from '../links/draft.ts'
import { canonicalise } from './canonical.ts'
import { expressions, wideReach } from './expressions.ts'
import type { Feeds } from './feeds.ts'
import type { OwnEntries } from './own-entries.ts'
import type { Screening } from './screen.ts'
import { deleteReport, insertAudit, newestAudit, openReports } from './store.ts'
import { readSubject } from './subject.ts'
import type { Sweep } from './sweep.ts'
import { removeLink, restoreLink, type TakedownDeps } from './suspension.ts'

export interface OperatorDeps extends TakedownDeps {
  owns: (url: URL) => boolean
  own: OwnEntries
  screening: Screening
  feeds: Feeds
  sweep: Sweep
}

const LISTED = 200
const MAX_REASON = 500

/** No link may lead there, so that an operator who names such an address names a short URL of a service without one. */
const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/

/** What `quirl block`, `unblock`, `entries`, `reports`, `lists` and `audit` ask for. */
export function abuseOperations(given: OperatorDeps): AdminOperations {
  const owns = (url: URL) => given.owns(url) || loopback.test(url.hostname)
  const deps = { ...given, owns }
  return {
    block: (input) => block(deps, input),
    unblock: (input) => unblock(deps, input),
    entries: async ({ forget }) => {
      if (forget !== undefined) await forgetEntry(deps, forget)
      return { entries: [...deps.own.all().values()] }
    },
    reports: async () => ({ reports: await openReports(deps.db.read, LISTED) }),
    dismiss: (input) => dismiss(deps, input),
    audit: async () => ({ audit: await newestAudit(deps.db.read, LISTED) }),
    lists: async ({ refresh, accept }) => {
      if (refresh === true || accept === true) await deps.feeds.refresh({ all: true, accept: accept === true })
      return { lists: deps.feeds.status(), sweeping: deps.sweep.isRunning() }
    },
  }
}

async function block(deps: OperatorDeps, input: Record<string, unknown>) {
  const { legal = false } = asObject(input)
  const reason = readReason(input, legal === true ? 'removed by legal order' : 'removed by the operator')
  const subject = readSubject(input['subject'], deps.owns)
  const at = deps.now()
  if ('entry' in subject) {
    const { entry } = subject
    await deps.own.put({ entry, verdict: 'block', reason, legal: legal === true ? 1 : 0, created_at: at })
    deps.sweep.start()
    return { entry }
  }
  const source = legal === true ? 'legal' : 'operator'
  const link = await onLink(deps, subject.code, (found) =>
    removeLink(deps, found, { at, reason, source, entry: null }, source),
  )
  return { code: link.code }
}

async function unblock(deps: OperatorDeps, input: Record<string, unknown>) {
  const reason = readReason(input, 'unblocked by the operator')
  const subject = readSubject(input['subject'], deps.owns)
  if ('code' in subject) return { code: (await unblockCode(deps, subject.code, reason)).code }
  const { entry } = subject
  const wasOwn = deps.own.all().get(entry)?.verdict === 'block' && (await deps.own.forget(entry, 'unblock', reason))
  const listed = wasOwn ? undefined : deps.screening.find(entry)
  if (listed !== undefined) {
    await deps.own.put({ entry, verdict: 'allow', reason, legal: 0, created_at: deps.now() })
  }
  if (!wasOwn && listed === undefined) throw new Problem('not_found', `nothing blocks ${entry}`)
  const restored = await restoreBelow(deps, entry, reason)
  return { entry, allowed: listed !== undefined, restored, still: deps.screening.find(entry) ?? null }
}

async function unblockCode(deps: OperatorDeps, code: string, reason: string): Promise<Link> {
  return onLink(deps, code, async (link) => {
    if (link.removed === null) throw new Problem('invalid_request', `${link.code} is not removed`)
    const hit = deps.screening.findInLink(link)
    if (hit !== undefined) {
      const by = hit.list === undefined ? 'you have blocked' : `the list ${hit.list} has`
      const hint = `"quirl unblock ${hit.entry}" first`
      throw new Problem('target_blocked', `${link.code} leads to what ${by}: ${hint}`)
    }
    return restoreLink(deps, link, reason)
  })
}

/** Restores the links that an expression, or one below it, had removed, and that nothing speaks against any more. */
async function restoreBelow(deps: OperatorDeps, entry: string, reason: string): Promise<number> {
  let restored = 0
  for (const link of await linksRemovedByEntry(deps.db)) {
    const isBelow = urlsOf(link).some(({ url }) => expressions(canonicalise(url), wideReach).includes(entry))
    if (!isBelow || deps.screening.findInLink(link) !== undefined) continue
    if (await restoreLink(deps, link, reason)) restored++
  }
  return restored
}

async function forgetEntry(deps: OperatorDeps, text: unknown): Promise<void> {
  const subject = readSubject(text, deps.owns)
  const gone = 'entry' in subject && (await deps.own.forget(subject.entry, 'forget', 'forgotten by the operator'))
  if (!gone) throw new Problem('not_found', `you have said nothing of ${String(text)}`)
  deps.sweep.start()
}

async function dismiss(deps: OperatorDeps, input: Record<string, unknown>) {
  const reason = readReason(input, 'dismissed by the operator')
  const subject = readSubject(input['subject'], deps.owns)
  if (!('code' in subject)) throw invalidRequest([{ pointer: '/subject', detail: 'must name a code' }])
  const { id, code } = await existingLink(deps, subject.code)
  const note = { at: deps.now(), action: 'dismiss', subject: code, source: 'operator', reason }
  const done = await deps.db.transaction(async (transaction) => {
    const deleted = await deleteReport(transaction, id)
    if (deleted) await insertAudit(transaction, note)
    return deleted
  })
  if (!done) throw new Problem('not_found', `nothing is reported of ${code}`)
  return { code }
}

/** Reads a link and changes it, again while others change it in between. */
async function onLink(deps: OperatorDeps, code: string, change: (link: Link) => Promise<boolean>): Promise<Link> {
  for (;;) {
    const link = await existingLink(deps, code)
    if (await change(link)) return link
  }
}

async function existingLink(deps: OperatorDeps, code: string): Promise<Link> {
  const link = await linkOfCode(deps, code)
  if (link === undefined) throw new Problem('unknown_code', `no link has the code ${code}`)
  if (link === 'gone') throw new Problem('code_gone', `the link ${code} was deleted by its owner`)
  return link
}

function readReason({ reason = '' }: Record<string, unknown>, otherwise: string): string {
  if (typeof reason !== 'string' || reason.length > MAX_REASON) {
    throw invalidRequest([{ pointer: '/reason', detail: `must be a text of at most ${MAX_REASON} characters` }])
  }
  return reason.trim() || otherwise
}
