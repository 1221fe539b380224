import assert from 'node:assert/strict'
import { appendFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { fc, runs } from '../../../test/support/fast-check.ts'
import { fewVisits } from '../../../test/support/few-visits.ts'
import { HOUR, NOW, scan } from '../../../test/support/fold-folders.ts'
import { filesIn, openNode, openShared } from '../../../test/support/shared-folds.ts'
import type { PostgresSession } from '../database/session.ts'
import { dayOf, monthOf, slotOf } from '../../scans/calendar.ts'
import { createFold } from '../../scans/folding/fold.ts'
import { UNBOUNDED, type RawBound } from '../../scans/folding/raw-bound.ts'
import { journalFolder } from '../../scans/journal/journal-folder.ts'
import type { Scan } from '../../scans/scan.ts'
import { createStatisticsCalls } from '../../scans/statistics/calls.ts'
import { openPostgresFoldTarget } from './fold-target.ts'
import { purgeLinks } from './purge.ts'
import { openRowQueries } from './row-queries.ts'

/** What the tables must hold for these scans, as far as it does not depend on which scan of a visitor was folded first. */
async function assertFolded(session: PostgresSession, scans: Scan[]): Promise<void> {
  const stored = await session.query<{ link_id: number; at: number; bot: number; city: string | null }>(
    `select link_id, at, bot, (select text from quirl_scans.dictionary where id = city) as city from quirl_scans.scans`,
  )
  const text = ({ linkId, at, bot, city }: Pick<Scan, 'linkId' | 'at' | 'bot' | 'city'>) =>
    `${linkId} ${at} ${bot} ${city ?? ''}`
  assert.deepEqual(
    stored
      .map(({ link_id: linkId, at, bot, city }) =>
        text({ linkId, at, bot: bot === 1, city: city?.split('\t')[0] ?? null }),
      )
      .sort(),
    scans.map(text).sort(),
  )
  const firsts = new Set(
    scans.flatMap(({ linkId, at, visitor }) => (visitor === null ? [] : [`${linkId} ${dayOf(at)} ${visitor}`])),
  )
  const [sums] = await session.query<{ scans: number; firsts: number; raw: number }>(
    `select coalesce(sum(humans + bots), 0)::integer as scans, coalesce(sum(human_firsts + bot_firsts), 0)::integer as firsts,
       (select coalesce(sum(first), 0)::integer from quirl_scans.scans) as raw from quirl_scans.totals`,
  )
  assert.deepEqual(sums, { scans: scans.length, firsts: firsts.size, raw: firsts.size })
  const periods = [
    ['quarter_hourly', 'slot', slotOf, 1],
    ['daily', 'period', dayOf, 7],
    ['monthly', 'period', monthOf, 7],
  ] as const
  for (const [table, column, periodOf, dimensions] of periods) {
    const rows = await session.query<{ key: string; scans: number }>(
      `select link_id || ' ' || ${column} as key, sum(humans + bots)::integer as scans from quirl_scans.${table}
       ${dimensions === 1 ? '' : 'where dimension < 7'} group by 1`,
    )
    const expected = new Map<string, number>()
    for (const { linkId, at } of scans) {
      const key = `${linkId} ${periodOf(at)}`
      expected.set(key, (expected.get(key) ?? 0) + dimensions)
    }
    assert.deepEqual(new Map(rows.map(({ key, scans: count }) => [key, count])), expected, table)
  }
}

const visits = fewVisits({ maxHoursAgo: 900, maxLength: 40 })

/** A target that fails at given additions: before the commit, or after it but before it returns. */
function mortal(session: PostgresSession, path: string, deaths: string[], bound?: RawBound) {
  const target = openPostgresFoldTarget(session, journalFolder(path), bound)
  return {
    ...target,
    async commit(...args: Parameters<typeof target.commit>) {
      const death = deaths.shift()
      if (death === 'before') throw new Error('died')
      const counted = await target.commit(...args)
      if (death === 'after') throw new Error('died')
      return counted
    },
  }
}

test('two nodes fold at the same time, however often they are interrupted: no scan is lost, doubled or flagged wrongly', async (t) => {
  const session = await openShared(t, 3)
  if (session === undefined) return
  const deaths = fc.array(fc.constantFrom('before', 'after', 'none'), { maxLength: 6 })
  const node = fc.record({ scans: visits, deaths })
  await fc.assert(
    fc.asyncProperty(fc.tuple(node, node), async (nodes) => {
      const tables = 'scans, quarter_hourly, daily, monthly, totals, journal_positions, folds'
      await session.query(`truncate ${tables.replaceAll(/\w+/g, 'quirl_scans.$&')}`)
      const past = await session.query<{ name: string }>(
        "select tablename as name from pg_tables where schemaname = 'quirl_visitors'",
      )
      for (const { name } of past) await session.query(`drop table quirl_visitors.${name}`)
      const all = nodes.map(({ scans }) =>
        scans.map(({ hoursAgo, ...more }) => scan({ ...more, at: NOW - hoursAgo * HOUR })),
      )
      await Promise.all(
        nodes.map(async ({ deaths: dying }, at) => {
          const { path, write, fold } = openNode(t, session)
          write(all[at]?.slice(0, 20) ?? [])
          write(all[at]?.slice(20) ?? [])
          for (;;) {
            try {
              await fold(mortal(session, path, dying))
              return
            } catch (error) {
              if ((error as Error).message !== 'died') throw error
            }
          }
        }),
      )
      await assertFolded(session, all.flat())
    }),
    { numRuns: runs(8) },
  )
})

test('a link of more values than the bound counts the others together, also when two nodes add them at once', async (t) => {
  const session = await openShared(t, 1)
  if (session === undefined) return
  const nodes = [openNode(t, session, 40), openNode(t, session, 40)]
  for (const [at, { write }] of nodes.entries())
    write(Array.from({ length: 240 }, (_, city) => scan({ city: `${at} ${city}`, visitor: null })))
  await Promise.all(nodes.map(({ fold }) => fold()))
  for (const table of ['daily', 'monthly']) {
    const [row]: Record<string, unknown>[] = await session.query(
      `select count(*) filter (where value <> 1)::integer as known, sum(humans)::integer as scans,
         sum(humans) filter (where value = 1)::integer as other from quirl_scans.${table} where dimension = 5`,
    )
    assert.deepEqual(row, { known: 200, scans: 480, other: 280 }, table)
  }
})

test('rollups of more rows than a statement takes are complete, also when two nodes write them at once', async (t) => {
  const links = 1500
  const session = await openShared(t, links)
  if (session === undefined) return
  const nodes = [openNode(t, session, links), openNode(t, session, links)]
  const scans = nodes.map(({ write }, node) => {
    // In opposite order.
    const ids = Array.from({ length: links }, (_, at) => (node === 0 ? at + 1 : links - at))
    const ofNode = ids.map((linkId) => scan({ linkId, visitor: null }))
    write(ofNode)
    return ofNode
  })
  await Promise.all(nodes.map(({ fold }) => fold()))
  await assertFolded(session, scans.flat())
})

test('a file is folded once when two processes fold it at the same time', async (t) => {
  const session = await openShared(t, 1)
  if (session === undefined) return
  const { path, write } = openNode(t, session)
  write(Array.from({ length: 40 }, () => scan()))
  const folds = [0, 1].map(() => createFold(openPostgresFoldTarget(session, journalFolder(path)), path, () => 5))
  await Promise.all(folds.map((fold) => fold.run(filesIn(path), NOW)))
  for (const fold of folds) await fold.run(filesIn(path), NOW)
  const [row] = await session.query('select humans from quirl_scans.totals')
  assert.deepEqual(row, { humans: 40 })
})

test('damage in a journal is counted and the file kept', async (t) => {
  const session = await openShared(t, 1)
  if (session === undefined) return
  const { path, write, fold } = openNode(t, session)
  const name = write([scan(), scan()])
  appendFileSync(join(path, name), '01234567 [[1,2],[3,4],[5,6]]\n')
  assert.deepEqual(await fold(), { moved: 2, onlyCounted: 0, changed: [1], damaged: [name], lost: 3, failed: [] })
  assert.ok(existsSync(join(path, `${name}.damaged`)))
})

test('texts that PostgreSQL cannot store lose what is in excess', async (t) => {
  const session = await openShared(t, 1)
  if (session === undefined) return
  const { write, fold } = openNode(t, session)
  write([scan({ city: 'a\0b', referrer: '\ud800' }), scan({ city: 'a\0b' })])
  assert.equal((await fold()).moved, 2)
  const rows = await session.query("select text from quirl_scans.dictionary where text like 'ab%'")
  assert.deepEqual(rows, [{ text: 'ab\tDE' }])
})

test('of a link and hour the first scans up to the bound are stored, the others only count, also when the fold is interrupted', async (t) => {
  const session = await openShared(t, 2)
  if (session === undefined) return
  const { path, write, fold } = openNode(t, session)
  write(Array.from({ length: 12 }, (_, visitor) => scan({ at: NOW + visitor, visitor })))
  write([scan({ at: NOW + HOUR, visitor: 50 }), scan({ linkId: 2, visitor: 50 })])
  const bounded = (deaths: string[], isLow = false) =>
    mortal(session, path, deaths, { ...UNBOUNDED, perHour: 7, onlyCounts: () => isLow })
  for (const deaths of [['after'], ['none', 'before']]) await assert.rejects(fold(bounded(deaths)), /died/)
  assert.equal((await fold(bounded([]))).onlyCounted, 2, 'those of the last chunk; the second had two more of the five')
  const rows = await session.query('select link_id, at from quirl_scans.scans order by link_id, at')
  const expected = [...Array.from({ length: 7 }, (_, at) => [1, NOW + at]), [1, NOW + HOUR], [2, NOW]]
  assert.deepEqual(
    rows.map((row) => Object.values(row as object)),
    expected,
  )
  const read = async () => {
    const [row] = await session.query<object>(
      `select (select sum(humans)::integer from quirl_scans.totals) as scans, sum(humans)::integer as missing,
         sum(human_firsts)::integer as firsts from quirl_scans.raw_missing`,
    )
    return row
  }
  assert.deepEqual(await read(), { scans: 14, missing: 5, firsts: 5 })
  write([scan({ at: NOW + HOUR, visitor: 51 })])
  assert.equal((await fold(bounded([], true))).onlyCounted, 1)
  assert.deepEqual(await read(), { scans: 15, missing: 6, firsts: 6 })
  const reading = createStatisticsCalls(openRowQueries(session.query, 'a folder'))
  const stats = await reading.stats(1, { days: 1, timeZone: 'UTC', audience: 'all' }, NOW + HOUR)
  assert.deepEqual([stats.totals.scans, stats.unique_visitors, stats.raw_missing], [14, 14, 6])
  assert.equal(await reading.missing([2]), 0)
  await purgeLinks(session.query, [1])
  assert.equal(await reading.missing([1]), 0)
})
