import { Type, type TSchema } from '#typebox'
import { rowNotices } from './openapi-notices.ts'
import { catalogue, type ProblemCode } from './problem.ts'

export const problemSchema = Type.Object(
  {
    type: Type.String({ description: 'URL of the code in the catalogue.' }),
    title: Type.String(),
    status: Type.Integer(),
    detail: Type.String({ description: 'What is wrong with this request.' }),
    code: Type.String({ description: 'A stable identifier to branch on.' }),
    request_id: Type.String({ description: 'Identifies the log line of an internal error.' }),
    errors: Type.Optional(
      Type.Array(
        Type.Object({ pointer: Type.String({ description: 'JSON Pointer to the field.' }), detail: Type.String() }),
      ),
    ),
    undo_until: Type.Optional(
      Type.String({
        format: 'date-time',
        description: 'Of `link_deleted`: until when `POST …/undelete` brings the link back, UTC.',
      }),
    ),
    ignored: rowNotices.ignored,
  },
  { title: 'Problem', description: 'RFC 9457.' },
)

/** The content of an error whose problem has the members of a result too (RFC 9457, 3.2) for one of its codes. */
export function problemContent(result: TSchema): Record<string, { schema: object }> {
  const schema = { anyOf: [problemSchema, { allOf: [problemSchema, result] }] }
  return { 'application/problem+json': { schema } }
}

/** The key of the codes in the response of a route's schema: a symbol, which is in no document. */
export const CODES = Symbol('codes')

/** The codes of one status. */
interface ProblemResponse {
  description: string
  [CODES]: ProblemCode[]
}

/**
 * The errors that the handler of a route returns, by status, for its schema. `describeResponses` adds what the rest of the
 * server answers in its place, and the headers and the body of each.
 */
export function problems(...codes: ProblemCode[]): Record<number, ProblemResponse> {
  const byStatus = Map.groupBy(codes, (code) => catalogue[code][0])
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => [status, { description: describeCodes(same), [CODES]: same }]),
  )
}

/** Says in a sentence each what codes mean. */
export function describeCodes(codes: readonly ProblemCode[]): string {
  return codes.map((code) => `${catalogue[code][1]} (\`${code}\`).`).join(' ')
}
