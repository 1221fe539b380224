import type { FastifyRequest } from 'fastify'
import { Type } from '#typebox'
import { Problem } from '../http/problem.ts'
import type { Repeatable } from './replay.ts'

export const idempotencyHeader = Type.Object({
  'idempotency-key': Type.Optional(
    Type.String({
      minLength: 16,
      maxLength: 255,
      description: 'A random key: the same request with it within 24 hours gives the same answer, tokens included.',
    }),
  ),
})

/**
 * The Idempotency-Key of a request, with everything that a repetition of it must have in common.
 * @throws {Problem} 400 for a key that is not one
 */
export function repeatable(request: FastifyRequest): Repeatable | undefined {
  const key = request.headers['idempotency-key']
  if (key === undefined) return undefined
  if (typeof key !== 'string' || !/^[\x20-\x7e]{16,255}$/.test(key)) {
    throw new Problem('invalid_request', 'the Idempotency-Key must be 16 to 255 printable ASCII characters')
  }
  return { key, request: JSON.stringify([request.url, request.body]) }
}
