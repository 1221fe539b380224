import type { TSchema } from '#typebox'
import { nearName } from '../lib/near-name.ts'
import { shorten } from '../lib/shorten.ts'
import type { FieldError } from './problem.ts'

/** The key of a schema that says which members a request may have, where those that the document shows are not all. */
export const MEMBERS = Symbol('members')

/** The key of the schema of a list whose items each have a result of their own. */
export const ROWS = Symbol('rows')

/** The most unknown members or parameters that are looked for. */
export const MAX_UNKNOWN = 20

/** A member or a parameter that a route does not know. */
export interface Unknown {
  /** A JSON Pointer (RFC 6901), or the name of a parameter after `?`. */
  pointer: string
  name: string
  /** The names that are known in its place. */
  known: string[]
}

/** The parts of a schema that say which members a value may have. */
interface Shape {
  type?: string
  const?: unknown
  anyOf?: Shape[]
  properties?: Record<string, Shape>
  patternProperties?: object
  additionalProperties?: unknown
  required?: string[]
  items?: Shape
  maxItems?: number
  [MEMBERS]?: Shape
  [ROWS]?: boolean
}

/** A value that stands for a member in the choice between alternatives, such as the kind of a stored link. */
export type Chosen = Readonly<Record<string, unknown>>

/**
 * The members of a JSON value that its schema does not know, at every depth, the first few: what is inside an unknown member
 * is not looked at. Of alternatives, those count whose constants the value has; all of them, when it has none's. The
 * members of an object that the validator refuses, or that is open, are not unknown; the items of rows are left out.
 */
export function unknownMembers(schema: TSchema, value: unknown, chosen: Chosen = {}): Unknown[] {
  const found: Unknown[] = []
  walk(alternativesOf(schema), value, '', found, chosen)
  return found
}

/** The parameters of a query that are not among those known. */
export function unknownParameters(known: string[], query: object): Unknown[] {
  const names = new Set(known)
  const found: Unknown[] = []
  for (const name in query) {
    if (names.has(name)) continue
    if (found.push({ pointer: `?${shorten(name)}`, name, known }) === MAX_UNKNOWN) break
  }
  return found
}

/** The columns of a CSV that are not among those known, each once. */
export function unknownColumns(known: string[], names: string[]): Unknown[] {
  return [...new Set(names)].slice(0, MAX_UNKNOWN).map((name) => ({ pointer: `/csv/${segmentOf(name)}`, name, known }))
}

/** The rows of a value, with the schema of one, and the pointer of their list; undefined when it has none. */
export function rowsIn(
  schema: TSchema,
  value: unknown,
): { pointer: string; items: unknown[]; schema: TSchema } | undefined {
  for (const shape of alternativesOf(schema)) {
    if (shape[ROWS] && Array.isArray(value)) return { pointer: '', items: value, schema: shape.items as TSchema }
    for (const [name, part] of Object.entries(shape.properties ?? {})) {
      const items = part[ROWS] && isPlainObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
      if (Array.isArray(items)) return { pointer: `/${name}`, items, schema: part.items as TSchema }
    }
  }
  return undefined
}

/** A valid value without the members that its schema does not know. Alternatives are left as they are. */
export function withoutUnknown(schema: TSchema, value: unknown): unknown {
  const shape: Shape = schema
  const { items, properties } = shape
  if (Array.isArray(value) && items !== undefined) return value.map((item) => withoutUnknown(items as TSchema, item))
  if (!isPlainObject(value) || properties === undefined || isOpenOrClosed(shape)) return value
  const known = Object.entries(value).filter(([name]) => Object.hasOwn(properties, name))
  return Object.fromEntries(known.map(([name, part]) => [name, withoutUnknown(properties[name] as TSchema, part)]))
}

/** The most names of one request for which the nearest known one is searched. */
const MAX_SEARCHES = 100

/** @returns a function that says of a member that it is not known, and which name it may stand for; for one request */
export function createUnknownError(): (unknown: Unknown) => FieldError {
  // In bulk, each row may have the same misspelled name, or each one others.
  const searched = new Map<string, string | undefined>()
  return ({ pointer, name, known }) => {
    const isSearched = searched.has(name) || searched.size >= MAX_SEARCHES
    const near = isSearched ? searched.get(name) : nearName(name, known)
    if (!isSearched) searched.set(name, near)
    const isKnown = near !== undefined && known.includes(near)
    return { pointer, detail: isKnown ? `is not known here; did you mean "${near}"?` : 'is not known here' }
  }
}

function walk(shapes: Shape[], value: unknown, pointer: string, found: Unknown[], chosen: Chosen): void {
  if (Array.isArray(value)) walkList(shapes, value, pointer, found)
  else if (isPlainObject(value)) walkObject(shapes, value, pointer, found, chosen)
}

function walkList(shapes: Shape[], list: unknown[], pointer: string, found: Unknown[]): void {
  const lists = shapes.filter(({ type, items }) => type === 'array' && items !== undefined)
  const items = lists.filter((shape) => !shape[ROWS]).flatMap((shape) => alternativesOf(shape.items as Shape))
  if (items.length === 0) return
  // A list that is longer is refused for its length.
  const end = Math.min(list.length, Math.max(...lists.map(({ maxItems = Infinity }) => maxItems)))
  for (let at = 0; at < end && found.length < MAX_UNKNOWN; at++) walk(items, list[at], `${pointer}/${at}`, found, {})
}

function walkObject(
  shapes: Shape[],
  object: Record<string, unknown>,
  pointer: string,
  found: Unknown[],
  chosen: Chosen,
): void {
  const fitting = fittingOf(shapes, object, chosen)
  if (fitting.length === 0 || fitting.some(isOpenOrClosed)) return
  for (const name in object) {
    const parts = fitting.flatMap(({ properties = {} }) =>
      Object.hasOwn(properties, name) ? (properties[name] ?? []) : [],
    )
    if (parts.length > 0) walk(parts.flatMap(alternativesOf), object[name], `${pointer}/${segmentOf(name)}`, found, {})
    else found.push({ pointer: `${pointer}/${segmentOf(name)}`, name, known: namesOf(fitting) })
    if (found.length === MAX_UNKNOWN) return
  }
}

/** The alternatives of a schema, in the form that counts for members. */
function alternativesOf(shape: Shape): Shape[] {
  const { anyOf } = shape[MEMBERS] ?? shape
  return anyOf === undefined ? [shape[MEMBERS] ?? shape] : anyOf.flatMap(alternativesOf)
}

/** The objects among the alternatives whose constants a value has; all objects when it has those of none. */
function fittingOf(shapes: Shape[], object: Record<string, unknown>, chosen: Chosen): Shape[] {
  const valueOf = (name: string) => chosen[name] ?? (Object.hasOwn(object, name) ? object[name] : undefined)
  const objects = shapes.filter(({ type }) => type === 'object')
  if (objects.length < 2) return objects
  const fitting = objects.filter(({ properties = {}, required = [] }) =>
    Object.entries(properties).every(([name, { const: expected }]) => {
      if (expected === undefined) return true
      const value = valueOf(name)
      return value === undefined ? !required.includes(name) : value === expected
    }),
  )
  return fitting.length > 0 ? fitting : objects
}

/** Whether the schema takes any member, or has the validator refuse those that it does not name. */
function isOpenOrClosed({ patternProperties, additionalProperties }: Shape): boolean {
  return patternProperties !== undefined || additionalProperties !== undefined
}

function namesOf(shapes: Shape[]): string[] {
  return [...new Set(shapes.flatMap(({ properties = {} }) => Object.keys(properties)))]
}

function segmentOf(name: string): string {
  return shorten(name).replaceAll('~', '~0').replaceAll('/', '~1')
}

/** Whether a value is an object of JSON: a parser may also return one of a class of its own. */
function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}
