import type { FastifyInstance, FastifyReply } from 'fastify'
import { Type } from '#typebox'
import { keepPrivate, type ManageRequest, type OwnerRoute } from '../links/access.ts'
import type { Link } from '../links/link.ts'
import type { Places } from '../limits/at-once.ts'
import type { Recorder } from './recorder.ts'

/** What the statistics need of the rest of the program. */
export interface ScanDeps {
  recorder: Recorder
  limits: { places: Places }
  now: () => number
  /** The link of a token; throws a 404 when there is none. */
  linkOfToken: (token: string) => Promise<Link>
  /** Calls back when the service stops, until the returned function is called. */
  onDrain: (listener: () => void) => () => void
}

/** Adds a route below /manage. */
export type AddOwnerRoute = (
  name: string,
  schema: { operationId: string; [key: string]: unknown },
  handler: (request: ManageRequest, reply: FastifyReply) => Promise<unknown>,
) => void

const params = Type.Object({ token: Type.String({ description: 'The token of the creation.' }) })

/** Every route of an owner is there twice: with the token in the path, and with the token in the Authorization header. */
export function createAddOwnerRoute(app: FastifyInstance): AddOwnerRoute {
  const options = { config: { work: 'statistics' }, onSend: keepPrivate } as const
  return (name, schema, handler) => {
    app.get<OwnerRoute>(`/manage/:token/${name}`, { ...options, schema: { ...schema, params } }, handler)
    const byHeader = { ...schema, operationId: `${schema.operationId}ByHeader`, security: [{ token: [] }] }
    app.get<OwnerRoute>(`/manage/${name}`, { ...options, schema: byHeader }, handler)
  }
}
