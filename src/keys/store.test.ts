import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drivers } from '../../test/support/drivers.ts'
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
  })
}
