import { nameOf, type Schema } from './document.ts'

/** Deeper than any schema of the document nests; a schema that contained itself would end here. */
const MAX_DEPTH = 12

/** Members that few responses have; the guide says when. */
const NOTICES = new Set(['ignored', 'warnings'])

/** The password of examples. */
export const PASSWORD = 'correct horse'

/** Values of well-known names, so that the examples of one page belong together. */
export interface Known {
  origin: string
  code: string
  token: string
}

/** A value that a schema allows: its own example where it has one, with every property. */
export function exampleOf(schema: Schema, schemas: Record<string, Schema>, known: Known): unknown {
  const byName = knownValues(known)
  const build = (each: Schema, name: string, depth: number): unknown => {
    const stated = statedExample(each)
    if (stated !== undefined) return stated
    if (each.$ref !== undefined) return build(schemas[nameOf({ $ref: each.$ref })] ?? {}, name, depth)
    if (each.anyOf !== undefined) return build(each.anyOf.find(({ type }) => type !== 'null') ?? {}, name, depth)
    if (each.allOf !== undefined) return Object.assign({}, ...each.allOf.map((part) => build(part, name, depth)))
    if (depth > MAX_DEPTH) return null
    if (each.type === 'array') return buildArray(each, (item) => build(item, name, depth + 1))
    if (each.type === 'object') return buildObject(each, (part, key) => build(part, key, depth + 1))
    return byName[name] ?? simpleExample(each)
  }
  return build(schema, '', 0)
}

function statedExample({ examples, const: constant, default: fallback, enum: values }: Schema): unknown {
  return examples?.[0] ?? constant ?? fallback ?? values?.[0]
}

function buildArray({ items = {}, minItems = 1, maxItems = 1 }: Schema, build: (schema: Schema) => unknown): unknown[] {
  return Array.from({ length: Math.min(Math.max(minItems, 1), maxItems) }, () => build(items))
}

function buildObject(
  { properties = {}, additionalProperties }: Schema,
  build: (schema: Schema, name: string) => unknown,
): object {
  const shown = Object.entries(properties).filter(([name]) => !NOTICES.has(name))
  const entries = shown.map(([name, part]) => [name, build(part, name)])
  if (entries.length === 0 && typeof additionalProperties === 'object') {
    return { name: build(additionalProperties, 'name') }
  }
  return Object.fromEntries(entries)
}

function simpleExample({ type, format, minimum = 0, minLength = 0 }: Schema): unknown {
  if (type === 'integer' || type === 'number') return Math.max(minimum, 1)
  if (type === 'boolean') return true
  if (type === 'null') return null
  if (format === 'date-time') return '2026-11-22T09:30:00.000Z'
  if (format === 'uri') return 'https://example.com/'
  return 'text'.padEnd(minLength, '…')
}

function knownValues({ origin, code, token }: Known): Record<string, unknown> {
  return {
    code,
    token,
    short_url: `${origin}/${code}`,
    qr_png: `${origin}/${code}/qr.png`,
    qr_svg: `${origin}/${code}/qr.svg`,
    manage_url: `${origin}/m/${token}`,
    target: 'https://example.com/menu',
    date: '2026-11-22',
    from: '2026-10-24',
    to: '2026-11-22',
    scans: 120,
    humans: 114,
    unique_visitors: 96,
    bots: 6,
    qr: 101,
    link: 19,
    days: 30,
    country: 'DE',
    password: PASSWORD,
  }
}
