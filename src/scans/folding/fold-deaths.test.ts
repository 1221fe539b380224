import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fc, runs } from '../../../test/support/fast-check.ts'
import { dateOfDay, dayOf } from '../calendar.ts'
import { openFold, type Folders } from '../sqlite/fold.ts'
import { openJournalFile } from '../journal/journal-file.ts'
import type { Scan } from '../scan.ts'
import { createStatisticsCalls } from '../statistics/calls.ts'
import { openRowQueries } from '../sqlite/row-queries.ts'
import { findInconsistentLinks } from '../consistency.ts'
import { UNBOUNDED, type RawBound } from './raw-bound.ts'
import { openSqliteWarehouse, type SqliteWarehouse } from '../sqlite/warehouse.ts'
import { fewVisits } from '../../../test/support/few-visits.ts'
import { NOW, HOUR, makeFolders, scan } from '../../../test/support/fold-folders.ts'

/** A warehouse that fails at given additions: before the commit, or after it but before it returns. */
function mortal(warehouse: SqliteWarehouse, deaths: ('before' | 'after' | 'none')[]): SqliteWarehouse {
  return {
    ...warehouse,
    add(scans, mark) {
      const death = deaths.shift()
      if (death === 'before') throw new Error('died')
      const counted = warehouse.add(scans, mark)
      if (death === 'after') throw new Error('died')
      return counted
    },
  }
}

/** Folds everything, and reopens all files after each failure. */
async function foldThroughDeaths(
  folders: Folders & { warehouse: string },
  deaths: ('before' | 'after' | 'none')[],
  bound: RawBound,
): Promise<void> {
  for (;;) {
    const warehouse = openSqliteWarehouse(folders.warehouse, undefined, bound)
    const fold = openFold(mortal(warehouse, deaths), folders, undefined, () => 5)
    try {
      await fold.run(readdirSync(folders.journal).sort(), NOW)
      return
    } catch (error) {
      if ((error as Error).message !== 'died') throw error
    } finally {
      fold.close()
      warehouse.close()
    }
  }
}

test('however often the fold is interrupted, no scan is lost, counted twice or flagged wrongly, and the first of each hour up to the bound are stored', async (t) => {
  const scans = fewVisits({ maxHoursAgo: 70, maxLength: 60 })
  const deaths = fc.array(fc.constantFrom('before' as const, 'after' as const, 'none' as const), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(
      scans,
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 1, max: 3 }),
      deaths,
      fc.constantFrom(Number.POSITIVE_INFINITY, 1, 2, 5),
      async (made, batch, files, plan, perHour) => {
        const folders = makeFolders(t)
        const all = made
          .map(({ hoursAgo, ...fields }) => scan({ ...fields, at: NOW - hoursAgo * HOUR }))
          .sort((a, b) => a.at - b.at)
        const share = Math.ceil(all.length / files) || 1
        for (let file = 0; file < files; file++) {
          const writer = openJournalFile(join(folders.journal, `${file}.scans`), false)
          const part = all.slice(file * share, (file + 1) * share)
          for (let at = 0; at < part.length; at += batch) writer.append(part.slice(at, at + batch))
          writer.close()
        }
        await foldThroughDeaths(folders, [...plan], { ...UNBOUNDED, perHour })
        assert.deepEqual(readdirSync(folders.journal), [])

        const seen = new Set<string>()
        const modelled = all.map((each) => {
          const key = `${each.linkId}|${each.visitor}|${dayOf(each.at)}`
          const first = each.visitor !== null && !seen.has(key)
          if (first) seen.add(key)
          return { ...each, first }
        })
        const warehouse = openSqliteWarehouse(folders.warehouse)
        for (const linkId of [1, 2, 3])
          await compare(
            warehouse,
            linkId,
            modelled.filter((each) => each.linkId === linkId),
            perHour,
          )
        assert.deepEqual([...findInconsistentLinks(warehouse.db)], [])
        warehouse.close()
      },
    ),
    { numRuns: runs(30) },
  )
})

async function compare(
  warehouse: SqliteWarehouse,
  linkId: number,
  model: (Scan & { first: boolean })[],
  perHour: number,
): Promise<void> {
  const stored = Array.from(
    Map.groupBy(model, ({ at }) => Math.floor(at / HOUR)),
    ([, ofHour]) => ofHour.slice(0, perHour),
  ).flat()
  const reading = createStatisticsCalls(openRowQueries(warehouse))
  const { text: csv } = await reading.exportPage({ name: 'scans', linkId }, [], 1000)
  const lines = stored.map(
    (each) =>
      `${new Date(each.at).toISOString()},${each.source},mobile,iOS,Safari,DE,${each.city ?? ''},direct,${each.first},${each.bot},${each.answer ?? 'link'},\r\n`,
  )
  assert.deepEqual(csv.split(/(?<=\n)/).sort(), lines.length > 0 ? lines.sort() : [''])
  const count = (rows: typeof model) => ({ scans: rows.length, firsts: rows.filter((each) => each.first).length })
  const [totals] = await reading.totals([linkId])
  assert.deepEqual(
    [totals?.scans, totals?.unique_visitors, totals?.bots, totals?.qr],
    [
      model.length,
      count(model).firsts,
      model.filter((each) => each.bot).length,
      model.filter((each) => each.source === 'qr').length,
    ],
  )
  for (const audience of ['all', 'human', 'bot'] as const) {
    const rows = model.filter((each) => audience === 'all' || each.bot === (audience === 'bot'))
    const {
      series,
      totals: inWindow,
      breakdowns,
      raw_missing: missing,
    } = await reading.stats(linkId, { days: 5, timeZone: 'UTC', audience }, NOW)
    assert.equal(missing, model.length - stored.length)
    assert.deepEqual([inWindow.scans, inWindow.unique_visitors], [count(rows).scans, count(rows).firsts])
    for (const { date, scans, unique_visitors: firsts } of series) {
      assert.deepEqual({ scans, firsts }, count(rows.filter((each) => dateOfDay(dayOf(each.at)) === date)), date)
    }
    for (const { value, scans, unique_visitors: firsts } of breakdowns.city) {
      assert.deepEqual({ scans, firsts }, count(rows.filter((each) => each.city === value)), String(value))
    }
    assert.deepEqual(
      Object.fromEntries(
        breakdowns.answer.map((row) => [row.value, { scans: row.scans, firsts: row.unique_visitors }]),
      ),
      Object.fromEntries(
        Array.from(
          Map.groupBy(rows, ({ answer }) => answer ?? 'link'),
          ([answer, answered]) => [String(answer), count(answered)],
        ),
      ),
    )
  }
}
