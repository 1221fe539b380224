/** A part of an OpenAPI document. */
type Json = string | number | boolean | null | undefined | Json[] | { [name: string]: Json }

/** Keys of sample data, in which `title` is the field of a link. */
const DATA = new Set(['example', 'examples', 'default', 'const', 'enum'])

/**
 * Moves each schema that has a `title` to a named component, and refers to it from where it was. A document with a copy in
 * every route is several times as long, and generated clients have no names for their types.
 * @param value parts of an OpenAPI document
 * @returns the parts with references, and the components
 * @throws when two different schemas have one name
 */
export function nameSchemas<K extends string>(
  value: Record<K, object>,
): { value: Record<K, Json>; schemas: Record<string, Json> } {
  const schemas: Record<string, Json> = {}

  function refer(json: Json): Json {
    if (Array.isArray(json)) return json.map(refer)
    if (typeof json !== 'object' || json === null) return json
    const parts = Object.entries(json).map(([key, part]) => [key, DATA.has(key) ? part : refer(part)] as const)
    const copy: Record<string, Json> = Object.fromEntries(parts)
    return typeof copy['title'] === 'string' ? define(copy['title'], copy) : copy
  }

  function define(name: string, part: Json): Json {
    const known = schemas[name]
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(part)) {
      throw new Error(`two schemas have the name ${name}`)
    }
    schemas[name] = part
    return { $ref: `#/components/schemas/${name}` }
  }

  const parts: object = value
  return { value: refer(parts as Json) as Record<K, Json>, schemas }
}
