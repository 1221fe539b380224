import type { IncomingMessage } from 'node:http'
import { Type } from '#typebox'
import type { AnyMetric } from './metric.ts'
import { processMetrics } from './process-metrics.ts'
import { problems } from './problem-schema.ts'
import { Problem } from './problem.ts'
import { readMetrics, type Readings } from './read-metrics.ts'
import { route, type Route } from './route.ts'

/** What the metrics need from the rest of the program. */
export interface MetricsNeeds {
  metrics: AnyMetric[]
  /** Whether this machine or a trusted network sent a request. */
  isInternal: (request: IncomingMessage) => boolean
  /** Called with the metrics that cannot be read. */
  onFailed: (failed: Readings['failed']) => void
}

/** `GET /metrics` in Prometheus' text format, for internal requests only. */
export function metricsRoute({ metrics, isInternal, onFailed }: MetricsNeeds): Route {
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
      const { printMetrics } = await import('./metrics-registry.ts')
      const readings = await readMetrics([...processMetrics, ...metrics])
      if (readings.failed.length > 0) onFailed(readings.failed)
      const { contentType, text } = printMetrics(readings)
      reply.headers({ 'content-type': contentType, 'cache-control': 'no-store' })
      return text
    },
  })
}
