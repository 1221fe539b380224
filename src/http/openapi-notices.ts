import { Type } from '#typebox'
import { MAX_UNKNOWN } from './members.ts'

/** A part of an OpenAPI document. */
type Json = string | number | boolean | null | undefined | Json[] | { [name: string]: Json }
type JsonObject = { [name: string]: Json }

/** What a request asked for and its route does not know. */
export const ignoredField = Type.Array(Type.String(), {
  title: 'Ignored',
  maxItems: MAX_UNKNOWN,
  description:
    'Only present when something was ignored: JSON Pointers to members that are not known here, and names of parameters after `?`.',
})

/** What a client should know about a response that is otherwise as requested. */
export const warningsField = Type.Array(
  Type.Object({
    code: Type.String({
      description:
        '`local_address`: others cannot reach the URLs of the response. `windows_1252`: the CSV is not UTF-8, and was read as Windows-1252. `invisible_characters`: those at the ends of a URL were dropped.',
    }),
    detail: Type.String(),
  }),
  { title: 'Warnings', description: 'Only present when there is something to warn of.' },
)

/** The members that the result of a row has, as a response has them. */
export const rowNotices = { ignored: Type.Optional(ignoredField), warnings: Type.Optional(warningsField) }

/** The parameter to which `declareNotices` refers. */
export const noticeParameters = {
  Prefer: {
    name: 'Prefer',
    in: 'header',
    description:
      '`handling=strict` refuses a request that has something unknown, in place of ignoring it (RFC 7240). In bulk it is the error of the row.',
    schema: { type: 'string' },
    example: 'handling=strict',
  },
}

/** The headers that say of a request what `addNotices` does, for `describeResponses`. */
export const requestNotices = ['Quirl-Ignored', 'Preference-Applied'] as const

/**
 * Adds to every operation of the API what holds for all of them: the header that asks for strict handling, and what a
 * response says besides what was asked.
 * @param paths the `paths` of an OpenAPI document, which stays as it is
 */
export function declareNotices(paths: object): object {
  const titles = titlesOfAnswers(paths as JsonObject)
  return mapObject(paths as JsonObject, (operations, path) =>
    mapObject(operations as JsonObject, (operation) => {
      const declared = declareMembers(operation, titles) as JsonObject
      return path.startsWith('/api/') ? withPreference(declared) : declared
    }),
  )
}

function withPreference(operation: JsonObject): JsonObject {
  const parameters = (operation['parameters'] ?? []) as Json[]
  return { ...operation, parameters: [...parameters, { $ref: '#/components/parameters/Prefer' }] }
}

/** The titles of the objects with which operations of the API answer. */
function titlesOfAnswers(paths: JsonObject): Set<string> {
  const answers = Object.entries(paths)
    .filter(([path]) => path.startsWith('/api/'))
    .flatMap(([, operations]) => Object.values(operations as JsonObject))
    .flatMap((operation) => Object.entries((operation as JsonObject)['responses'] as JsonObject))
    .filter(([status]) => status < '400')
    .map(([, response]) => jsonOf(response as JsonObject)?.['title'])
  return new Set(answers.filter((title) => typeof title === 'string'))
}

function jsonOf({ content }: JsonObject): JsonObject | undefined {
  return (
    (content as Record<string, JsonObject> | undefined)?.['application/json'] as { schema: JsonObject } | undefined
  )?.schema
}

/** Declares the members of answers wherever one is described: a name stands for one schema. */
function declareMembers(part: Json, titles: ReadonlySet<string>): Json {
  if (Array.isArray(part)) return part.map((each) => declareMembers(each, titles))
  if (typeof part !== 'object' || part === null) return part
  const copy = mapObject(part, (each) => declareMembers(each, titles))
  const { type, title } = copy
  const isAnswer = type === 'object' && typeof title === 'string' && titles.has(title)
  return isAnswer
    ? { ...copy, properties: { ...(copy['properties'] as JsonObject), ...(rowNotices as object as JsonObject) } }
    : copy
}

function mapObject(object: JsonObject, map: (value: Json, name: string) => Json): JsonObject {
  return Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value, name)]))
}
