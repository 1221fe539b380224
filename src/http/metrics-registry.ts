import { Counter, Gauge, Registry } from 'prom-client'
import type { LabelledMetric, Metric } from './metric.ts'

/** Metrics in the form that Prometheus reads. */
export function openRegistry(metrics: (Metric | LabelledMetric)[]): Registry {
  const registry = new Registry()
  for (const metric of metrics) register(registry, metric)
  return registry
}

function register(registry: Registry, metric: Metric | LabelledMetric): void {
  const { name, help, type } = metric
  const shared = { name, help, registers: [registry], ...('label' in metric && { labelNames: [metric.label] }) }
  const values = () => ('label' in metric ? labelled(metric) : [{ labels: {}, value: metric.read() }])
  if (type === 'gauge') {
    const gauge: Gauge = new Gauge({
      ...shared,
      collect: () => values().forEach(({ labels, value }) => gauge.set(labels, value)),
    })
    return
  }
  const counter: Counter = new Counter({
    ...shared,
    collect: () => {
      counter.reset()
      values().forEach(({ labels, value }) => counter.inc(labels, value))
    },
  })
}

function labelled({ label, read }: LabelledMetric): { labels: Record<string, string>; value: number }[] {
  return Object.entries(read()).map(([key, value]) => ({ labels: { [label]: key }, value }))
}
