import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Stats } from '../../scans/statistics/stats.ts'
import { dimensionNames } from '../../dimensions/dimensions.ts'
import { pageQueryOf } from './load.ts'
import { breakdownPanels } from './breakdowns.ts'

test('a value is shown as it is, although every object has a member of its name', () => {
  const { query } = pageQueryOf({}, 0, false)
  for (const value of Object.getOwnPropertyNames(Object.prototype)) {
    // What another service has recorded may have any text as a device.
    const breakdowns = Object.fromEntries(
      dimensionNames.map((name) => [name, name === 'device' ? [{ value, scans: 1 }] : []]),
    )
    const stats = { breakdowns, totals: { scans: 1 } } as unknown as Stats
    assert.ok(
      breakdownPanels(stats, { path: '/m/x', query, language: 'en', hasDetails: false }).markup.includes(
        `>${value}</span>`,
      ),
      value,
    )
  }
})
