import type { Transaction } from '#kysely'
import type { Database } from '../db/database.ts'
import type { Tables } from '../db/schema.ts'
import type { Link, Reported } from '../links/link.ts'
import { linkOfId } from '../links/look-up.ts'
import { isLockedUntold, tellReported } from '../links/warning.ts'
import type { LinkWebhooks } from '../links/webhook.ts'
import { findReporters } from './reporter-store.ts'
import { firstDay, REPORT_MS } from './reporters.ts'
import { clearUntold, findUntold, isAnyUntold, noteUntold, type Untold } from './store.ts'

/** What reports need of the rest of the program. */
export interface ReportDeps {
  db: Database
  now: () => number
  /** From how many networks a link is reported until operator and owner are told. */
  threshold: number
  webhooks: Pick<LinkWebhooks, 'onReported'>
  log: { warn: (details: object, text: string) => void }
}

/** How often is looked whether somebody is still to be told. */
const LOOK_MS = 1_000
/** How long one that is locked is left to those who have it. */
const PATIENCE_MS = 10_000
/** Links of one transaction. */
const TOLD_AT_ONCE = 16

/** What operator and owner are told of a link. */
interface Told {
  code: string
  reported: Reported
}

/** The reason that most have given. */
export function mainReason(reasons: Record<string, number>): string {
  const [[reason] = ['other']] = Object.entries(reasons).toSorted(([, a], [, b]) => b - a)
  return reason
}

/**
 * Tells the owner of a link that people report it, unless he was told in the last 30 days, in the transaction of a report. A link that
 * another transaction has locked, as a change of hundreds does for seconds, is noted: no report waits for that, nor is lost with it.
 * @returns what the operator is told after the transaction; undefined when nobody is told now
 */
export async function tellOrNote(
  { db, webhooks }: ReportDeps,
  transaction: Transaction<Tables>,
  link: Link,
  reported: Reported,
): Promise<Told | undefined> {
  const before = reported.at - REPORT_MS
  if (await isLockedUntold(transaction, db.unlocked, link.id, before)) {
    await noteUntold(transaction, link.id, reported.at)
    return undefined
  }
  if (!(await tellReported(transaction, link.id, reported, before))) return undefined
  await webhooks.onReported(transaction, link, reported)
  return { code: link.code, reported }
}

export function logReported({ log }: Pick<ReportDeps, 'log'>, { code, reported }: Told): void {
  const { networks, reason } = reported
  log.warn({ code, networks, reason }, 'many people have reported a link: "quirl reports" shows it')
}

/** Tells of links that are locked no more, also of those that were noted by another process, or before a restart. */
export function startTelling(deps: ReportDeps, onError: (error: unknown) => void) {
  let running: Promise<void> | undefined
  const run = () => {
    running ??= tellNoted(deps)
      .catch(onError)
      .finally(() => (running = undefined))
  }
  run()
  const timer = setInterval(run, LOOK_MS).unref()
  return {
    async close() {
      clearInterval(timer)
      await running
    },
  }
}

/**
 * Tells of all noted links that nobody has locked. The others stay noted for a while, and are then told of before what has them locked:
 * strangers can have that without a break.
 */
export async function tellNoted(deps: ReportDeps): Promise<void> {
  const { db, now } = deps
  if (!(await isAnyUntold(db.read))) return
  const { unlocked } = db
  await tellAll(deps, db.transaction, (transaction) => findUntold(transaction, { unlocked }, TOLD_AT_ONCE))
  const before = now() - PATIENCE_MS
  if ((await findUntold(db.read, { before }, 1)).length === 0) return
  const first: Database['transaction'] = (work) => db.urgent('suspension', work)
  await tellAll(deps, first, (transaction) => findUntold(transaction, { before }, TOLD_AT_ONCE))
}

async function tellAll(
  deps: ReportDeps,
  run: Database['transaction'],
  find: (transaction: Transaction<Tables>) => Promise<Untold[]>,
): Promise<void> {
  for (let found = TOLD_AT_ONCE; found === TOLD_AT_ONCE;) {
    const told: Told[] = []
    found = await run(async (transaction) => {
      told.length = 0
      const noted = await find(transaction)
      for (const each of noted) {
        const one = await tellOne(deps, transaction, each)
        if (one !== undefined) told.push(one)
      }
      return noted.length
    })
    for (const each of told) logReported(deps, each)
  }
}

async function tellOne(
  { db, now, webhooks }: ReportDeps,
  transaction: Transaction<Tables>,
  { linkId, at, reasons }: Untold,
): Promise<Told | undefined> {
  await clearUntold(transaction, linkId)
  const networks = (await findReporters(transaction, linkId, firstDay(now()))).length
  const reported = { at, networks, reason: mainReason(reasons) }
  // A later report may have told of it.
  if (!(await tellReported(transaction, linkId, reported, at - REPORT_MS))) return undefined
  const link = await linkOfId({ db }, linkId)
  if (link === undefined) return undefined
  await webhooks.onReported(transaction, link, reported)
  return { code: link.code, reported }
}
