import type { FastifyInstance, RouteOptions } from 'fastify'
import type { ProblemCode } from './problem.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** What is answered in place of the route, as `noteRefusals` has noted it. */
    refusals?: readonly ProblemCode[]
    /** Whether a request over plain HTTP is redirected to the HTTPS of the service, where it has that. */
    movesToHttps?: boolean
    /** Whether the handler charges a quota of the client; a hook that does is known by `chargingHook`. */
    isCharged?: boolean
    /** Whether the responses of the route say what was ignored, and warn (`addNotices`). */
    hasNotices?: boolean
  }
}

/**
 * Notes for the OpenAPI document what a part of the server answers in place of each route that is added to `app` later: the
 * part knows, and no route can forget it.
 */
export function noteRefusals(app: FastifyInstance, refusalsOf: (route: RouteOptions) => readonly ProblemCode[]): void {
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, refusals: [...(route.config?.refusals ?? []), ...refusalsOf(route)] }
  })
}

const charging = new WeakSet<object>()

/** Marks a hook that charges a quota of the client, which sets the `RateLimit` headers. */
export function chargingHook<H extends object>(hook: H): H {
  charging.add(hook)
  return hook
}

/** Whether requests of a route are charged to a quota: any of its responses may then have the `RateLimit` headers. */
export function isCharged({ config, onRequest }: RouteOptions): boolean {
  return config?.isCharged === true || [onRequest ?? []].flat().some((hook) => charging.has(hook))
}

/** What a route can answer because of the fields of its requests. */
export function refusalsOfSchema({ schema = {} }: RouteOptions): ProblemCode[] {
  const headers = (schema.headers as { properties?: object } | undefined)?.properties ?? {}
  const needsKey = schema.security?.some((each) => 'creationKey' in each) === true
  return [
    ...('if-match' in headers ? (['precondition_failed'] as const) : []),
    ...('idempotency-key' in headers ? (['idempotency_key_reused'] as const) : []),
    ...(needsKey ? (['key_required', 'creation_closed'] as const) : []),
  ]
}
