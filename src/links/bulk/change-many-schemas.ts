import { Type, type TSchema } from '#typebox'
import { MEMBERS, ROWS } from '../../http/members.ts'
import { rowNotices } from '../../http/openapi-notices.ts'
import { MAX_ROWS } from './bulk.ts'
import { failedRow, rowIndex, validRow } from './bulk-schemas.ts'
import { updateBody, updateMembers } from '../schemas.ts'

const {
  design: _design,
  password: _password,
  webhook: _webhook,
  ...fields
}: Record<string, TSchema> = updateBody.properties

const rowFields = {
  token: Type.String({ description: 'The token of the link; each link may occur once.' }),
  if_match: Type.Optional(
    Type.String({
      description: 'Only change the revision with this ETag: a value of `If-Match`.',
      examples: ['"3"'],
    }),
  ),
}

const changeRow = Type.Object({ ...rowFields, ...fields }, { title: 'ChangeRow', [MEMBERS]: updateMembers(rowFields) })

const changes = Type.Array(changeRow, { minItems: 1, maxItems: MAX_ROWS, [ROWS]: true })

export const changesQuery = Type.Object({
  atomic: Type.Optional(Type.Boolean({ description: 'Change all rows or none.' })),
  dry_run: Type.Optional(Type.Boolean({ description: 'Only validate the rows; change nothing.' })),
})

/** The rows of a change of many links. */
export const changesBody = Type.Object(
  { changes },
  {
    title: 'Changes',
    // Those of the query have an error of their own here.
    [MEMBERS]: Type.Object({ changes, ...changesQuery.properties }),
    examples: [{ changes: [{ token: '…', target: 'https://example.com/new-menu' }] }],
  },
)

const count = (description: string) => Type.Integer({ minimum: 0, description })

/** The response to a change of many links. */
export const changesResult = Type.Object(
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
          validRow,
        ],
      }),
    ),
  },
  { title: 'ChangesResult' },
)
