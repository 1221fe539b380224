import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AnyMetric } from './metric.ts'
import { printMetrics } from './metrics-registry.ts'
import { readMetrics } from './read-metrics.ts'

const described = { help: 'a metric', type: 'gauge' } as const
const fail = () => {
  throw new Error('its disk is away')
}

test('metrics of any form that cannot be read, or take too long, are left out, and counted', async () => {
  const metrics: AnyMetric[] = [
    { ...described, name: 'first', read: () => 1 },
    { ...described, name: 'failing', read: fail },
    { ...described, name: 'rejecting', readSlowly: async () => fail() },
    { ...described, name: 'hanging', readSlowly: () => new Promise(() => {}) },
    { ...described, name: 'failing_samples', samples: fail },
    { ...described, type: 'histogram', name: 'failing_histograms', histograms: fail },
    { ...described, name: 'last', readSlowly: async () => 2 },
  ]
  const readings = await readMetrics(metrics, 10)
  assert.deepEqual(
    readings.failed.map(({ name, error }) => [name, (error as Error).message]),
    [
      ['failing', 'its disk is away'],
      ['rejecting', 'its disk is away'],
      ['hanging', 'it takes too long'],
      ['failing_samples', 'its disk is away'],
      ['failing_histograms', 'its disk is away'],
    ],
  )
  const lines = (await printMetrics(readings).text).split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  assert.deepEqual(lines, ['first 1', 'last 2', 'quirl_metrics_failed 5'])
})
