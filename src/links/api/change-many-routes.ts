import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type, type TSchema } from '#typebox'
import { asObject, readJsonRows, rowsProblem } from '../../http/body.ts'
import { problemContent, problems } from '../../http/problem-schema.ts'
import { invalidRequest } from '../../http/problem.ts'
import { route, type Route } from '../../http/route.ts'
import { refusedRow, requireKnownInRow } from '../../http/unknown-input.ts'
import { collectionOf, looksHeader } from './idempotency-header.ts'
import { forbidCaching } from './owner-routes.ts'
import { MAX_ROWS } from '../bulk/bulk.ts'
import type { ManyOptions, ManyResult } from '../bulk/change-many.ts'
import { ROWS_BODY_LIMIT, MAX_VALUES } from './bulk-routes.ts'
import { clientOf, type WriteNeeds } from './write-needs.ts'
import { warnsOfTrimmed } from './trimmed-warning.ts'
import { MEMBERS, ROWS } from '../../http/members.ts'
import { rowNotices } from '../../http/openapi-notices.ts'
import { failedRow, rowIndex } from './bulk-schemas.ts'
import { updateBody, updateMembers } from '../schemas.ts'

const { password: _password, webhook: _webhook, ...fields }: Record<string, TSchema> = updateBody.properties
const matching = {
  if_match: Type.Optional(
    Type.String({
      description: 'Only change the revision with this ETag: a value of `If-Match`.',
      examples: ['"3"'],
    }),
  ),
}
/** The parameters of a change of many links. */
export const changesQuery = Type.Object({
  atomic: Type.Optional(Type.Boolean({ description: 'Change all rows or none.' })),
  dry_run: Type.Optional(
    Type.Boolean({ description: 'Only validate the rows, and say which fields would change; change nothing.' }),
  ),
})

/**
 * The rows of a change of many links.
 * @param naming the member by which a row names its link
 * @param titles of the row and of the body
 * @param example how the first row of an example names its link
 */
export function changesBody(naming: Record<string, TSchema>, [ofRow, ofBody]: [string, string], example: object) {
  const rowFields = { ...naming, ...matching }
  const changeRow = Type.Object({ ...rowFields, ...fields }, { title: ofRow, [MEMBERS]: updateMembers(rowFields) })
  const changes = Type.Array(changeRow, { minItems: 1, maxItems: MAX_ROWS, [ROWS]: true })
  return Type.Object(
    { changes },
    {
      title: ofBody,
      // Those of the query have an error of their own here.
      [MEMBERS]: Type.Object({ changes, ...changesQuery.properties }),
      examples: [{ changes: [{ ...example, target: 'https://example.com/new-menu' }] }],
    },
  )
}

const ofTokens = changesBody(
  { token: Type.String({ description: 'The token of the link; each link may occur once.' }) },
  ['ChangeRow', 'Changes'],
  { token: '…' },
)
const count = (description: string) => Type.Integer({ minimum: 0, description })
/** The result of a valid row in a dry run. */
const changeableRow = Type.Object(
  {
    index: rowIndex,
    valid: Type.Literal(true),
    code: Type.String(),
    etag: Type.String({ description: 'The ETag of the revision that was compared, for `if_match`.' }),
    fields: Type.Array(Type.String(), { description: 'The names of the fields that would change.' }),
    ...rowNotices,
  },
  { title: 'ChangeableRow', description: 'In a dry run.' },
)
/** The response to a change of many links. */
const changesResult = Type.Object(
  {
    changed: count('Links that have a new revision.'),
    unchanged: count('Links that already were as their row wants them.'),
    failed: count('Rows with an error.'),
    results: Type.Array(
      Type.Unsafe({
        anyOf: [
          Type.Object(
            {
              index: rowIndex,
              code: Type.String(),
              short_url: Type.String({ format: 'uri', description: 'The URL that visitors open.' }),
              etag: Type.String({ description: 'The ETag of the revision, for `if_match`.' }),
              changed: Type.Boolean({ description: 'False when the link already was as the row wants it.' }),
              ...rowNotices,
            },
            { title: 'ChangedRow' },
          ),
          failedRow,
          changeableRow,
        ],
      }),
    ),
  },
  { title: 'ChangesResult' },
)

interface ChangesRoute {
  Querystring: Static<typeof changesQuery>
}

/** Makes `app` read the rows of a change of many links. */
export function readChanges(app: FastifyInstance): void {
  readJsonRows(app, { rows: MAX_ROWS, values: MAX_VALUES, field: 'changes' })
}

const failures = problems('nothing_changed', 'collection_not_found')

/** The responses to a change of many links. */
export const changesResponses = {
  200: {
    description: 'At least one row is valid.',
    content: { 'application/json': { schema: changesResult } },
  },
  ...failures,
  400: { ...failures[400], content: problemContent(changesResult) },
}

const schema = {
  summary: 'Change up to 500 links',
  operationId: 'changeLinks',
  description:
    'Each row has the token of a link and the fields to change, as in `PUT /api/manage/{token}`, but no `password` and no `webhook`. Rows are ' +
    'independent: an invalid row does not keep the others from being changed.',
  tags: ['Links'],
  headers: looksHeader,
  querystring: changesQuery,
  body: ofTokens,
  response: changesResponses,
}

/** `POST /api/manage`, where `readChanges` reads the body. */
export function changesRoute(needs: WriteNeeds): Route {
  const { onSend = [], ...hooks } = needs.limits.creation('misses')
  return route<ChangesRoute>({
    config: { work: 'batches' },
    ...hooks,
    onSend: [onSend, forbidCaching].flat(),
    bodyLimit: ROWS_BODY_LIMIT,
    schema,
    handler: (request, reply) => changeRows(needs, request, reply),
  })
}

/**
 * Changes the links of the rows in the body of a request.
 * @param through the token of the collection in which the rows name their links by `code`
 */
export async function changeRows(
  needs: WriteNeeds,
  request: FastifyRequest,
  reply: FastifyReply,
  through?: string,
): Promise<ManyResult> {
  const rows = rowsOf(request.body).map((row, at) => refusedRow(request, at) ?? row)
  return needs.links.changeMany(rows, clientOf(needs, request, reply), {
    ...changeOptions(needs, request, reply, through),
    requireKnown: (at, kind) => requireKnownInRow(request, at, { kind }),
  })
}

/** The options of a change of many links that a request asks for. */
export function changeOptions(
  { limits }: Pick<WriteNeeds, 'limits'>,
  request: FastifyRequest,
  reply: FastifyReply,
  through?: string,
): Omit<ManyOptions, 'requireKnown'> {
  const { atomic = false, dry_run: dryRun = false } = request.query as Static<typeof changesQuery>
  return {
    atomic,
    dryRun,
    through,
    collection: collectionOf(request),
    chargeNotFound: () => limits.chargeNotFound(request, reply),
    onTrimmedIn: (row) => warnsOfTrimmed(request, reply, row),
  }
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
