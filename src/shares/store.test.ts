import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drivers } from '../../test/support/drivers.ts'
import { insert, remove } from '../../test/support/stored-links.ts'
import { noCharge, noRoom } from '../lib/charged.ts'
import { deleteLinkData } from '../links/link-data.ts'
import { MAX_SHARES } from './bounds.ts'
import { openShares } from './open.ts'
import * as store from './store.ts'

const share = (linkId: number, id: string, createdAt = 1): store.Share => ({
  id,
  linkId,
  name: null,
  csv: false,
  destination: true,
  createdAt,
})

const client = { charge: noCharge, chargeRoom: noRoom }

for (const driver of drivers) {
  test(`shares on ${driver.name}`, async (t) => {
    const db = await driver.open(t)
    if (db === undefined) return

    await t.test('a share is read by its token and in the list of its link, oldest first', async () => {
      const [link, other] = [await insert(db, 'listed'), await insert(db, 'other')]
      const newer = { ...share(link.id, 'a', 2), name: 'Ünïcode', csv: true, destination: false }
      await store.insertShare(db.write, newer, 'hash of a')
      await store.insertShare(db.write, share(link.id, 'b', 1), 'hash of b')
      await store.insertShare(db.write, share(other.id, 'c'), 'hash of c')
      assert.deepEqual(await store.findShares(db.read, link.id), [share(link.id, 'b', 1), newer])
      assert.equal(await store.countShares(db.read, link.id), 2)
      assert.deepEqual(await store.findShare(db.read, 'hash of a'), newer)
      assert.equal(await store.findShare(db.read, 'hash of d'), undefined)
    })

    await t.test('a share is deleted once, and only by its own link', async () => {
      const [link, other] = [await insert(db, 'revoking'), await insert(db, 'stranger')]
      await store.insertShare(db.write, share(link.id, 'x'), 'hash of x')
      assert.equal(await store.deleteShare(db.write, other.id, 'x'), false)
      assert.equal(await store.deleteShare(db.write, link.id, 'y'), false)
      assert.equal(await store.deleteShare(db.write, link.id, 'x'), true)
      assert.equal(await store.deleteShare(db.write, link.id, 'x'), false)
      assert.equal(await store.findShare(db.read, 'hash of x'), undefined)
    })

    await t.test('concurrent creations do not exceed the bound of a link', async () => {
      const link = await insert(db, 'bounded')
      const shares = openShares({ db, now: () => 1 })
      const options = { name: null, csv: false, destination: false }
      const created = await Promise.allSettled(
        Array.from({ length: MAX_SHARES + 5 }, () => shares.create(link.id, options, client, undefined)),
      )
      assert.equal(created.filter(({ status }) => status === 'fulfilled').length, MAX_SHARES)
      assert.equal(await store.countShares(db.read, link.id), MAX_SHARES)
    })

    await t.test('a creation concurrent with the deletion of its link leaves no share', async () => {
      const link = await insert(db, 'deleting')
      const shares = openShares({ db, now: () => 1 })
      const options = { name: null, csv: false, destination: false }
      const creations = Array.from({ length: 10 }, () => shares.create(link.id, options, client, undefined))
      const deletion = db.transaction(async (transaction) => {
        await transaction.deleteFrom('links').where('id', '=', link.id).execute()
        await deleteLinkData(transaction, link.id)
      })
      await Promise.allSettled([...creations, deletion])
      assert.deepEqual(await store.findShares(db.read, link.id), [])
      await assert.rejects(shares.create(link.id, options, client, undefined), /no link has this token/)
    })

    await t.test('a lock changes nothing: the revision that was read can still be written', async () => {
      const link = await insert(db, 'locked')
      assert.equal(await db.transaction((transaction) => store.lockLink(transaction, link.id)), true)
      assert.equal(await remove(db, link), true)
      assert.equal(await db.transaction((transaction) => store.lockLink(transaction, link.id)), false)
    })
  })
}
