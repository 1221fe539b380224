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
import { breakdownsOf, type CollectionBreakdowns } from './breakdowns.ts'
import { campaignOf } from './campaign-query.ts'
import { readAgain, readIds, type Members } from './members.ts'
import type { Collections } from './open.ts'
import { collectionStatsBody, collectionStatsQuery } from './stats-schemas.ts'
import { COLLECTION_TOKEN } from './schemas.ts'
import type { Collection } from './store.ts'

/** What the statistics of collections need of the rest of the program. */
export interface CollectionStatsNeeds {
  collections: Members & Pick<Collections, 'find'>
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
    const reading = { collectionId: collection.id, conditions: { campaign }, turn: () => turnToRender(request) }
    const ids = await readIds(collections.idsAfter, reading)
    const set = { key: JSON.stringify([collection.id, campaign]), ids }
    const missing = await scans.oldestUnfolded()
    return await whileConnected(request, async (disconnected) => {
      const who = waiterOf(slot, disconnected)
      const answer = await scans.statsOfSet(who, set, query)
      if ('tooMany' in answer) throw tooMany(answer.tooMany, parameters)
      const breakdowns = await collections.gather(who, () =>
        breakdownsOf(readAgain(collections.membersAfter, ids, reading), answer.links, query.limit),
      )
      return bodyOf(answer, ids.length, breakdowns, missing)
    })
  } finally {
    slot.release()
  }
}

function tooMany(scans: number, { from }: Pick<CollectionStatsParameters, 'from'>) {
  const count = (number: number) => number.toLocaleString('en')
  const detail = `must name a shorter window: filters count up to ${count(MAX_FILTERED)} scans of a collection, and this one has ${count(scans)}`
  return invalidRequest([{ pointer: from === undefined ? '/days' : '/from', detail }])
}

function bodyOf({ stats }: SetStats, links: number, breakdowns: CollectionBreakdowns, missing: number | undefined) {
  return {
    links,
    ...stats,
    breakdowns: { ...stats.breakdowns, ...breakdowns },
    ...asOfResponse(missing, stats.as_of),
  }
}
