import { Registry, type Metric as RegisteredMetric } from 'prom-client'
import type { HistogramReading } from './histogram.ts'
import type { AnyMetric, Sample } from './metric.ts'

/** A line of Prometheus' format; its name is that of its metric by default. */
interface Line {
  metricName?: string
  labels: Record<string, string | number>
  value: number
}

/** Metrics in the form that Prometheus reads. */
export function openRegistry(metrics: readonly AnyMetric[]): Registry {
  const registry = new Registry()
  for (const metric of metrics) {
    const { name, help, type } = metric
    const read = { name, get: async () => ({ name, help, type, values: await linesOf(metric) }) }
    // What a registry calls of its own classes, which keep numbers; these are read where they are.
    registry.registerMetric(read as unknown as RegisteredMetric)
  }
  return registry
}

async function linesOf(metric: AnyMetric): Promise<Line[]> {
  if ('read' in metric) return [{ labels: {}, value: metric.read() }]
  if ('readSlowly' in metric) return [{ labels: {}, value: await metric.readSlowly() }]
  if ('samples' in metric) return metric.samples()
  return metric.histograms().flatMap((sample) => histogramLines(metric.name, sample))
}

function histogramLines(name: string, { labels, value: { buckets, sum } }: Sample<HistogramReading>): Line[] {
  const lines = buckets.map(({ bound, count }) => ({
    metricName: `${name}_bucket`,
    labels: { ...labels, le: bound === Number.POSITIVE_INFINITY ? '+Inf' : bound },
    value: count,
  }))
  return [
    ...lines,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: buckets.at(-1)?.count ?? 0 },
  ]
}
