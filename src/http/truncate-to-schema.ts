import type { TSchema } from '#typebox'

/** Unknown fields of a closed object that are validated at most. */
const MAX_UNKNOWN_FIELDS = 101

/** The parts of a schema that limit the size of a value. */
interface Bounds {
  type?: string
  maxLength?: number
  maxItems?: number
  maxProperties?: number
  items?: TSchema
  properties?: Record<string, TSchema>
  patternProperties?: Record<string, TSchema>
  additionalProperties?: unknown
}

/**
 * Copies a value, and cuts whatever exceeds its bound to just over the bound, at every depth: validating the copy finds
 * the same errors, and costs no more than the bounds of the schema allow. Unknown fields of an open object are dropped.
 */
export function truncateToSchema(schema: TSchema, value: unknown): unknown {
  const bounds = schema as Bounds
  // Most values are within their bounds, and need no copy.
  if (bounds.type === undefined || isWithin(bounds, value)) return value
  if (typeof value === 'string') return truncateText(value, bounds.maxLength)
  if (Array.isArray(value)) return bounds.type === 'array' ? truncateList(value, bounds) : []
  if (typeof value === 'object' && value !== null) return truncateObject(value as Record<string, unknown>, bounds)
  return value
}

/** Whether no part of a value exceeds its bound; reads no more than the bounds allow. */
function isWithin(bounds: Bounds, value: unknown): boolean {
  if (bounds.type === undefined) return true
  if (typeof value === 'string') return value.length <= 2 * (bounds.maxLength ?? Infinity)
  if (typeof value !== 'object' || value === null) return true
  if (!Array.isArray(value)) return isObjectWithin(bounds, value as Record<string, unknown>)
  const { type, items, maxItems = Infinity } = bounds
  if (type !== 'array' || value.length > maxItems) return false
  return items === undefined || value.every((item) => isWithin(items, item))
}

function isObjectWithin(bounds: Bounds, object: Record<string, unknown>): boolean {
  const { properties = {}, patternProperties, additionalProperties } = bounds
  for (const name in properties) {
    if (Object.hasOwn(object, name) && !isWithin(properties[name] as TSchema, object[name])) return false
  }
  const isOpen = patternProperties === undefined && additionalProperties !== false
  return isOpen || areOthersWithin(bounds, object)
}

function areOthersWithin(bounds: Bounds, object: Record<string, unknown>): boolean {
  const { properties = {}, patternProperties = {}, maxProperties = Infinity } = bounds
  const [pattern] = Object.values(patternProperties)
  let others = 0
  for (const name in object) {
    if (Object.hasOwn(properties, name)) continue
    if (++others > Math.min(MAX_UNKNOWN_FIELDS, maxProperties)) return false
    if (pattern === undefined || !isWithin(pattern, object[name])) return false
  }
  return true
}

/** A bound counts characters, each of at most two UTF-16 units. */
function truncateText(text: string, max = Infinity): string {
  const end = 2 * max + 1
  if (text.length <= end) return text
  // Half a surrogate pair would be a second error.
  return text.slice(0, /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') ? end + 1 : end)
}

function truncateList(list: unknown[], { items, maxItems = Infinity }: Bounds): unknown[] {
  return list.slice(0, maxItems + 1).map((item) => (items === undefined ? item : truncateToSchema(items, item)))
}

function truncateObject(object: Record<string, unknown>, bounds: Bounds): Record<string, unknown> {
  const { properties = {}, patternProperties, maxProperties = Infinity, additionalProperties } = bounds
  const known = Object.keys(properties).filter((name) => Object.hasOwn(object, name))
  const isOpen = patternProperties === undefined && additionalProperties !== false
  const others = isOpen ? [] : Object.keys(object).filter((name) => !Object.hasOwn(properties, name))
  const max = Math.min(MAX_UNKNOWN_FIELDS, maxProperties + 1)
  const [pattern] = Object.values(patternProperties ?? {})
  return Object.fromEntries([
    ...known.map((name) => [name, truncateToSchema(properties[name] as TSchema, object[name])]),
    ...others
      .slice(0, max)
      .map((name) => [name, pattern === undefined ? null : truncateToSchema(pattern, object[name])]),
  ])
}
