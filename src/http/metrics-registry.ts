import { Registry, type Metric as RegisteredMetric } from 'prom-client'
import type { AnyMetric, Metric } from './metric.ts'
import type { Readings } from './read-metrics.ts'

/** Metrics in the form that Prometheus reads. */
export function printMetrics({ read, failed }: Readings): { contentType: string; text: Promise<string> } {
  const registry = new Registry()
  const failures: Metric = {
    name: 'quirl_metrics_failed',
    help: 'Metrics that cannot be read at the moment, and are left out; the log names them',
    type: 'gauge',
    read: () => failed.length,
  }
  const add = ({ name, help, type }: AnyMetric, values: object[]) => {
    // What a registry calls of its own classes, which keep numbers; these are read where they are.
    const registered = { name, get: async () => ({ name, help, type, values }) }
    registry.registerMetric(registered as unknown as RegisteredMetric)
  }
  for (const { metric, lines } of read) add(metric, lines)
  add(failures, [{ labels: {}, value: failures.read() }])
  return { contentType: registry.contentType, text: registry.metrics() }
}
