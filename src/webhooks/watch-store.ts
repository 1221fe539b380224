import type { Executor, Locking } from '../db/database.ts'
import { isMember } from '../links/member-store.ts'

/** A link for which milestones are wanted, with the last one. */
export interface MilestoneRow {
  linkId: number
  milestone: number
  /** Since when that is so. */
  updatedAt: number
}

/** What is known of a link for the webhook of a collection that it is in. */
export interface Watch {
  collectionId: string
  /** What its webhook wants, as a JSON array. A link may be watched for more, while that is set or removed. */
  events: string
  /** The last milestone; null when visits are not counted. */
  milestone: number | null
  isChecked: boolean
  checkFailures: number
  destinationFailingSince: number | null
}

/** The collections that a link is in now, and for whose webhooks its visits are counted or its destination is checked. */
export async function findWatches(db: Executor, linkId: number, now: number): Promise<Watch[]> {
  const rows = await db
    .selectFrom('memberships')
    .innerJoin('collection_webhooks', 'collection_webhooks.collection_id', 'memberships.collection_id')
    .innerJoin('links', 'links.id', 'memberships.link_id')
    .select(['memberships.collection_id', 'collection_webhooks.events'])
    .select(['memberships.milestone', 'memberships.next_check_at'])
    .select(['memberships.check_failures', 'memberships.destination_failing_since'])
    .where('memberships.link_id', '=', linkId)
    .where((of) =>
      of.or([of('memberships.milestone', 'is not', null), of('memberships.next_check_at', 'is not', null)]),
    )
    .where(isMember(now))
    .orderBy('memberships.collection_id')
    .execute()
  return rows.map((row) => ({
    collectionId: row.collection_id,
    events: row.events,
    milestone: row.milestone,
    isChecked: row.next_check_at !== null,
    checkFailures: row.check_failures,
    destinationFailingSince: row.destination_failing_since,
  }))
}

/** What a webhook may have links watched for: milestones of their visits, and failures of their destinations. */
export interface WatchedFor {
  milestones: boolean
  destinations: boolean
}

/** A link in a collection, which may be deleted with a way back, and what it is watched for. */
export type WatchedMember = WatchedFor & { linkId: number }

/** All links in a collection, by their ids. */
export async function findMembers(db: Executor, collectionId: string): Promise<WatchedMember[]> {
  const members = db.selectFrom('memberships').select(['link_id', 'milestone', 'next_check_at'])
  const rows = await members.where('collection_id', '=', collectionId).orderBy('link_id').execute()
  return rows.map((row) => ({
    linkId: row.link_id,
    milestones: row.milestone !== null,
    destinations: row.next_check_at !== null,
  }))
}

/** Some links of a collection. */
export interface SomeMembers {
  collectionId: string
  linkIds: number[]
}

/**
 * Has the visits of links counted from a milestone on; where they are already, nothing changes.
 * @param at since when; null leaves that to `beginWatches`
 */
export async function watchMilestones(
  db: Executor,
  { collectionId, linkIds }: SomeMembers,
  { milestone, at }: { milestone: number; at: number | null },
): Promise<void> {
  await db
    .updateTable('memberships')
    .set({ milestone, watched_at: at })
    .where('collection_id', '=', collectionId)
    .where('link_id', 'in', linkIds)
    .where('milestone', 'is', null)
    .execute()
}

/** Has each process look at those links whose visits are counted, from now on. */
export async function beginWatches(db: Executor, { collectionId, linkIds }: SomeMembers, at: number): Promise<void> {
  await db
    .updateTable('memberships')
    .set({ watched_at: at })
    .where('collection_id', '=', collectionId)
    .where('link_id', 'in', linkIds)
    .where('milestone', 'is not', null)
    .where('watched_at', 'is', null)
    .execute()
}

/**
 * Has the destinations of links checked; where they are already, nothing changes. A link is checked for all who want to know at
 * once, so that nobody hears of two failures of the same day.
 * @param firstCheckAt of links that are checked for nobody yet
 */
export async function watchDestinations(
  db: Executor,
  { collectionId, linkIds }: SomeMembers,
  firstCheckAt: number,
): Promise<void> {
  await db
    .updateTable('memberships')
    .set((of) => ({
      next_check_at: of.fn.coalesce(
        of
          .selectFrom('memberships as others')
          .select((each) => each.fn.min('others.next_check_at').as('at'))
          .whereRef('others.link_id', '=', 'memberships.link_id'),
        of
          .selectFrom('webhooks')
          .select('webhooks.next_check_at')
          .whereRef('webhooks.link_id', '=', 'memberships.link_id'),
        of.val(firstCheckAt),
      ),
    }))
    .where('collection_id', '=', collectionId)
    .where('link_id', 'in', linkIds)
    .where('next_check_at', 'is', null)
    .execute()
}

/** When the destination of a link is checked for its collections; undefined when none wants that. */
export async function findNextCheck(db: Executor, linkId: number): Promise<number | undefined> {
  const watched = db.selectFrom('memberships').select('next_check_at').where('link_id', '=', linkId)
  const first = await watched
    .where('next_check_at', 'is not', null)
    .orderBy('next_check_at')
    .limit(1)
    .executeTakeFirst()
  return first?.next_check_at ?? undefined
}

/** Ends the counting, the checks, or both. */
export async function endWatches(
  db: Executor,
  { collectionId, linkIds }: SomeMembers,
  { milestones, destinations }: WatchedFor,
): Promise<void> {
  if (!milestones && !destinations) return
  await db
    .updateTable('memberships')
    .set({
      ...(milestones && { milestone: null, watched_at: null }),
      ...(destinations && { next_check_at: null, check_failures: 0, destination_failing_since: null }),
    })
    .where('collection_id', '=', collectionId)
    .where('link_id', 'in', linkIds)
    .execute()
}

/** The next watched links after one, by the time at which they were, and by link; a link may come more than once. */
export async function findWatchedMilestones(
  db: Executor,
  { updatedAt, linkId }: Omit<MilestoneRow, 'milestone'>,
  limit: number,
): Promise<MilestoneRow[]> {
  const rows = await db
    .selectFrom('memberships')
    .select((of) => ['watched_at', 'link_id', of.fn.min('milestone').as('milestone')])
    .where('watched_at', '>=', updatedAt)
    .where((is) => is.or([is('watched_at', '>', updatedAt), is('link_id', '>', linkId)]))
    .groupBy(['watched_at', 'link_id'])
    .orderBy('watched_at')
    .orderBy('link_id')
    .limit(limit)
    .execute()
  return rows.map((row) => ({
    linkId: row.link_id,
    milestone: row.milestone ?? 0,
    updatedAt: row.watched_at ?? 0,
  }))
}

/** Stores the next milestone of a link for a collection. @returns false when the last one is another, or none is wanted */
export async function advanceWatch(
  db: Executor,
  { collectionId, linkId }: { collectionId: string; linkId: number },
  last: number,
  next: number,
): Promise<boolean> {
  const result = await db
    .updateTable('memberships')
    .set({ milestone: next })
    .where('collection_id', '=', collectionId)
    .where('link_id', '=', linkId)
    .where('milestone', '=', last)
    .executeTakeFirst()
  return result.numUpdatedRows === 1n
}

/** Whether another transaction has locked what is known of a link for a collection; else this one has, until its end. */
export async function isWatchLocked(
  db: Executor,
  unlocked: Locking,
  { collectionId, linkId }: { collectionId: string; linkId: number },
): Promise<boolean> {
  const member = db.selectFrom('memberships').select('link_id').where('collection_id', '=', collectionId)
  const row = member.where('link_id', '=', linkId)
  if ((await unlocked(row).executeTakeFirst()) !== undefined) return false
  // It may have left.
  return (await row.executeTakeFirst()) !== undefined
}

/** The same for all collections that want to know when the destination of a link fails. */
export async function areChecksLocked(db: Executor, unlocked: Locking, linkId: number): Promise<boolean> {
  const checked = db.selectFrom('memberships').select('collection_id').where('link_id', '=', linkId)
  const rows = checked.where('next_check_at', 'is not', null).orderBy('collection_id')
  const free = await unlocked(rows).execute()
  return free.length < (await rows.execute()).length
}

/** The links whose destination is due for a check for a collection, the longest due first. */
export async function findDueWatches(db: Executor, now: number, limit: number): Promise<number[]> {
  const due = db.selectFrom('memberships').select('link_id').where('next_check_at', '<=', now)
  return (await due.orderBy('next_check_at').limit(limit).execute()).map((row) => row.link_id)
}

/** Sets when the destination of a link is checked for all its collections that want to know when it fails. */
export async function postponeWatches(db: Executor, linkId: number, nextCheckAt: number): Promise<void> {
  const postponed = db.updateTable('memberships').set({ next_check_at: nextCheckAt }).where('link_id', '=', linkId)
  await postponed.where('next_check_at', 'is not', null).execute()
}

/** Stores the result of a check of a link's destination for a collection. */
export async function setWatchedDestination(
  db: Executor,
  { collectionId, linkId }: { collectionId: string; linkId: number },
  { failures, failingSince }: { failures: number; failingSince: number | null },
): Promise<void> {
  await db
    .updateTable('memberships')
    .set({ check_failures: failures, destination_failing_since: failingSince })
    .where('collection_id', '=', collectionId)
    .where('link_id', '=', linkId)
    .execute()
}

/** Forgets the failed checks of a link's destination, for all its collections. */
export async function forgetFailures(db: Executor, linkId: number): Promise<void> {
  await db
    .updateTable('memberships')
    .set({ check_failures: 0, destination_failing_since: null })
    .where('link_id', '=', linkId)
    .where('check_failures', '>', 0)
    .execute()
}

/** Since when a destination of the links in a collection fails, of the one that has failed for longest. */
export async function findFailingSince(db: Executor, collectionId: string, now: number): Promise<number | null> {
  const row = await db
    .selectFrom('memberships')
    .innerJoin('links', 'links.id', 'memberships.link_id')
    .select((of) => of.fn.min('memberships.destination_failing_since').as('since'))
    .where('memberships.collection_id', '=', collectionId)
    .where(isMember(now))
    .executeTakeFirst()
  return row?.since ?? null
}
