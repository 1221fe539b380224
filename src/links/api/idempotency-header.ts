import type { FastifyRequest } from 'fastify'
import { Type } from '#typebox'
import { Problem } from '../../http/problem.ts'
import type { IdempotentRequest } from '../idempotency/idempotency.ts'

export const idempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 16,
      maxLength: 255,
      description: 'A random key. A retry with it within 24 hours gets the same response, tokens included.',
    }),
  ),
})

/** The headers of a route that creates links. */
export const creationHeaders = Type.Object({
  ...idempotencyHeader.properties,
  'quirl-collection': Type.Optional(
    Type.String({
      description:
        'The token of a collection, which the links join as they are created, and whose looks they may name.',
    }),
  ),
})

/** The header of a route that changes links. */
export const looksHeader = Type.Object({
  'quirl-collection': Type.Optional(
    Type.String({ description: 'The token of the collection whose looks the body may name.' }),
  ),
})

/** The token of the collection that links are to join, or whose looks they may name. */
export function collectionOf({ headers }: FastifyRequest): string | undefined {
  const token = headers['quirl-collection']
  return typeof token === 'string' ? token : undefined
}

/** Headers that change what a request does, or how it is answered. */
const coveredHeaders = ['prefer', 'quirl-collection', 'quirl-domain'] as const

/**
 * The Idempotency-Key of a request, with everything that a retry must have in common with it.
 * @throws {Problem} 400 for an invalid key
 */
export function idempotentRequest(request: FastifyRequest): IdempotentRequest | undefined {
  const key = idempotencyKey(request)
  if (key === undefined) return undefined
  const covered = coveredHeaders.flatMap((name) => {
    const value = request.headers[name]
    return value === undefined ? [] : [[name, value]]
  })
  // Without these headers, it is what earlier versions have stored a hash of.
  return { key, covered, request: JSON.stringify([request.url, request.body, ...covered]) }
}

/** @throws {Problem} 400 for an invalid key */
export function idempotencyKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x20-\x7e]{16,255}$/.test(key)) {
    throw new Problem('invalid_request', 'the Idempotency-Key must be 16 to 255 printable ASCII characters')
  }
  return key
}
