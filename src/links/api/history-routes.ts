import { Type } from '#typebox'
import { asObject } from '../../http/body.ts'
import { invalidRequest } from '../../http/problem.ts'
import { problems } from '../../http/problem-schema.ts'
import { createValidator } from '../../http/validate.ts'
import { ownerRoutes, credentialOf, type OwnerRoutes } from './owner-routes.ts'
import { clientOf } from './write-needs.ts'
import { MAX_REVISIONS, revertBody, type Revision } from '../history/history.ts'
import { changedResponse, ifMatch, sendDetails, type LinkRoutesNeeds } from './routes.ts'

const anything = Type.Unsafe({ description: 'A value of this field.' })

const historyBody = Type.Object(
  {
    code: Type.String(),
    revisions: Type.Array(
      Type.Object(
        {
          revision: Type.Integer({ description: 'Its ETag. Numbers are not consecutive after a removal for abuse.' }),
          at: Type.String({ format: 'date-time', description: 'When it began, UTC.' }),
          changes: Type.Unsafe({
            anyOf: [
              Type.Object({}, { additionalProperties: Type.Object({ before: anything, after: anything }) }),
              { type: 'null' },
            ],
            description: 'What it has changed, by field; null for the oldest one.',
          }),
        },
        { title: 'Revision' },
      ),
      { maxItems: MAX_REVISIONS, description: 'Newest first. The first one is the present one.' },
    ),
  },
  { title: 'LinkHistory' },
)

const revertSchema = Type.Object(
  { revision: Type.Integer({ minimum: 1, maximum: 2 ** 31 - 1, description: 'A revision of the history.' }) },
  { title: 'Revert', examples: [{ revision: 1 }] },
)
const validateRevert = createValidator(revertSchema)

/** `GET /api/manage/<token>/history` and `POST /api/manage/<token>/revert` */
export function historyRoutes(needs: LinkRoutesNeeds): Record<'read' | 'revert', OwnerRoutes> {
  return { read: readRoutes(needs), revert: revertRoutes(needs) }
}

function readRoutes({ links }: LinkRoutesNeeds): OwnerRoutes {
  return ownerRoutes({
    config: { work: 'statistics' },
    schema: {
      summary: 'Read the history of a link',
      operationId: 'readHistory',
      tags: ['Links'],
      response: {
        200: { description: 'The revisions.', content: { 'application/json': { schema: historyBody } } },
        ...problems('unknown_token', 'link_deleted'),
      },
    },
    async handler(request) {
      const owned = await links.readByToken(credentialOf(request))
      return { code: owned.link.code, revisions: (await links.history(owned)).map(revisionDetails) }
    },
  })
}

function revisionDetails({ revision, at, changes }: Revision) {
  return { revision, at: new Date(at).toISOString(), changes }
}

function revertRoutes(needs: LinkRoutesNeeds): OwnerRoutes {
  const { links } = needs
  return ownerRoutes({
    config: { work: 'creations', isCharged: true },
    schema: {
      summary: 'Change a link back to an earlier revision',
      operationId: 'revertLink',
      description: 'A change like any other: validated and screened as one, and a revision of its own.',
      tags: ['Links'],
      headers: ifMatch,
      body: revertSchema,
      response: {
        200: changedResponse,
        ...problems(
          'unscannable',
          'unknown_token',
          'link_deleted',
          'unknown_revision',
          'link_removed',
          'target_blocked',
        ),
      },
    },
    onRequest: (request) => links.requireToken(credentialOf(request)),
    async handler(request, reply) {
      const revision = parseRevision(request.body)
      const owned = await links.readByToken(credentialOf(request))
      const body = revertBody(await links.history(owned), revision)
      const client = clientOf(needs, request, reply)
      const changed = await links.change(owned, body, client, { ifMatch: request.headers['if-match'] })
      return sendDetails(needs, request, reply, changed)
    },
  })
}

/** @throws {Problem} 400 when it is not a revision's number */
function parseRevision(body: unknown): number {
  const { revision } = asObject(body)
  const errors = validateRevert(revision === undefined ? {} : { revision })
  if (errors.length > 0) throw invalidRequest(errors)
  return revision as number
}
