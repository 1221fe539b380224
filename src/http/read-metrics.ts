import { setTimeout as wait } from 'node:timers/promises'
import type { HistogramReading } from './histogram.ts'
import type { AnyMetric, Sample } from './metric.ts'

/** How long a metric may take, in milliseconds: Prometheus waits ten seconds for all of them. */
const SLOW_MS = 2_000

/** A line of Prometheus' format; its name is that of its metric by default. */
export interface Line {
  metricName?: string
  labels: Record<string, string | number>
  value: number
}

/** The metrics at one moment. */
export interface Readings {
  read: { metric: AnyMetric; lines: Line[] }[]
  /** Those that could not be read: a fault of one part of the program must not hide the figures of the others. */
  failed: { name: string; error: unknown }[]
}

/** @param slowMs after which a metric counts as one that cannot be read */
export async function readMetrics(metrics: readonly AnyMetric[], slowMs = SLOW_MS): Promise<Readings> {
  const late = new AbortController()
  const readings: Readings = { read: [], failed: [] }
  const settled = await Promise.allSettled(metrics.map((metric) => linesOf(metric, slowMs, late.signal)))
  late.abort()
  for (const [at, metric] of metrics.entries()) {
    const outcome = settled[at]
    if (outcome?.status === 'fulfilled') readings.read.push({ metric, lines: outcome.value })
    else readings.failed.push({ name: metric.name, error: outcome?.reason })
  }
  return readings
}

async function linesOf(metric: AnyMetric, slowMs: number, signal: AbortSignal): Promise<Line[]> {
  if ('read' in metric) return [{ labels: {}, value: metric.read() }]
  if ('readSlowly' in metric) {
    const late = wait(slowMs, undefined, { signal }).then(() => Promise.reject(new Error('it takes too long')))
    return [{ labels: {}, value: await Promise.race([metric.readSlowly(), late]) }]
  }
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
