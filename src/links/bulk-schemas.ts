import { Type } from '#typebox'
import { MAX_ROWS } from './bulk.ts'
import { createdBody, creationBody } from './schemas.ts'

const csv = Type.String({
  description: 'A header with `target` and any of `alias`, `title`, `campaign`; then a line for each link.',
  examples: ['alias,target\nmenu,https://example.com/menu\n,https://example.com/other\n'],
})

/** The rows of a bulk creation. */
export const bulkBody = {
  content: {
    'application/json': {
      schema: Type.Unsafe({
        anyOf: [
          Type.Array(creationBody, { minItems: 1, maxItems: MAX_ROWS, title: 'BulkRows' }),
          Type.Object({ csv }, { title: 'BulkCsv' }),
        ],
        examples: [[{ target: 'https://example.com/menu', alias: 'menu' }, { target: 'https://example.com/' }]],
      }),
    },
    'text/csv': { schema: csv },
  },
}

const index = Type.Integer({ minimum: 0, description: 'The position of the row in the request, from 0.' })

const rowError = Type.Object(
  {
    code: Type.String({ description: 'As for a single creation.' }),
    detail: Type.String(),
    errors: Type.Array(Type.Object({ pointer: Type.String(), detail: Type.String() }), {
      description:
        'The invalid fields; a pointer begins at the row. At most 1,000 in a response, at least one for each row.',
    }),
  },
  { title: 'RowError' },
)

/** The response to a bulk creation. */
export const bulkResult = Type.Object(
  {
    created: Type.Integer({ minimum: 0 }),
    failed: Type.Integer({ minimum: 0 }),
    results: Type.Array(
      Type.Unsafe({
        anyOf: [
          Type.Object({ index, ...createdBody.properties }, { title: 'CreatedRow' }),
          Type.Object({ index, error: rowError }, { title: 'FailedRow' }),
          Type.Object({ index, valid: Type.Literal(true) }, { title: 'ValidRow', description: 'In a dry run.' }),
        ],
      }),
    ),
  },
  { title: 'BulkResult' },
)
