import type { IncomingMessage } from 'node:http'
import type { Registry } from 'prom-client'
import { Type } from '#typebox'
import type { AnyMetric } from './metric.ts'
import { processMetrics } from './process-metrics.ts'
import { problems } from './problem-schema.ts'
import { Problem } from './problem.ts'
import { route, type Route } from './route.ts'

/** What the metrics need from the rest of the program. */
export interface MetricsNeeds {
  metrics: AnyMetric[]
  /** Whether this machine or a trusted network sent a request. */
  isInternal: (request: IncomingMessage) => boolean
}

/** `GET /metrics` in Prometheus' text format, for internal requests only. */
export function metricsRoute({ metrics, isInternal }: MetricsNeeds): Route {
  let opened: Promise<Registry> | undefined
  return route({
    config: { work: 'immediate' },
    schema: {
      summary: 'Metrics for Prometheus',
      operationId: 'metrics',
      description:
        'Only for requests of this machine and of the networks in `TRUST_PROXY`, unless a proxy forwarded them.',
      tags: ['Operation'],
      response: {
        200: { description: 'The metrics.', content: { 'text/plain': { schema: Type.String() } } },
        ...problems('forbidden'),
      },
    },
    async handler(request, reply) {
      if (!isInternal(request.raw)) throw new Problem('forbidden', 'metrics are for the operator of this service')
      // Loaded at the first request: many services are never scraped.
      opened ??= import('./metrics-registry.ts').then((it) => it.openRegistry([...processMetrics, ...metrics]))
      const registry = await opened
      reply.headers({ 'content-type': registry.contentType, 'cache-control': 'no-store' })
      return registry.metrics()
    },
  })
}
