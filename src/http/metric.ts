import type { HistogramReading } from './histogram.ts'

interface Described {
  /** By Prometheus' conventions: the base unit at the end, `_total` for a counter. */
  name: string
  help: string
}

/** A metric of one number, which is read at each scrape. */
export interface Metric extends Described {
  type: 'counter' | 'gauge'
  read: () => number
}

/** A metric of one number that takes a moment to read. */
export interface SlowMetric extends Described {
  type: 'gauge'
  readSlowly: () => Promise<number>
}

/** One of the numbers of a metric. Values of labels are from a small fixed set, never what a stranger has sent. */
export interface Sample<T = number> {
  labels: Record<string, string>
  value: T
}

/** A metric with labels. */
export interface LabelledMetric extends Described {
  type: 'counter' | 'gauge'
  samples: () => Sample[]
}

/** Distributions of seconds. */
export interface HistogramMetric extends Described {
  type: 'histogram'
  histograms: () => Sample<HistogramReading>[]
}

export type AnyMetric = Metric | SlowMetric | LabelledMetric | HistogramMetric

/** @returns a sample for each entry, with its key as the value of a label */
export function samplesBy(label: string, values: Record<string, number>): Sample[] {
  return Object.entries(values).map(([key, value]) => ({ labels: { [label]: key }, value }))
}
