import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drivers } from '../../test/support/drivers.ts'
import { insert } from '../../test/support/stored-links.ts'
import { endOldest, insertMembers, keepLinks } from './store.ts'

for (const driver of drivers) {
  describe(`links that join a collection on ${driver.name}`, () => {
    test('they can be blocked before that has ended, but not deleted', async (t) => {
      // SQLite runs one change after the other.
      const db = driver.name.startsWith('PostgreSQL') ? await driver.open(t) : undefined
      if (db === undefined) return
      const ids = [(await insert(db, 'first')).id, (await insert(db, 'second')).id]
      await db.transaction(async (transaction) => {
        assert.deepEqual([...(await keepLinks(transaction, db.kept, ids))], ids)
        await db.write.updateTable('links').set({ removed_at: 1 }).where('id', 'in', ids).execute()
        const deletable = db.read.selectFrom('links').select('id').where('id', 'in', ids)
        assert.deepEqual(await deletable.forUpdate().skipLocked().execute(), [])
      })
      const blocked = await db.read.selectFrom('links').select('removed_at').where('id', 'in', ids).execute()
      assert.deepEqual(blocked, [{ removed_at: 1 }, { removed_at: 1 }])
    })

    test('what joins at the same moment is found once both have ended', async (t) => {
      const db = driver.name.startsWith('PostgreSQL') ? await driver.open(t) : undefined
      if (db === undefined) return
      const { id } = await insert(db, 'link')
      const [linkIds, most] = [[id], 1]
      const join = async (collectionId: string, meanwhile = async () => {}) => {
        await db.transaction(async (transaction) => {
          await keepLinks(transaction, db.kept, linkIds)
          await insertMembers(transaction, { collectionId, linkIds, now: 1 })
          await endOldest(transaction, linkIds, { most, except: collectionId })
          await meanwhile()
        })
        await endOldest(db.write, linkIds, { most, except: collectionId })
      }
      await join('first', () => join('second'))
      const stored = await db.read.selectFrom('memberships').select('collection_id').execute()
      assert.deepEqual(stored, [{ collection_id: 'first' }])
    })

    test('each keeps the collections that it joined last, and the one that it joins whatever its time', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const [link, other] = [(await insert(db, 'link')).id, (await insert(db, 'other')).id]
      await db.transaction(async (transaction) => {
        for (const [collectionId, now] of [
          ['of a clock behind', 1],
          ['old', 2],
          ['b', 3],
          ['a', 3],
        ] as const)
          await insertMembers(transaction, { collectionId, linkIds: [link, other], now })
        await endOldest(transaction, [link], { most: 2, except: 'of a clock behind' })
      })
      const members = db.read.selectFrom('memberships').select('collection_id as id').orderBy('id')
      const of = async (id: number) => (await members.where('link_id', '=', id).execute()).map((row) => row.id)
      assert.deepEqual(await of(link), ['a', 'of a clock behind'])
      assert.equal((await of(other)).length, 4)
    })
  })
}
