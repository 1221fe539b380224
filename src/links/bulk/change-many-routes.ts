import type { FastifyInstance } from 'fastify'
import type { Static } from '#typebox'
import { asObject, readJsonRows, rowsProblem } from '../../http/body.ts'
import { problemContent, problems } from '../../http/problem-schema.ts'
import { invalidRequest } from '../../http/problem.ts'
import { route, type Route } from '../../http/route.ts'
import { refusedRow, requireKnownInRow } from '../../http/unknown-input.ts'
import { forbidCaching } from '../access.ts'
import { MAX_ROWS } from './bulk.ts'
import { ROWS_BODY_LIMIT, MAX_VALUES } from './bulk-routes.ts'
import { changesBody, changesQuery, changesResult } from './change-many-schemas.ts'
import { clientOf, type WriteNeeds } from '../write-needs.ts'
import { warnsOfTrimmed } from '../trimmed-warning.ts'

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
export function changesRoute(needs: WriteNeeds): Route {
  const { links, limits } = needs
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
      return links.changeMany(rows, clientOf(needs, request, reply), {
        atomic,
        dryRun,
        requireKnown: (at, kind) => requireKnownInRow(request, at, { kind }),
        chargeNotFound: () => limits.chargeNotFound(request, reply),
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
