import type { IncomingMessage } from 'node:http'
import type { Registry } from 'prom-client'
import { Type } from '#typebox'
import { problems } from './problem-schema.ts'
import { Problem } from './problem.ts'
import { route, type Route } from './route.ts'

/** A number that an operator watches, read when it is asked for. */
export interface Metric {
  /** After Prometheus' rules: a base unit at the end, `_total` for what only grows. */
  name: string
  help: string
  type: 'counter' | 'gauge'
  read: () => number
}

/** Numbers of the same name, told apart by a label. */
export interface LabelledMetric extends Omit<Metric, 'read'> {
  label: string
  /** The number of each value of the label. */
  read: () => Record<string, number>
}

/** What the metrics need of the rest of the program. */
export interface MetricsNeeds {
  metrics: (Metric | LabelledMetric)[]
  /** Whether a request was made by the operator's own machines. */
  isInternal: (request: IncomingMessage) => boolean
}

/** `GET /metrics` in Prometheus' text format, for the operator's own machines only. */
export function metricsRoute({ metrics, isInternal }: MetricsNeeds): Route {
  let opened: Promise<Registry> | undefined
  return route({
    config: { work: 'first' },
    schema: {
      summary: 'Metrics for Prometheus',
      operationId: 'metrics',
      description: 'Answered to this machine and to the networks of `TRUST_PROXY`, unless the request was passed on.',
      tags: ['Operation'],
      response: {
        200: { description: 'The metrics.', content: { 'text/plain': { schema: Type.String() } } },
        ...problems('forbidden', 'method_not_allowed'),
      },
    },
    async handler(request, reply) {
      if (!isInternal(request.raw)) throw new Problem('forbidden', 'metrics are for the operator of this service')
      // Loaded with the first request: many services are never asked for their metrics.
      opened ??= import('./metrics-registry.ts').then((it) => it.openRegistry([...processMetrics, ...metrics]))
      const registry = await opened
      reply.headers({ 'content-type': registry.contentType, 'cache-control': 'no-store' })
      return registry.metrics()
    },
  })
}

/** What Prometheus' dashboards expect of any process. */
const processMetrics: Metric[] = [
  {
    name: 'process_resident_memory_bytes',
    help: 'Resident memory',
    type: 'gauge',
    read: () => process.memoryUsage.rss(),
  },
  {
    name: 'process_cpu_seconds_total',
    help: 'CPU time, all threads',
    type: 'counter',
    read: () => (process.cpuUsage().user + process.cpuUsage().system) / 1e6,
  },
  {
    name: 'process_start_time_seconds',
    help: 'Start of the process, since 1970',
    type: 'gauge',
    read: () => Math.round(Date.now() / 1000 - process.uptime()),
  },
]
