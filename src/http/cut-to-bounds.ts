import type { TSchema } from '#typebox'

/** So many fields that a closed object does not know are looked at. */
const MAX_STRANGERS = 101

/** What of a schema says how much a value may hold. */
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
 * A copy of a value in which everything that is over its bound is cut to just over it, at every depth: a check of the
 * copy finds the same fault, and costs no more than the bounds of the schema allow. Fields that an open object does not
 * know are left out.
 */
export function cutToBounds(schema: TSchema, value: unknown): unknown {
  const bounds = schema as Bounds
  // Nearly all are: these need no copy.
  if (bounds.type === undefined || isWithin(bounds, value)) return value
  if (typeof value === 'string') return cutText(value, bounds.maxLength)
  if (Array.isArray(value)) return bounds.type === 'array' ? cutList(value, bounds) : []
  if (typeof value === 'object' && value !== null) return cutObject(value as Record<string, unknown>, bounds)
  return value
}

/** Whether nothing of a value is over its bound; looks at no more than the bounds allow. */
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
    if (++others > Math.min(MAX_STRANGERS, maxProperties)) return false
    if (pattern === undefined || !isWithin(pattern, object[name])) return false
  }
  return true
}

/** A bound counts characters, of which each has at most two code units. */
function cutText(text: string, most = Infinity): string {
  const end = 2 * most + 1
  if (text.length <= end) return text
  // Half a character would be a second fault.
  return text.slice(0, /[\uD800-\uDBFF]/.test(text[end - 1] ?? '') ? end + 1 : end)
}

function cutList(list: unknown[], { items, maxItems = Infinity }: Bounds): unknown[] {
  return list.slice(0, maxItems + 1).map((item) => (items === undefined ? item : cutToBounds(items, item)))
}

function cutObject(object: Record<string, unknown>, bounds: Bounds): Record<string, unknown> {
  const { properties = {}, patternProperties, maxProperties = Infinity, additionalProperties } = bounds
  const known = Object.keys(properties).filter((name) => Object.hasOwn(object, name))
  const isOpen = patternProperties === undefined && additionalProperties !== false
  const others = isOpen ? [] : Object.keys(object).filter((name) => !Object.hasOwn(properties, name))
  const most = Math.min(MAX_STRANGERS, maxProperties + 1)
  const [pattern] = Object.values(patternProperties ?? {})
  return Object.fromEntries([
    ...known.map((name) => [name, cutToBounds(properties[name] as TSchema, object[name])]),
    ...others.slice(0, most).map((name) => [name, pattern === undefined ? null : cutToBounds(pattern, object[name])]),
  ])
}
