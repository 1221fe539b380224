import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drivers } from '../../test/support/drivers.ts'
import { keyOperations } from './operator.ts'
import { deleteKey, findUse, insertKey, listKeys, updateUse } from './store.ts'

for (const driver of drivers) {
  describe(`creation keys on ${driver.name}`, () => {
    test('are added once by name, found by their hash, and not found by another instance once removed', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      assert.equal(await insertKey(db.write, 'hash 1', 'shop', 2), true)
      assert.equal(await insertKey(db.write, 'hash 2', 'shop', 3), false)
      assert.equal(await insertKey(db.write, 'hash 3', 'office', 1), true)
      assert.equal(await findUse(db.read, 'hash 1'), null)
      assert.equal(await findUse(db.read, 'hash 2'), undefined)
      await updateUse(db.write, 'hash 1', '2026-11-23')
      assert.equal(await findUse(db.read, 'hash 1'), '2026-11-23')
      const listed = (await listKeys(db.read, 10)).map((each) => ({ ...each }))
      assert.deepEqual(listed, [
        { name: 'office', createdAt: 1, usedOn: null },
        { name: 'shop', createdAt: 2, usedOn: '2026-11-23' },
      ])
      assert.equal((await listKeys(db.read, 1)).length, 1)
      assert.equal(await deleteKey(db.write, 'shop'), true)
      assert.equal(await deleteKey(db.write, 'shop'), false)
      assert.equal(await findUse(db.read, 'hash 1'), undefined)
    })

    test('there are never more than a thousand, however many are added at the same time', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      await db.transaction(async (transaction) => {
        for (let at = 0; at < 998; at++) await insertKey(transaction, `hash ${at}`, `name ${at}`, at)
      })
      const add = keyOperations(db, () => 0, 'token')['add-key']
      const adding = Array.from({ length: 8 }, async (_, at) => add?.({ name: `new ${at}` }))
      const results = await Promise.allSettled(adding)
      assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 2)
      for (const result of results)
        if (result.status === 'rejected')
          assert.match(String(result.reason), /there are 1000 access codes, which is the most/)
      assert.equal((await listKeys(db.read, 2000)).length, 1000)
    })
  })
}
