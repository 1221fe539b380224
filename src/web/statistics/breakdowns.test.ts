import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Stats } from '../../scans/statistics/stats.ts'
import { dimensionNames } from '../../dimensions/dimensions.ts'
import { breakdownTexts } from '../../texts/breakdowns.ts'
import { breakdownPanels } from './breakdowns.ts'

test('a value is shown as it is, although every object has a member of its name', () => {
  for (const value of Object.getOwnPropertyNames(Object.prototype)) {
    // What another service has recorded may have any text as a device.
    const breakdowns = Object.fromEntries(
      dimensionNames.map((name) => [name, name === 'device' ? [{ value, scans: 1 }] : []]),
    )
    const stats = { breakdowns, totals: { scans: 1 } } as unknown as Stats
    assert.ok(
      breakdownPanels(stats, { texts: breakdownTexts.en, language: 'en' }).markup.includes(`>${value}</span>`),
      value,
    )
  }
})
