import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Stats } from '../../scans/statistics/stats.ts'
import { dimensionNames } from '../../dimensions/dimensions.ts'
import { pageQueryOf } from './load.ts'
import { breakdownPanels } from './breakdowns.ts'
import type { ShownStats } from './view.ts'

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

const ofMany = () => {
  const breakdowns = Object.fromEntries(dimensionNames.map((name) => [name, []])) as Partial<ShownStats['breakdowns']>
  const counts = { scans: 3, unique_visitors: 2 }
  const link = [
    { code: 'door', title: 'The <door>', ...counts },
    { code: 'till', title: null, ...counts },
  ]
  const campaign = [
    { value: 'spring', ...counts },
    { value: null, ...counts },
  ]
  return { breakdowns: { ...breakdowns, link, campaign }, totals: { scans: 6 } } as Partial<ShownStats> as ShownStats
}

test('several links are listed by name and code, and lead to their pages only for who may open these', () => {
  const { query } = pageQueryOf({}, 0, false, true)
  const view = { path: '/c/x', query, language: 'en', hasDetails: false } as const
  const shared = breakdownPanels(ofMany(), view).markup
  assert.match(shared, /The &lt;door&gt; <small class="quiet">door<\/small>/)
  assert.doesNotMatch(shared, /href="\/c\/x\/door"/)
  const owned = breakdownPanels(ofMany(), { ...view, pageOf: (code) => `/c/x/${code}` }).markup
  assert.match(owned, /href="\/c\/x\/door"/)
})

test('campaigns of several links lead to the statistics of each, and are not listed when one is shown', () => {
  const panels = (parameters: Record<string, string>) => {
    const { query } = pageQueryOf(parameters, 0, false, true)
    return breakdownPanels(ofMany(), { path: '/c/x', query, language: 'en', hasDetails: false }).markup
  }
  assert.match(panels({}), /campaign=spring#statistics">spring<\/a>/)
  assert.match(panels({}), /campaign=%7E#statistics">Without a campaign<\/a>/)
  assert.doesNotMatch(panels({ campaign: 'spring' }), /id="list-campaign"/)
  assert.equal(pageQueryOf({ campaign: 'spring' }, 0, false).query.campaign, undefined, 'one link has no campaigns')
})
