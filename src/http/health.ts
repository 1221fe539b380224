import { Type } from '#typebox'
import { problems } from './problem-schema.ts'
import { Problem } from './problem.ts'
import { route, type Route } from './route.ts'

const tags = ['Operation']
const ok = {
  200: {
    description: 'Yes.',
    content: { 'application/json': { schema: Type.Object({ status: Type.Literal('ok') }) } },
  },
  ...problems('method_not_allowed'),
}

/** Load balancers and monitors may use any host name, and must get a response under any load. */
const config = { onDomains: true, work: 'immediate' } as const

export function isHealthPath(url: string): boolean {
  return url === '/healthz' || url === '/readyz'
}

/** @param notReady throws, or returns the reason, while requests should go to another node */
export function healthRoutes(notReady: () => Promise<string | undefined>): Record<'isUp' | 'isReady', Route> {
  return {
    isUp: route({
      config,
      schema: { summary: 'Whether the process is up', operationId: 'healthz', tags, response: ok },
      handler: async () => ({ status: 'ok' }),
    }),
    isReady: route({
      config,
      schema: { summary: 'Whether the service can do its work', operationId: 'readyz', tags, response: ok },
      async handler() {
        const reason = await notReady()
        if (reason !== undefined) throw new Problem('unavailable', reason)
        return { status: 'ok' }
      },
    }),
  }
}
