import { isObject } from '../http/body.ts'
import { invalidRequest } from '../http/problem.ts'
import type { Collecting } from './deps.ts'

/**
 * The name of the look that stands in place of a design; undefined for a design.
 * @param value the design of a request
 * @throws {Problem} 400 when the name is none, or something stands beside it
 */
export function lookOf(value: unknown): string | undefined {
  if (!isObject(value) || value['look'] === undefined) return undefined
  const { look, ...rest } = value
  if (typeof look !== 'string') throw invalidRequest([{ pointer: '/design/look', detail: 'must be a string' }])
  const others = Object.keys(rest)
  if (others.length === 0) return look
  throw invalidRequest(others.map((name) => ({ pointer: `/design/${name}`, detail: 'cannot be set beside a look' })))
}

/**
 * Reads the looks of a collection by their names.
 * @param collection its token
 * @throws {Problem} 400 when the request names no collection, 404 when it names an unknown one
 */
export async function findLooks(
  collecting: Collecting,
  collection: string | undefined,
  names: string[],
): Promise<Map<string, object>> {
  if (collection !== undefined) return collecting.looks(collection, names)
  const detail = 'is of a collection, and the request names none: its token goes into the header Quirl-Collection'
  throw invalidRequest([{ pointer: '/design/look', detail }])
}

/** @throws {Problem} 400 when no look has the name */
export function lookIn(looks: ReadonlyMap<string, object>, name: string): object {
  const look = looks.get(name)
  if (look !== undefined) return look
  throw invalidRequest([{ pointer: '/design/look', detail: 'is the name of no look of the collection' }])
}
