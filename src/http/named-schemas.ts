/** A part of an OpenAPI document. */
type Json = string | number | boolean | null | undefined | Json[] | { [name: string]: Json }
type Schemas = Record<string, Json>

/** Data of the API, in which a `title` is that of a link. */
const DATA = new Set(['example', 'examples', 'default', 'const', 'enum'])

/**
 * Writes each schema that has a `title` once, below that name, and a reference wherever it stood: a document in which each
 * route spells out its own copy is several times as long, and generated clients have no name for their types.
 * @param value the `paths` of an OpenAPI document
 * @returns the paths with references, and the schemas by their names for `components.schemas`
 * @throws when two different schemas have one name
 */
export function nameSchemas(value: object): { paths: Json; schemas: Schemas } {
  const schemas: Schemas = {}

  function refer(json: Json): Json {
    if (Array.isArray(json)) return json.map(refer)
    if (typeof json !== 'object' || json === null) return json
    const parts = Object.entries(json).map(([key, part]) => [key, DATA.has(key) ? part : refer(part)] as const)
    const copy: Record<string, Json> = Object.fromEntries(parts)
    return typeof copy['title'] === 'string' ? name(copy['title'], copy) : copy
  }

  function name(title: string, schema: Json): Json {
    const known = schemas[title]
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new Error(`two schemas have the title ${title}`)
    }
    schemas[title] = schema
    return { $ref: `#/components/schemas/${title}` }
  }

  return { paths: refer(value as Json), schemas }
}
