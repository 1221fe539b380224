// What the dictionaries of both stores keep: no text of a link that is gone.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder, undoLater } from '../../test/support/cleanup.ts'
import { fc, runs } from '../../test/support/fast-check.ts'
import { NOW, scan } from '../../test/support/fold-folders.ts'
import { openNode, openShared } from '../../test/support/shared-folds.ts'
import type { PostgresSession } from '../nodes/database/session.ts'
import { MAX_NEW_REFERRERS } from './folding/new-referrers.ts'
import { openPostgresDictionary, TextsRemoved } from '../nodes/scans/dictionary.ts'
import { openPartitions } from '../nodes/scans/partitions.ts'
import { purgeLinks as purgeShared } from '../nodes/scans/purge.ts'
import { sweepTexts } from '../nodes/scans/unused-texts.ts'
import { prune, purgeLinks } from './sqlite/purge.ts'
import { openWarehouse, type Warehouse } from './sqlite/warehouse.ts'
import { dimensionNames } from '../dimensions/dimensions.ts'
import { OTHER } from './warehouse-schema.ts'

const DAY_MS = 86_400_000

/** The ids that rows have, and those of the dictionary, which must be the same. */
const used = (schema = '') =>
  [
    ...['daily', 'monthly'].map((table) => `select value as id from ${schema}${table}`),
    ...dimensionNames.map((name) => `select ${name} as id from ${schema}scans`),
  ].join(' union ')
const idsOf = (schema = '') => ({
  kept: `select id from ${schema}dictionary where id > ${OTHER} order by id`,
  used: `select id from (${used(schema)}) as used where id > ${OTHER} order by id`,
})

function assertExact({ db }: Warehouse): void {
  const { kept, used } = idsOf()
  assert.deepEqual(db.prepare(kept).all(), db.prepare(used).all())
}

async function assertExactShared({ query }: PostgresSession): Promise<void> {
  const { kept, used } = idsOf('quirl_scans.')
  assert.deepEqual(await query(kept), await query(used))
}

const from = (linkId: number, referrer: string, at = NOW) => ({ ...scan({ linkId, at, referrer }), first: true })
const many = (linkId: number, length: number, at = NOW) =>
  Array.from({ length }, (_, each) => from(linkId, `${each}.of-${linkId}.example`, at))

test('whatever links are visited, deleted and pruned, SQLite keeps the texts of its rows and no others', async (t) => {
  const folder = temporaryFolder(t)
  let file = 0
  const linkId = fc.integer({ min: 1, max: 4 })
  const step = fc.oneof(
    fc.record({ add: linkId, referrer: fc.nat(8), days: fc.nat(3) }),
    fc.record({ purge: linkId }),
    fc.record({ prune: fc.nat(3) }),
  )
  const property = fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
    const warehouse = openWarehouse(join(folder, `${file++}.db`))
    try {
      const sweeps: Promise<void>[] = [warehouse.unused.sweep()]
      let position = 0
      for (const each of steps) {
        if ('add' in each) {
          const scans = [from(each.add, `${each.referrer}.example`, NOW - each.days * DAY_MS)]
          warehouse.add(scans, { journal: 'x', position: ++position, lost: 0, isDamaged: false })
        } else if ('purge' in each) await purgeLinks(warehouse, [each.purge])
        else await prune(warehouse, NOW - each.prune * DAY_MS)
        // It goes on while further rows are added and removed, one at a time.
        await Promise.race([sweeps.at(-1), new Promise(setImmediate)])
        sweeps.push((sweeps.at(-1) ?? Promise.resolve()).then(warehouse.unused.sweep))
      }
      await sweeps.at(-1)
      await warehouse.unused.sweep()
      assertExact(warehouse)
    } finally {
      warehouse.close()
    }
  })
  await fc.assert(property, { numRuns: runs(20) })
})

test('a link of a day brings a bounded number of new referrers, and further ones count as others', async (t) => {
  const warehouse = openWarehouse(join(temporaryFolder(t), 'scans.db'))
  undoLater(t, () => warehouse.close())
  const mark = { journal: 'x', position: 1, lost: 0, isDamaged: false }
  warehouse.add([...many(1, MAX_NEW_REFERRERS + 500), ...many(2, 1)], mark)
  const count = (sql: string) => Number(Object.values(warehouse.db.prepare(sql).get() ?? {})[0])
  assert.equal(count(`select count(*) from dictionary where text like '%.of-1.example'`), MAX_NEW_REFERRERS)
  assert.equal(count(`select count(*) from dictionary where text like '%.of-2.example'`), 1)
  assert.equal(count(`select count(*) from scans where link_id = 1 and referrer = ${OTHER}`), 500)
  // Another day, and referrers that are known by then.
  warehouse.add([...many(1, 600), ...many(1, MAX_NEW_REFERRERS + 100, NOW + DAY_MS).slice(-600)], mark)
  assert.equal(count(`select count(*) from scans where link_id = 1 and referrer = ${OTHER}`), 500)
})

test('nodes that fold meanwhile keep the texts of their scans, and those of a deleted link go', async (t) => {
  const session = await openShared(t, 3)
  if (session === undefined) return
  const [a, b] = [openNode(t, session, 50), openNode(t, session, 50)]
  a.write(many(1, MAX_NEW_REFERRERS + 300))
  await a.fold()
  const [row] = await session.query<{ count: number }>(
    `select count(*)::integer as count from quirl_scans.dictionary where text like '%.of-1.example'`,
  )
  assert.equal(row?.count, MAX_NEW_REFERRERS)
  await session.query('delete from links where id = 1')
  await purgeShared(session.query, [1])
  // Some of the same referrers come to other links now.
  a.write(many(1, 300).map((each) => ({ ...each, linkId: 2 })))
  b.write(many(1, 400).map((each) => ({ ...each, linkId: 3 })))
  await Promise.all([sweepTexts(session), a.fold(), b.fold(), sweepTexts(session)])
  // The scans of a deleted link, which bring texts that no row has then.
  b.write(many(1, 20).map((each) => ({ ...each, referrer: `late.${each.referrer}` })))
  await b.fold()
  await sweepTexts(session)
  await assertExactShared(session)
  await openPartitions(session).prune(NOW + DAY_MS)
  await purgeShared(session.query, [2])
  await sweepTexts(session)
  await assertExactShared(session)
})

test('the removal of other texts, however often, does not keep a node from adding its rows; that of its own does', async (t) => {
  const session = await openShared(t, 1)
  if (session === undefined) return
  const dictionary = openPostgresDictionary(session.query)
  const addOthers = (text: string) => openPostgresDictionary(session.query).prepareTexts([text])
  const mine = scan({ referrer: 'mine.example' })
  const idsOf = await dictionary.prepare([mine])
  const keep = (ids: number[]) => session.transaction((query) => dictionary.keep(query, ids))
  await keep(idsOf(mine))
  for (const other of ['a.example', 'b.example']) {
    await addOthers(other)
    await sweepTexts(session)
    await keep(idsOf(mine))
  }
  // No row has them: they were noted for this test, as the removal of their rows would.
  await session.query(`insert into quirl_scans.unused select id from quirl_scans.dictionary where id > ${OTHER}`)
  await sweepTexts(session)
  await assert.rejects(keep(idsOf(mine)), TextsRemoved)
  const again = await dictionary.prepare([mine])
  assert.notDeepEqual(again(mine), idsOf(mine))
  await keep(again(mine))
})

test('texts stay while a node of an earlier release folds, which does not keep its own', async (t) => {
  const session = await openShared(t, 1)
  if (session === undefined) return
  const node = openNode(t, session)
  node.write(many(1, 5))
  await node.fold()
  await purgeShared(session.query, [1])
  await session.query(`insert into quirl_scans.folds (folder, folded_until) values ('older', clock_timestamp())`)
  const texts = `select from quirl_scans.dictionary where text like '%.of-1.example'`
  await sweepTexts(session)
  assert.equal((await session.query(texts)).length, 5)
  await session.query(
    `update quirl_scans.folds set folded_until = clock_timestamp() - interval '2 hours' where folder = 'older'`,
  )
  await sweepTexts(session)
  assert.equal((await session.query(texts)).length, 0)
})
