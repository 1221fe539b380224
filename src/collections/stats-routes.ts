import type { Static } from '#typebox'
import { whileConnected } from '../http/client-disconnect.ts'
import { problems } from '../http/problem-schema.ts'
import { invalidRequest } from '../http/problem.ts'
import type { Limits } from '../limits/open.ts'
import type { Slots } from '../limits/slots.ts'
import { ownerRoutes, tokenOf, type ManageRequest, type OwnerRoutes } from '../links/api/owner-routes.ts'
import { queryOf, requireRetained } from '../scans/api/query.ts'
import { waiterOf } from '../scans/api/routes.ts'
import type { Scans } from '../scans/open.ts'
import { asOfResponse } from '../scans/statistics/as-of.ts'
import { MAX_FILTERED } from '../scans/statistics/link-sets/filtered-set.ts'
import type { SetStats } from '../scans/statistics/link-sets/stats-of-set.ts'
import { breakdownsOf } from './breakdowns.ts'
import { campaignOf } from './campaign-query.ts'
import type { MemberKey } from './listing-store.ts'
import type { Collections } from './open.ts'
import { collectionStatsBody, collectionStatsQuery } from './stats-schemas.ts'
import { COLLECTION_TOKEN } from './schemas.ts'
import type { Collection } from './store.ts'

/** What the statistics of collections need of the rest of the program. */
export interface CollectionStatsNeeds {
  collections: Pick<Collections, 'find' | 'membersAfter'>
  scans: Pick<Scans, 'oldestUnfolded' | 'statsOfSet' | 'retention'>
  slots: Pick<Slots, 'stats'>
  turnToRender: Limits['turnToRender']
  now: () => number
}

/** The parameters of the statistics of a collection. */
export type CollectionStatsParameters = Static<typeof collectionStatsQuery>

/** Returns the statistics of a collection, or of a campaign in it: `GET /api/collections/<token>/stats` */
export function collectionStatsRoutes(needs: CollectionStatsNeeds): OwnerRoutes {
  return ownerRoutes(
    {
      config: { work: 'statistics' },
      schema: {
        summary: 'Read the statistics of a collection',
        operationId: 'readCollectionStats',
        description:
          'As those of a link, of all its links together. With filters, a window may have ' +
          `${MAX_FILTERED.toLocaleString('en')} scans of all links.`,
        tags: ['Collections'],
        querystring: collectionStatsQuery,
        response: {
          200: { description: 'The statistics.', content: { 'application/json': { schema: collectionStatsBody } } },
          ...problems('collection_not_found', 'beyond_retention'),
        },
      },
      handler: async (request) => {
        const collection = await needs.collections.find(tokenOf(request))
        return readStatsOf(needs, request, collection, request.query as CollectionStatsParameters)
      },
    },
    COLLECTION_TOKEN,
  )
}

/**
 * Reads the statistics of the links of a collection, with all visits until now if the fold succeeds in time.
 * @throws {Problem} 400 for an invalid parameter, 503 when no slot is free
 */
export async function readStatsOf(
  { collections, scans, slots, turnToRender, now }: CollectionStatsNeeds,
  request: Pick<ManageRequest, 'raw'>,
  collection: Pick<Collection, 'id'>,
  { campaign: asked, ...parameters }: CollectionStatsParameters,
) {
  const receivedAt = now()
  const query = queryOf(parameters, receivedAt)
  requireRetained(query, receivedAt, scans.retention)
  const campaign = campaignOf(asked)
  const slot = slots.stats(request, collection.id)
  try {
    const members = await readMembers(collections, collection, campaign, () => turnToRender(request))
    const set = { key: JSON.stringify([collection.id, campaign]), ids: members.map(({ id }) => id) }
    const missing = await scans.oldestUnfolded()
    const answer = await whileConnected(request, (disconnected) =>
      scans.statsOfSet(waiterOf(slot, disconnected), set, query),
    )
    if ('tooMany' in answer) throw tooMany(answer.tooMany, parameters)
    return bodyOf(answer, members, { limit: query.limit, missing })
  } finally {
    slot.release()
  }
}

/** Links of one statement, for which the event loop waits. */
const PAGE = 500

async function readMembers(
  { membersAfter }: Pick<Collections, 'membersAfter'>,
  collection: Pick<Collection, 'id'>,
  campaign: string | null | undefined,
  turn: () => Promise<void>,
): Promise<MemberKey[]> {
  const members: MemberKey[] = []
  for (;;) {
    await turn()
    const page = await membersAfter(
      { collectionId: collection.id, after: members.at(-1)?.id ?? 0, limit: PAGE },
      { campaign },
    )
    members.push(...page)
    if (page.length < PAGE) return members
  }
}

function tooMany(scans: number, { from }: Pick<CollectionStatsParameters, 'from'>) {
  const count = (number: number) => number.toLocaleString('en')
  const detail = `must name a shorter window: filters count up to ${count(MAX_FILTERED)} scans of a collection, and this one has ${count(scans)}`
  return invalidRequest([{ pointer: from === undefined ? '/days' : '/from', detail }])
}

function bodyOf(
  { stats, links }: SetStats,
  members: MemberKey[],
  { limit, missing }: { limit: number | undefined; missing: number | undefined },
) {
  return {
    links: members.length,
    ...stats,
    breakdowns: { ...stats.breakdowns, ...breakdownsOf(members, links, limit) },
    ...asOfResponse(missing, stats.as_of),
  }
}
