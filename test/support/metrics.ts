import type { AnyMetric } from '../../src/http/metric.ts'

/** A metric of one number, or one of the numbers of a metric with labels; NaN when there is none. */
export function valueOf(metrics: readonly AnyMetric[], name: string, ...labels: string[]): number {
  const metric = metrics.find((each) => each.name === name)
  if (metric === undefined) return Number.NaN
  if ('read' in metric) return metric.read()
  const samples = 'samples' in metric ? metric.samples() : []
  return samples.find((each) => labels.every((label) => Object.values(each.labels).includes(label)))?.value ?? NaN
}

/** The lines of a scrape, without comments, by what is left of their value. */
export async function scrape(url: string): Promise<{ text: string; values: Map<string, number> }> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  const values = new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]),
  )
  return { text, values }
}
