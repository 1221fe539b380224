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
    ignored: rowNotices.ignored,
  },
  { title: 'Problem', description: 'RFC 9457.' },
)

/** The content of an error whose problem has the members of a result too (RFC 9457, 3.2) for one of its codes. */
export function problemContent(result: TSchema): Record<string, { schema: object }> {
  const schema = { anyOf: [problemSchema, { allOf: [problemSchema, result] }] }
  return { 'application/problem+json': { schema } }
}

/** The OpenAPI responses of the errors that a route can return, by status. */
export function problems(
  ...codes: ProblemCode[]
): Record<number, { description: string; content: Record<string, object> }> {
  const all: ProblemCode[] = [...codes, 'internal_error', 'unavailable']
  const byStatus = Map.groupBy(all, (code) => catalogue[code][0])
  return Object.fromEntries(
    [...byStatus].map(([status, same]) => [
      status,
      {
        description: same.map((code) => `${catalogue[code][1]} (\`${code}\`).`).join(' '),
        content: { 'application/problem+json': { schema: problemSchema } },
      },
    ]),
  )
}
