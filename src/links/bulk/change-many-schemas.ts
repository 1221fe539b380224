import { Type, type TSchema } from '#typebox'
import { MAX_ROWS } from './bulk.ts'
import { failedRow, rowIndex, validRow } from './bulk-schemas.ts'
import { updateBody } from '../schemas.ts'

const {
  design: _design,
  password: _password,
  webhook: _webhook,
  ...fields
}: Record<string, TSchema> = updateBody.properties

const changeRow = Type.Object(
  {
    token: Type.String({ description: 'The token of the link; each link may occur once.' }),
    if_match: Type.Optional(
      Type.String({
        description: 'Only change the revision with this ETag: a value of `If-Match`.',
        examples: ['"3"'],
      }),
    ),
    ...fields,
  },
  { title: 'ChangeRow' },
)

/** The rows of a change of many links. */
export const changesBody = Type.Object(
  { changes: Type.Array(changeRow, { minItems: 1, maxItems: MAX_ROWS }) },
  {
    title: 'Changes',
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
