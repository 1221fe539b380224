import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drivers } from '../../test/support/drivers.ts'
import { instanceOf } from './instance.ts'
import { openLinkIds } from './ids.ts'
import { deletePurges, findPurges, insertDeletions } from './purge-store.ts'
import * as store from './store.ts'
import { insert, lastId, remove } from '../../test/support/stored-links.ts'

for (const driver of drivers) {
  test(`the IDs of a store's links on ${driver.name}`, async (t) => {
    const db = await driver.open(t)
    if (db === undefined) return

    await t.test('a deleted link is listed for purging until its data elsewhere is purged', async () => {
      await db.transaction(async (transaction) => {
        for (const id of [5, 3]) await insertDeletions(transaction, [id])
      })
      assert.deepEqual((await findPurges(db.read)).sort(), [3, 5])
      await deletePurges(db.write, [3, 4])
      assert.deepEqual(await findPurges(db.read), [5])
      await deletePurges(db.write, [])
      await deletePurges(db.write, [5])
      assert.deepEqual(await findPurges(db.read), [])
    })

    await t.test('the IDs of links and of deleted links are known, and no others', async () => {
      const { known } = instanceOf(db)
      const [there, gone] = [await insert(db, 'there'), await insert(db, 'no-more')]
      await db.transaction(async (transaction) => {
        await store.deleteLinkRow(transaction, gone)
        await insertDeletions(transaction, [gone.id])
      })
      await deletePurges(db.write, [gone.id])
      assert.deepEqual(await known([there.id, gone.id, 7, lastId + 1]), new Set([there.id, gone.id]))
      assert.deepEqual(await known([]), new Set())
      await insertDeletions(db.write, [gone.id, 7])
      await insertDeletions(db.write, [gone.id, 7])
      assert.deepEqual(await known([gone.id, 7]), new Set([gone.id, 7]))
    })

    await t.test('a store has one ID', async () => {
      const names = [await instanceOf(db).id(), await instanceOf({ read: db.write }).id(), await instanceOf(db).id()]
      assert.equal(new Set(names).size, 1)
      assert.match(names[0] ?? '', /^[0-9a-f-]{36}$/)
    })

    await t.test('IDs count up from a start with free IDs after it, and the largest used one is returned', async () => {
      const crowded = await insert(db, 'crowded', { id: 2 ** 40 })
      const { id } = crowded
      const draws = [id - 1, id, id - 2 ** 28 + 1, id - 2 ** 28]
      const ids = await openLinkIds(db, () => draws.shift() ?? 0)
      assert.deepEqual(draws, [])
      assert.deepEqual([ids.next(), ids.next()], [id - 2 ** 28, id - 2 ** 28 + 1])
      assert.equal(ids.newest(), undefined)
      ids.markUsed(9)
      ids.markUsed(8)
      assert.equal(ids.newest(), 9)
      await remove(db, crowded)
    })
  })
}

test('no two stores have the same ID', async (t) => {
  const [sqlite] = drivers
  const names = await Promise.all(
    [0, 1].map(async () => {
      const db = await sqlite?.open(t)
      return db && instanceOf(db).id()
    }),
  )
  assert.notEqual(names[0], names[1])
})
