import type { FastifyInstance, FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify'
import type { Static } from '#typebox'
import { asObject, readJsonRows, rowsProblem } from '../../http/body.ts'
import type { Origin } from '../../http/origin.ts'
import { problemContent, problems } from '../../http/problem-schema.ts'
import { invalidRequest, type Problem } from '../../http/problem.ts'
import { route, type Route } from '../../http/route.ts'
import { refusedRow, requireKnownInRow } from '../../http/unknown-input.ts'
import { forbidCaching } from '../access.ts'
import { MAX_ROWS } from './bulk.ts'
import { ROWS_BODY_LIMIT, MAX_VALUES } from './bulk-routes.ts'
import { changesBody, changesQuery, changesResult } from './change-many-schemas.ts'
import type { Charge } from '../charged.ts'
import { warnsOfTrimmed } from '../trimmed-warning.ts'
import type { Holder } from '../../lib/holder.ts'
import type { Links } from '../open.ts'

/** The client's quotas, as changes of many links use them. */
export interface ChangesLimits {
  /** Charges an unknown token; returns the problem to send instead when the quota is used up. */
  chargeNotFound: (request: FastifyRequest, reply: FastifyReply) => Promise<Problem | undefined>
  /** Charges changes; rejects when the quota has fewer left. */
  charge: (request: FastifyRequest, reply: FastifyReply, name: 'changes', units: number) => ReturnType<Charge>
  /** Who makes the changes. */
  holderOf: (request: FastifyRequest) => Holder
  /** Hooks that charge each refused request. */
  creation: (name: 'misses') => Pick<RouteShorthandOptions, 'onRequest' | 'onSend'>
}

/** What changes of many links need of the rest of the program. */
export interface ChangesNeeds {
  links: Pick<Links, 'changeMany'>
  origin: Pick<Origin, 'of'>
  limits: ChangesLimits
}

interface ChangesRoute {
  Querystring: Static<typeof changesQuery>
}

/** Makes `app` read the rows of a change of many links. */
export function readChanges(app: FastifyInstance): void {
  readJsonRows(app, { rows: MAX_ROWS, values: MAX_VALUES, field: 'changes' })
}

const errorResponses = problems('nothing_changed')

const schema = {
  summary: 'Change up to 500 links',
  operationId: 'changeLinks',
  description:
    'Each row has the token of a link and the fields to change, as in `PUT /api/manage/{token}`, but no `design` and no `webhook`. Rows are ' +
    'independent: an invalid row does not keep the others from being changed.',
  tags: ['Links'],
  querystring: changesQuery,
  body: changesBody,
  response: {
    200: {
      description: 'At least one row is valid.',
      content: { 'application/json': { schema: changesResult } },
    },
    ...errorResponses,
    400: { ...errorResponses[400], content: problemContent(changesResult) },
  },
}

/** `POST /api/manage`, where `readChanges` reads the body. */
export function changesRoute({ links, origin, limits }: ChangesNeeds): Route {
  const { onSend = [], ...hooks } = limits.creation('misses')
  return route<ChangesRoute>({
    config: { work: 'batches' },
    ...hooks,
    onSend: [onSend, forbidCaching].flat(),
    bodyLimit: ROWS_BODY_LIMIT,
    schema,
    async handler(request, reply) {
      const { atomic = false, dry_run: dryRun = false } = request.query
      const rows = rowsOf(request.body).map((row, at) => refusedRow(request, at) ?? row)
      return links.changeMany(rows, {
        origin: origin.of(request),
        atomic,
        dryRun,
        requireKnown: (at, kind) => requireKnownInRow(request, at, { kind }),
        chargeNotFound: () => limits.chargeNotFound(request, reply),
        charge: (units) => limits.charge(request, reply, 'changes', units),
        holder: limits.holderOf(request),
        onTrimmedIn: (row) => warnsOfTrimmed(request, reply, row),
      })
    },
  })
}

/** @throws {Problem} 400 when there are no rows, or too many */
function rowsOf(body: unknown): unknown[] {
  const { changes, ...rest } = asObject(body)
  // Ignored like other unknown fields, they would change the valid rows of a request that was not to do that.
  const misplaced = Object.keys(changesQuery.properties).filter((name) => Object.hasOwn(rest, name))
  if (misplaced.length > 0) {
    throw invalidRequest(misplaced.map((name) => ({ pointer: `/${name}`, detail: 'is a parameter of the query' })))
  }
  if (changes === undefined) throw invalidRequest([{ pointer: '/changes', detail: 'is required' }])
  if (!Array.isArray(changes)) throw invalidRequest([{ pointer: '/changes', detail: 'must be an array' }])
  if (changes.length >= 1 && changes.length <= MAX_ROWS) return changes
  throw rowsProblem(MAX_ROWS, changes.length === 0 ? 'none' : `more than ${MAX_ROWS}`, '/changes')
}
