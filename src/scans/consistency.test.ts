import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder, undoLater } from '../../test/support/cleanup.ts'
import { dimensionNames } from '../dimensions/dimensions.ts'
import { prune } from './sqlite/purge.ts'
import type { FoldedScan } from './scan.ts'
import { findInconsistentLinks } from './consistency.ts'
import { openSqliteWarehouse, type SqliteWarehouse } from './sqlite/warehouse.ts'
import { noValues } from '../../test/support/no-values.ts'

const HOUR = 3_600_000
const START = Date.UTC(2026, 10, 1)

/** A warehouse of three links with 100 scans each, one an hour, of people and of bots. */
function openFilled(t: TestContext): SqliteWarehouse {
  const warehouse = openSqliteWarehouse(join(temporaryFolder(t), 'scans.db'))
  undoLater(t, () => warehouse.close())
  const scans = Array.from({ length: 300 }, (_, at): FoldedScan => ({
    ...noValues,
    linkId: 1 + (at % 3),
    at: START + at * HOUR,
    source: at % 2 === 0 ? 'qr' : 'link',
    device: 'mobile',
    os: `system ${at % 5}`,
    browser: null,
    country: 'DE',
    city: null,
    referrer: `site${at}.example.com`,
    bot: at % 7 === 0,
    answer: at % 3 === 0 ? 1 + (at % 2) : null,
    visitor: at,
    first: at % 4 === 0,
  }))
  warehouse.add(scans, { journal: 'a', position: 1, lost: 0, isDamaged: false })
  return warehouse
}

test('the counts of a fold are consistent, also after the removal of the oldest scans', async (t) => {
  const warehouse = openFilled(t)
  assert.deepEqual([...findInconsistentLinks(warehouse.db)], [])
  for (const before of [START + 100.3 * HOUR, START + 250 * HOUR, START + 1000 * HOUR]) {
    await prune(warehouse, before)
    assert.deepEqual([...findInconsistentLinks(warehouse.db)], [])
  }
})

/** The columns besides link, time and number. */
const others = [...dimensionNames, 'first', 'bot'].join(', ')

for (const [name, change] of [
  ['a wrong total', 'update totals set bots = bots + 1 where link_id = 2'],
  ['a missing total', 'delete from totals where link_id = 2'],
  [
    'a missing quarter of an hour',
    'delete from quarter_hourly where (link_id, slot) in (select link_id, max(slot) from quarter_hourly where link_id = 2)',
  ],
  [
    'a wrong count of a value',
    'update daily set humans = humans + 1 where (link_id, value, dimension) = (2, 0, 3) and period % 2 = 0',
  ],
  ['a wrong month', 'update monthly set human_firsts = 0 where link_id = 2'],
  ['a missing scan', 'delete from scans where (link_id, n) in (select link_id, max(n) from scans where link_id = 2)'],
  ['a wrong audience', 'update scans set bot = 1 - bot where link_id = 2 and n < 30'],
  [
    'an extra scan',
    `insert into scans (link_id, at, n, ${others}) select link_id, at, n + 1000, ${others} from scans where link_id = 2 limit 1`,
  ],
] as const) {
  test(`a link with ${name} is found, and no other`, async (t) => {
    const warehouse = openFilled(t)
    warehouse.db.exec(change)
    assert.deepEqual([...findInconsistentLinks(warehouse.db)], [2])
  })
}

test('a missing scan is found also where the oldest scans of the link have been removed', async (t) => {
  const warehouse = openFilled(t)
  await prune(warehouse, START + 100 * HOUR)
  warehouse.db.exec('delete from scans where (link_id, n) in (select link_id, max(n) - 3 from scans where link_id = 2)')
  assert.deepEqual([...findInconsistentLinks(warehouse.db)], [2])
})

test('the counts of a schema before quarter_hourly had its name are read as well', (t) => {
  const warehouse = openFilled(t)
  warehouse.db.exec('alter table quarter_hourly rename to pulse')
  assert.deepEqual([...findInconsistentLinks(warehouse.db)], [])
  warehouse.db.exec('update pulse set bots = bots + 1 where link_id = 2')
  assert.deepEqual([...findInconsistentLinks(warehouse.db)], [2])
})
