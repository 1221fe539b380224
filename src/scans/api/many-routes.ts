import type { Static } from '#typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { asObject } from '../../http/body.ts'
import { invalidRequest, type Problem } from '../../http/problem.ts'
import { route, type Route } from '../../http/route.ts'
import { ignoredOf } from '../../http/notices.ts'
import { createValidator } from '../../http/validate.ts'
import { forbidCaching } from '../../links/access.ts'
import type { Links } from '../../links/open.ts'
import type { Slots } from '../../limits/slots.ts'
import { asOfResponse } from '../statistics/as-of.ts'
import { manyStatsBody, manyStatsRequest, MAX_POINTS } from './many-schemas.ts'
import { createManyText, type ReadLinks } from './many-text.ts'
import type { Scans } from '../open.ts'
import { queryOf, textOf } from './routes.ts'
import type { StatsQuery } from '../statistics/stats-query.ts'

/** What the statistics of many links need of the rest of the program. */
export interface ManyStatsNeeds {
  scans: Pick<Scans, 'settleUntil' | 'statsOfMany'>
  links: Pick<Links, 'findManyByToken'>
  slots: Pick<Slots, 'stats'>
  limits: {
    /** Charges an unknown token; returns the problem to send instead when the quota is used up. */
    chargeNotFound: (request: FastifyRequest, reply: FastifyReply) => Promise<Problem | undefined>
  }
  now: () => number
}

/** The tokens have 23 KB. */
const BODY_LIMIT = 64 * 1024

/** Returns the statistics of many links and their sum: `POST /api/stats` */
export function manyStatsRoute(needs: ManyStatsNeeds): Route {
  return route({
    config: { work: 'statistics', isCharged: true },
    bodyLimit: BODY_LIMIT,
    onSend: forbidCaching,
    schema: {
      summary: 'Read the statistics of up to 500 links',
      operationId: 'readManyStats',
      description: 'Totals and series of each link and of all together. A wrong token is the error of its row.',
      tags: ['Statistics'],
      body: manyStatsRequest,
      response: {
        200: { description: 'The statistics.', content: { 'application/json': { schema: manyStatsBody } } },
      },
    },
    handler: (request, reply) => sendManyStats(needs, request, reply),
  })
}

const validate = createValidator(manyStatsRequest)

/** @throws {Problem} 400 for an invalid field, and for more days than a response has */
function readRequest(body: unknown): { tokens: string[]; query: StatsQuery } {
  const errors = validate(asObject(body))
  if (errors.length > 0) throw invalidRequest(errors)
  const { tokens, ...parameters } = body as Static<typeof manyStatsRequest>
  const query = queryOf(parameters)
  const most = Math.floor(MAX_POINTS / tokens.length)
  if (query.days <= most) return { tokens, query }
  const bound = `tokens times days must be at most ${MAX_POINTS}`
  throw invalidRequest([{ pointer: '/days', detail: `must be at most ${most} for ${tokens.length} tokens: ${bound}` }])
}

async function sendManyStats(
  { scans, links, slots, limits, now }: ManyStatsNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { tokens, query } = readRequest(request.body)
  const slot = slots.stats(request)
  try {
    const receivedAt = now()
    const outcomes = await links.findManyByToken(tokens, () => limits.chargeNotFound(request, reply))
    const missing = await scans.settleUntil()
    const read: ReadLinks = (counted) => scans.statsOfMany(slot, counted, query, receivedAt)
    const asOf = (stated: string | undefined) => ({
      ...asOfResponse(missing, stated),
      ...ignoredOf(request),
    })
    const body = textOf(await createManyText(outcomes, query, read, asOf))
    body.once('close', slot.release)
    return reply.type('application/json; charset=utf-8').send(body)
  } catch (error) {
    slot.release()
    throw error
  }
}
