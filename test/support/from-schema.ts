import { anyCharacter, fc } from './fast-check.ts'

/** The subset of JSON Schema that quirl's OpenAPI document uses. */
export interface Schema {
  type?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  allOf?: Schema[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  maxItems?: number
  minimum?: number
  maximum?: number
  maxLength?: number
  patternProperties?: Record<string, Schema>
  examples?: unknown[]
}

/** Values that commonly break services. */
const hostile: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1e308,
    2 ** 53,
    1.5,
    '',
    ' ',
    'null',
    '0',
    '__proto__',
    'constructor',
    '\u0000',
    'a\u0007b',
    '\u200b',
    '\ud800',
    '\udc00x',
    '%00',
    '../../etc/passwd',
    'https://127.0.0.1/',
    'https://user@example.com/',
    'javascript:alert(1)',
    "' OR 1=1 --",
    '{{7*7}}',
    '\r\nSet-Cookie: a=b',
    [],
    {},
    [[[[]]]],
    { toString: 1 },
  ),
  fc.constant('x'.repeat(5000)),
  fc.string({ unit: anyCharacter, maxLength: 50 }),
  fc.jsonValue({ maxDepth: 3 }),
)

const goodUrl = fc.constantFrom('https://example.com/', 'http://example.org/a?b=c#d', 'https://bücher.example/ü')

/** Generates values that a schema allows, with hostile values in random places at this percentage. */
export function fromSchema(schema: Schema, hostility = 4): fc.Arbitrary<unknown> {
  return fc.oneof(
    { arbitrary: described(schema, hostility), weight: 100 - hostility },
    { arbitrary: hostile, weight: hostility },
  )
}

function described(schema: Schema, hostility: number): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((each) => fromSchema(each, hostility)))
  switch (schema.type) {
    case 'object':
      return describedObject(schema, hostility)
    case 'array':
      return fc.array(fromSchema(schema.items ?? {}, hostility), { maxLength: Math.min(schema.maxItems ?? 5, 5) })
    case 'integer':
      return fc.integer({ min: schema.minimum ?? 0, max: Math.min(schema.maximum ?? 1000, 5000) })
    case 'boolean':
      return fc.boolean()
    case 'null':
      return fc.constant(null)
    default:
      return describedText(schema)
  }
}

function describedText(schema: Schema): fc.Arbitrary<string> {
  if (schema.maxLength === 2048) return goodUrl
  const written = (schema.examples ?? []).filter((each) => typeof each === 'string')
  const free = fc.string({ unit: 'grapheme', minLength: 1, maxLength: Math.min(schema.maxLength ?? 40, 200) })
  return written.length > 0 ? fc.oneof(fc.constantFrom(...written), free) : free
}

function describedObject(schema: Schema, hostility: number): fc.Arbitrary<unknown> {
  const known = Object.entries(schema.properties ?? {}).map(
    ([name, each]) => [name, fromSchema(each, hostility)] as const,
  )
  const [pairs] = Object.values(schema.patternProperties ?? {})
  if (pairs) return fc.dictionary(fc.stringMatching(/^[a-z0-9_]{1,10}$/), fromSchema(pairs, hostility), { maxKeys: 12 })
  const requiredKeys = schema.required ?? []
  return fc.record(Object.fromEntries(known), { requiredKeys })
}
