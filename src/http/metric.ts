/** A metric that is read at each scrape. */
export interface Metric {
  /** By Prometheus' conventions: the base unit at the end, `_total` for a counter. */
  name: string
  help: string
  type: 'counter' | 'gauge'
  read: () => number
}

/** A metric with one series for each value of a label. */
export interface LabelledMetric extends Omit<Metric, 'read'> {
  label: string
  /** Values of the metric by values of the label. */
  read: () => Record<string, number>
}
