import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Database } from '../../db/database.ts'
import { drivers } from '../../../test/support/drivers.ts'
import { findRevisions, insertRevision, type HistoryBounds } from './history-store.ts'
import { deleteLinkData, linkTables } from '../link-data.ts'

let lastLink = 0

/** Stores revisions with texts of these lengths; returns the link's ID. */
async function store(db: Database, lengths: number[], bounds: HistoryBounds): Promise<number> {
  const link = ++lastLink
  for (const [at, length] of lengths.entries()) {
    const revision = { revision: 2 * at + 1, at, replaced: { title: 'ü'.repeat(length) } }
    await db.transaction((transaction) => insertRevision(transaction, link, revision, bounds))
  }
  return link
}

const numbersOf = async (db: Database, link: number) =>
  (await findRevisions(db.read, link)).map(({ revision }) => revision)

for (const driver of drivers) {
  test(`the history on ${driver.name}`, async (t) => {
    const db = await driver.open(t)
    if (db === undefined) return

    await t.test('is read newest first, as it was written', async () => {
      const link = await store(db, [1, 2], { revisions: 9, bytes: 999 })
      assert.deepEqual(await findRevisions(db.read, link), [
        { revision: 3, at: 1, replaced: { title: 'üü' } },
        { revision: 1, at: 0, replaced: { title: 'ü' } },
      ])
      assert.deepEqual(await findRevisions(db.read, 0), [])
    })

    await t.test('holds the newest revisions up to their number, also where numbers are left out', async () => {
      const link = await store(db, [1, 1, 1, 1, 1], { revisions: 3, bytes: 999 })
      assert.deepEqual(await numbersOf(db, link), [9, 7, 5])
    })

    await t.test(
      'holds the newest revisions up to their bytes, and the one that was replaced last of any size',
      async () => {
        // {"title":""} has 12 bytes, and an umlaut 2.
        const bounds = { revisions: 9, bytes: 40 }
        assert.deepEqual(await numbersOf(db, await store(db, [4, 4, 4], bounds)), [5, 3])
        assert.deepEqual(await numbersOf(db, await store(db, [4, 4, 100], bounds)), [5])
        assert.deepEqual(await numbersOf(db, await store(db, [4, 100, 4], bounds)), [5])
      },
    )

    await t.test('is deleted with its link, and no other', async () => {
      const bounds = { revisions: 9, bytes: 999 }
      const [deleted, other] = [await store(db, [1, 2], bounds), await store(db, [1, 2], bounds)]
      await db.transaction((transaction) => deleteLinkData(transaction, deleted))
      assert.deepEqual(await numbersOf(db, deleted), [])
      assert.deepEqual(await numbersOf(db, other), [3, 1])
    })

    await t.test('as every table that names a link, is in the list of those that a deletion empties', async () => {
      const tables = await db.read.introspection.getTables()
      const naming = tables.filter(({ columns }) => columns.some(({ name }) => name === 'link_id'))
      const records = ['deletions', 'purges']
      assert.deepEqual(naming.map(({ name }) => name).sort(), [...linkTables, ...records].sort())
    })
  })
}
