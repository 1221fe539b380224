import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { join } from 'node:path'
import { temporaryFolder, undoLater } from '../../../test/support/cleanup.ts'
import { noValues } from '../../../test/support/no-values.ts'
import { createStatisticsCalls } from '../statistics/calls.ts'
import { createLongReading } from './long-reading.ts'
import { openRowQueries } from './row-queries.ts'
import { openSqliteWarehouse } from './warehouse.ts'

const HOUR = 3_600_000
const NOW = Date.UTC(2026, 10, 21, 21, 50)
/** A day that began at noon, UTC: its scans, and those before it, are counted one by one. */
const query = { days: 2, timeZone: 'Pacific/Auckland', audience: 'all', previous: true } as const

/** Of every hour until now: some 25,000. */
const scansOf = (linkId: number) =>
  Array.from({ length: 25_000 }, (_, at) => ({
    ...noValues,
    linkId,
    at: NOW - 60 * HOUR + Math.floor((at / 25_000) * 60 * HOUR),
    source: at % 3 === 0 ? ('qr' as const) : ('link' as const),
    browser: `browser ${at % 7}`,
    bot: at % 10 === 0,
    visitor: null,
    first: at % 5 === 0,
  }))

test('statistics that take long are those of when they began, while folds and other calls come between', async (t) => {
  const file = join(temporaryFolder(t), 'scans.db')
  const warehouse = openSqliteWarehouse(file)
  const long = createLongReading(file, warehouse.log)
  undoLater(t, () => (long.close(), warehouse.close()))
  let position = 0
  const fold = (linkId: number) =>
    warehouse.add(scansOf(linkId), { journal: 'x', position: ++position, lost: 0, isDamaged: false })
  fold(1)
  fold(2)
  const { stats, statsOfMany } = createStatisticsCalls(openRowQueries(warehouse))
  const links = [1, 2].map((id) => ({ id, isCounted: true }))

  // Scans are counted by value, by value and source, and by source.
  const without = { ...query, previous: false }
  for (const [atOnce, inSteps] of [
    [() => stats(1, without, NOW), () => long.stats(1, without, NOW)],
    [() => stats(1, query, NOW), () => long.stats(1, query, NOW)],
    [() => statsOfMany(links, query, NOW), () => long.statsOfMany(links, query, NOW)],
  ] as const) {
    const expected = await atOnce()
    let isFolded = false
    const pending = inSteps()
    const ended = pending.then(() => false)
    for (let turns = 1; await Promise.race([ended, turn().then(() => true)]); turns++) {
      if (turns !== 2) continue
      fold(1)
      isFolded = true
    }
    assert.ok(isFolded, 'a fold came between')
    assert.deepEqual(await pending, expected)
  }
})

test('a question without filters ends when nobody wants its answer any more', async (t) => {
  const file = join(temporaryFolder(t), 'scans.db')
  const warehouse = openSqliteWarehouse(file)
  const long = createLongReading(file, warehouse.log)
  undoLater(t, () => (long.close(), warehouse.close()))
  warehouse.add(scansOf(1), { journal: 'x', position: 1, lost: 0, isDamaged: false })
  const pending = long.stats(1, query, NOW, 7)
  const isRejected = assert.rejects(pending)
  await turn()
  await long.abandon(7)
  await isRejected
})
