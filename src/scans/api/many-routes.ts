import { type Static, Type } from '#typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { asObject } from '../../http/body.ts'
import { invalidRequest, type Problem } from '../../http/problem.ts'
import { whileConnected } from '../../http/client-disconnect.ts'
import { problems } from '../../http/problem-schema.ts'
import { route, type Route } from '../../http/route.ts'
import { ignoredOf } from '../../http/notices.ts'
import { createValidator } from '../../http/validate.ts'
import { forbidCaching } from '../../links/api/owner-routes.ts'
import type { Links } from '../../links/open.ts'
import type { Slots } from '../../limits/slots.ts'
import { asOfResponse } from '../statistics/as-of.ts'
import { createManyText, type ReadLinks } from './many-text.ts'
import type { Scans } from '../open.ts'
import { queryOf, requireRetained } from './query.ts'
import { textOf, waiterOf } from './routes.ts'
import { pointsOf, type StatsQuery } from '../statistics/stats-query.ts'
import { failedRow, rowIndex as index } from '../../links/api/bulk-schemas.ts'
import { statsBody, statsFilters, statsWindow } from './schemas.ts'

/** Links of one request. */
const MAX_TOKENS = 500
/** Days, or hours, of all links in one response, some 60 bytes each: all 500 links for 80 days, or 109 for a year. */
const MAX_POINTS = 40_000
const example = {
  tokens: ['the token of a link', 'that of another'],
  from: '2026-10-01',
  to: '2026-10-31',
  tz: 'Europe/Berlin',
  interval: 'week',
  compare: 'year',
}
/** The body of a request for the statistics of many links. */
const manyStatsRequest = Type.Object(
  {
    tokens: Type.Array(Type.String(), {
      minItems: 1,
      maxItems: MAX_TOKENS,
      description: `The tokens of the links. Their number times the days of the window, or its hours with \`interval=hour\`, may be at most ${MAX_POINTS}.`,
    }),
    ...statsWindow,
    ...statsFilters,
  },
  // One of each member would name the window twice.
  { title: 'ManyStatisticsRequest', examples: [example] },
)
const { code, days, from, to, timezone, audience, totals, series, as_of: asOf } = statsBody.properties
const { unique_visitors: visitors, compared } = statsBody.properties
const counts = { totals, unique_visitors: visitors, series, compared }
/** The statistics of many links. */
const manyStatsBody = Type.Object(
  {
    days,
    from,
    to,
    timezone,
    audience,
    as_of: asOf,
    links: Type.Array(
      Type.Unsafe({
        anyOf: [Type.Object({ index, code, ...counts }, { title: 'LinkStatistics' }), failedRow],
      }),
      { description: 'A row for each token, in their order. A link that has two rows counts once in `total`.' },
    ),
    total: Type.Object(
      { links: Type.Integer({ minimum: 0, description: 'The links that were counted.' }), ...counts },
      {
        title: 'TotalStatistics',
        description:
          'The sums of all links. Somebody who visits two of them is a unique visitor of each, and counts twice.',
      },
    ),
  },
  { title: 'ManyStatistics' },
)

/** What the statistics of many links need of the rest of the program. */
export interface ManyStatsNeeds {
  scans: Pick<Scans, 'oldestUnfolded' | 'statsOfMany' | 'retention'>
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
        ...problems('beyond_retention'),
      },
    },
    handler: (request, reply) => sendManyStats(needs, request, reply),
  })
}

const validate = createValidator(manyStatsRequest)

/** @throws {Problem} 400 for an invalid field, and for more days than a response has */
function readRequest(body: unknown, now: number, retention: number): { tokens: string[]; query: StatsQuery } {
  const errors = validate(asObject(body))
  if (errors.length > 0) throw invalidRequest(errors)
  const { tokens, ...parameters } = body as Static<typeof manyStatsRequest>
  const query = queryOf(parameters, now)
  requireRetained(query, now, retention)
  const points = pointsOf(query)
  if (tokens.length * points <= MAX_POINTS) return { tokens, query }
  const most = Math.floor(MAX_POINTS / tokens.length / (points / query.days))
  const bound = `at most ${most} days for ${tokens.length} tokens, as the ${query.interval === 'hour' ? 'hours' : 'days'} of all may be ${MAX_POINTS}`
  const fault =
    parameters.from === undefined
      ? { pointer: '/days', detail: `must be ${bound}` }
      : { pointer: '/from', detail: `must begin a window of ${bound}` }
  throw invalidRequest([fault])
}

async function sendManyStats(
  { scans, links, slots, limits, now }: ManyStatsNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const receivedAt = now()
  const { tokens, query } = readRequest(request.body, receivedAt, scans.retention)
  const slot = slots.stats(request)
  try {
    const outcomes = await links.findManyByToken(tokens, () => limits.chargeNotFound(request, reply))
    const missing = await scans.oldestUnfolded()
    const read: ReadLinks = (counted) =>
      whileConnected(request, (disconnected) =>
        scans.statsOfMany(waiterOf(slot, disconnected), counted, query, receivedAt),
      )
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
