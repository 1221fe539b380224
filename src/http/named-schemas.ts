/** A part of an OpenAPI document. */
type Json = string | number | boolean | null | undefined | Json[] | { [name: string]: Json }
type Named = Record<string, Json>

/** Definitions that the paths refer to. */
export interface Components {
  schemas: Named
  responses: Named
}

/** Keys of sample data, in which `title` is the field of a link. */
const DATA = new Set(['example', 'examples', 'default', 'const', 'enum'])

const PROBLEM = 'application/problem+json'

/**
 * Moves each schema that has a `title`, and each error response, to a named component, and refers to it from the paths.
 * A document with a copy in every route is several times as long, and generated clients have no names for their types.
 * @param value the `paths` of an OpenAPI document
 * @returns the paths with references, and the components
 * @throws when two different schemas have one name
 */
export function nameSchemas(value: object): { paths: Json; components: Components } {
  const components: Components = { schemas: {}, responses: {} }

  function refer(json: Json): Json {
    if (Array.isArray(json)) return json.map(refer)
    if (typeof json !== 'object' || json === null) return json
    const parts = Object.entries(json).map(([key, part]) => [key, DATA.has(key) ? part : refer(part)] as const)
    const copy: Record<string, Json> = Object.fromEntries(parts)
    if (typeof copy['title'] === 'string') return define('schemas', copy['title'], copy)
    const codes = problemCodes(copy)
    return codes === undefined ? copy : define('responses', codes, copy)
  }

  function define(kind: keyof Components, name: string, part: Json): Json {
    const known = components[kind][name]
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(part)) {
      throw new Error(`two ${kind} have the name ${name}`)
    }
    components[kind][name] = part
    return { $ref: `#/components/${kind}/${name}` }
  }

  return { paths: refer(value as Json), components }
}

/** The name of an error response: the codes in its description. */
function problemCodes({ content, description }: Record<string, Json>): string | undefined {
  const types = Object.keys((content ?? {}) as object)
  if (types.length !== 1 || types[0] !== PROBLEM || typeof description !== 'string') return undefined
  return Array.from(description.matchAll(/`(\w+)`/g), ([, code]) => code).join('-or-')
}
