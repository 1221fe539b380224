import { createHash } from 'node:crypto'
import { Type, type TProperties } from '#typebox'
import type { ClientAddress } from './client-address.ts'
import { Problem } from './problem.ts'
import { sends } from './response-headers.ts'
import { route, type Route } from './route.ts'

const tags = ['Operation']
const yes = (more: TProperties = {}) => ({
  200: {
    description: 'Yes.',
    content: { 'application/json': { schema: Type.Object({ status: Type.Literal('ok'), ...more }) } },
  },
})
const detail = Type.Optional(
  Type.String({
    description: 'What the operator should know all the same.',
  }),
)

/** Load balancers and monitors may use any host name, and must get a response under any load. */
const config = { onDomains: true, work: 'immediate' } as const

export function isHealthPath(url: string): boolean {
  return url === '/healthz' || url === '/readyz'
}

/** The header by which an operator sees that an address leads to this service and no other. */
export const INSTANCE_HEADER = 'quirl-instance'

/** What `INSTANCE_HEADER` has of the id of a store: neither the id nor anything derived from a secret can be told from it. */
export function instanceDigest(id: string): string {
  return createHash('sha256').update(`quirl instance ${id}`).digest('base64url').slice(0, 22)
}

/** What the routes need of the rest of the program. */
export interface HealthNeeds {
  /** Throws, or returns the reason, while requests should go to another node. */
  notReady: () => Promise<string | undefined>
  /** What is to be said of a service that is ready; undefined when there is nothing. */
  disk: { detail: () => string | undefined }
  /** The digest of the store's id. */
  instance: string
  /** Notes the proxy that forwarded a request. */
  client: ClientAddress
}

export function healthRoutes({ notReady, disk, instance, client }: HealthNeeds): Record<'isUp' | 'isReady', Route> {
  return {
    isUp: route({
      config,
      schema: {
        summary: 'Whether the process is up',
        operationId: 'healthz',
        description:
          'The header `Quirl-Instance` is the same for all addresses of a service; `quirl doctor` compares it.',
        tags,
        response: { 200: { ...yes()[200], headers: sends('Quirl-Instance') } },
      },
      async handler(request, reply) {
        client.of(request.raw)
        reply.headers({ [INSTANCE_HEADER]: instance, 'cache-control': 'no-store' })
        return { status: 'ok' }
      },
    }),
    isReady: route({
      config,
      schema: {
        summary: 'Whether the service can do its work',
        operationId: 'readyz',
        tags,
        response: yes({ detail }),
      },
      async handler(_request, reply) {
        const reason = await notReady()
        if (reason !== undefined) throw new Problem('unavailable', reason, { headers: { 'retry-after': '1' } })
        reply.header('cache-control', 'no-store')
        const detail = disk.detail()
        return { status: 'ok', ...(detail !== undefined && { detail }) }
      },
    }),
  }
}
