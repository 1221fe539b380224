import { Type } from '#typebox'
import { ROWS } from '../../http/members.ts'
import { rowNotices } from '../../http/openapi-notices.ts'
import { MAX_ROWS } from '../bulk/bulk.ts'
import { createdBody, creationBody } from '../schemas.ts'

const { design: _design, ...createdFields } = createdBody.properties

const csv = Type.String({
  description: 'A header with `target` and any of `alias`, `title`, `campaign`, `look`; then a line for each link.',
  examples: ['alias,target\nmenu,https://example.com/menu\n,https://example.com/other\n'],
})

/** The rows of a bulk creation. */
export const bulkBody = {
  content: {
    'application/json': {
      schema: Type.Unsafe({
        anyOf: [
          Type.Array(creationBody, { minItems: 1, maxItems: MAX_ROWS, title: 'BulkRows', [ROWS]: true }),
          Type.Object({ csv }, { title: 'BulkCsv' }),
        ],
        examples: [[{ target: 'https://example.com/menu', alias: 'menu' }, { target: 'https://example.com/' }]],
      }),
    },
    'text/csv': { schema: csv },
  },
}

const { ignored } = rowNotices

/** The position of a row. */
export const rowIndex = Type.Integer({ minimum: 0, description: 'The position of the row in the request, from 0.' })

const rowError = Type.Object(
  {
    code: Type.String({ description: 'As for a single link.' }),
    detail: Type.String(),
    errors: Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }), {
      description:
        'The invalid fields; a pointer begins at the row. At most 1,000 in a response, at least one for each row.',
    }),
  },
  { title: 'RowError' },
)

/** The result of a row that failed. */
export const failedRow = Type.Object({ index: rowIndex, error: rowError, ignored }, { title: 'FailedRow' })

/** The result of a valid row in a dry run. */
export const validRow = Type.Object(
  { index: rowIndex, valid: Type.Literal(true), ignored },
  { title: 'ValidRow', description: 'In a dry run.' },
)

/** The response to a bulk creation. */
export const bulkResult = Type.Object(
  {
    created: Type.Integer({ minimum: 0 }),
    failed: Type.Integer({ minimum: 0 }),
    results: Type.Array(
      Type.Unsafe({
        anyOf: [
          Type.Object({ index: rowIndex, ...createdFields, ...rowNotices }, { title: 'CreatedRow' }),
          failedRow,
          validRow,
        ],
      }),
    ),
  },
  { title: 'BulkResult' },
)
