// What the dictionary keeps: no text of a link that is gone.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder, undoLater } from '../../../test/support/cleanup.ts'
import { fc, runs } from '../../../test/support/fast-check.ts'
import { NOW } from '../../../test/support/fold-folders.ts'
import { scanFrom, scansFrom, textIds } from '../../../test/support/stored-texts.ts'
import { MAX_NEW_REFERRERS, MAX_NEW_REFERRERS_OF_ADDRESS } from '../folding/new-referrers.ts'
import { OTHER } from '../text-ids.ts'
import { prune, purgeLinks } from './purge.ts'
import { KEYS_OF_ADDRESS } from '../describing/visitor-key.ts'
import { openSqliteWarehouse, type SqliteWarehouse } from './warehouse.ts'

const DAY_MS = 86_400_000

function assertExact({ db }: SqliteWarehouse): void {
  const { kept, used } = textIds()
  assert.deepEqual(db.prepare(kept).all(), db.prepare(used).all())
}

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
    const warehouse = openSqliteWarehouse(join(folder, `${file++}.db`))
    try {
      const sweeps: Promise<void>[] = [warehouse.unused.sweep()]
      let position = 0
      for (const each of steps) {
        if ('add' in each) {
          const scans = [scanFrom(each.add, `${each.referrer}.example`, NOW - each.days * DAY_MS)]
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
  const warehouse = openSqliteWarehouse(join(temporaryFolder(t), 'scans.db'))
  undoLater(t, () => warehouse.close())
  const mark = { journal: 'x', position: 1, lost: 0, isDamaged: false }
  warehouse.add([...scansFrom(1, MAX_NEW_REFERRERS + 500), ...scansFrom(2, 1)], mark)
  const count = (sql: string) => Number(Object.values(warehouse.db.prepare(sql).get() ?? {})[0])
  assert.equal(count(`select count(*) from dictionary where text like '%.of-1.example'`), MAX_NEW_REFERRERS)
  assert.equal(count(`select count(*) from dictionary where text like '%.of-2.example'`), 1)
  assert.equal(count(`select count(*) from scans where link_id = 1 and referrer = ${OTHER}`), 500)
  // Another day, and referrers that are known by then.
  warehouse.add([...scansFrom(1, 600), ...scansFrom(1, MAX_NEW_REFERRERS + 100, NOW + DAY_MS).slice(-600)], mark)
  assert.equal(count(`select count(*) from scans where link_id = 1 and referrer = ${OTHER}`), 500)
})

test('one address with any number of agents brings few of the new referrers of a link, and hides nobody else’s', async (t) => {
  const warehouse = openSqliteWarehouse(join(temporaryFolder(t), 'scans.db'))
  undoLater(t, () => warehouse.close())
  const forged = scansFrom(1, MAX_NEW_REFERRERS).map((scan, at) => ({ ...scan, visitor: 5 * KEYS_OF_ADDRESS + at }))
  const real = { ...scanFrom(1, 'newspaper.example'), visitor: 6 * KEYS_OF_ADDRESS }
  warehouse.add([...forged, real], { journal: 'x', position: 1, lost: 0, isDamaged: false })
  const texts = warehouse.db.prepare(`select text from dictionary where text like '%.example'`).all()
  const names = texts.map(({ text }) => String(text))
  assert.ok(names.includes('newspaper.example'))
  assert.equal(names.length, MAX_NEW_REFERRERS_OF_ADDRESS + 1)
})
