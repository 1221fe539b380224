import { Type } from '#typebox'
import type { Database } from '../db/database.ts'
import { route, type Route } from '../http/route.ts'
import { codeKey, isCode, type IsReserved } from './code.ts'
import type { ClientLimits } from './client.ts'
import { isCodeUsed } from './create-store.ts'

/** Why no new link may have a code. */
const reasons = ['taken', 'reserved', 'invalid'] as const

/** Whether a new link may have a code. */
export interface Availability {
  available: boolean
  /** Present when it may not. */
  reason?: (typeof reasons)[number]
}

const availabilityBody = Type.Object(
  {
    available: Type.Boolean(),
    reason: Type.Optional(Type.Enum([...reasons], { description: 'Present when the code is not available.' })),
  },
  { title: 'Availability', examples: [{ available: false, reason: 'taken' }] },
)

/** Reads the store and not the cache of visits, in which no code that somebody tries may replace a link. */
export async function findAvailability(
  { db, isReserved }: { db: Database; isReserved: IsReserved },
  code: string,
): Promise<Availability> {
  if (!isCode(code)) return { available: false, reason: 'invalid' }
  if (isReserved(code)) return { available: false, reason: 'reserved' }
  return (await isCodeUsed(db.read, codeKey(code))) ? { available: false, reason: 'taken' } : { available: true }
}

interface CodeRoute {
  Params: { code: string }
}

/** `GET /api/links/<code>/available` */
export function availabilityRoute({
  links,
  limits,
}: {
  links: { findAvailability: (code: string) => Promise<Availability> }
  limits: ClientLimits
}): Route {
  return route<CodeRoute>({
    config: { isCharged: true },
    schema: {
      summary: 'See whether a code is free',
      operationId: 'readAvailability',
      description:
        'Whether a new link may have this code as its `alias`. A code that a deleted link had stays taken. Each request ' +
        'counts as an unknown code in the quota, whatever the response is.',
      tags: ['Links'],
      params: Type.Object({ code: Type.String({ description: 'The code, in any case.', examples: ['summer-menu'] }) }),
      response: {
        200: {
          description: 'Whether the code is free.',
          content: { 'application/json': { schema: availabilityBody } },
        },
      },
    },
    async handler(request, reply) {
      // Charged before the look-up: both responses tell whether a link exists.
      const refusal = await limits.chargeNotFound(request, reply)
      if (refusal !== undefined) throw refusal
      return reply.header('cache-control', 'no-store').send(await links.findAvailability(request.params.code))
    },
  })
}
