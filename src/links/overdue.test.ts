import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Database } from '../db/database.ts'
import { drivers } from '../../test/support/drivers.ts'
import { insert } from '../../test/support/stored-links.ts'
import { hideLink, UNDO_MS } from './deleted-store.ts'
import { startOverdue, type OverdueNeeds } from './overdue.ts'

const START = 1_800_000_000_000
const COUNT = 50

/** Deletes so many new links at a time, so that they can be brought back. @returns their ids */
async function deleteSome(db: Database, prefix: string, count: number, at: number): Promise<number[]> {
  const ids: number[] = []
  for (let each = 0; each < count; each++) {
    const link = await insert(db, `${prefix}-${each}`)
    assert.ok(await db.transaction((transaction) => hideLink(transaction, link, at)))
    ids.push(link.id)
  }
  return ids
}

async function storedIds(db: Database): Promise<number[]> {
  const rows = await db.read
    .selectFrom('links')
    .select('id')
    .where('deleted_at', 'is not', null)
    .orderBy('id')
    .execute()
  return rows.map(({ id }) => id)
}

for (const driver of drivers) {
  describe(`links whose day is over on ${driver.name}`, () => {
    const open = (db: Database, purged: number[], more: Partial<OverdueNeeds> = {}) =>
      startOverdue({
        db,
        monotonic: () => performance.now(),
        removalTime: async () => START,
        latestTime: async () => Number.POSITIVE_INFINITY,
        purgeScans: (id) => void purged.push(id),
        log: { error: (details) => assert.fail(String((details as { err: Error }).err)) },
        ...more,
      })

    test('are deleted for good once, whoever of several processes does it, and others stay', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const due = await deleteSome(db, 'due', COUNT, START - UNDO_MS)
      const early = await deleteSome(db, 'early', 2, START - UNDO_MS + 1)
      const purged: number[] = []
      const processes = Array.from({ length: 3 }, () => open(db, purged))
      while ((await storedIds(db)).length > early.length) await Promise.all(processes.map(({ run }) => run()))
      await Promise.all(processes.map(({ close }) => close()))
      assert.deepEqual(await storedIds(db), early)
      assert.deepEqual(
        purged.toSorted((a, b) => a - b),
        due,
      )
      const rows = await db.read.selectFrom('purges').select('link_id').execute()
      assert.equal(rows.filter(({ link_id: id }) => due.includes(id)).length, COUNT)
    })

    test('are also those that were deleted while the clock was ahead, a day after it is right', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const [ahead] = await deleteSome(db, 'ahead', 1, START + 365 * UNDO_MS)
      const purged: number[] = []
      const stored = async () => (await storedIds(db)).includes(ahead ?? 0)
      for (const [latest, time, isStored] of [
        [Number.POSITIVE_INFINITY, START, true],
        [START, START, true],
        [START + UNDO_MS, START + UNDO_MS, false],
      ] as const) {
        const overdue = open(db, purged, { latestTime: async () => latest, removalTime: async () => time })
        await overdue.run()
        await overdue.close()
        assert.equal(await stored(), isStored)
      }
    })

    test('are deleted by the next process when one ends in between', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const due = await deleteSome(db, 'more', COUNT, START - UNDO_MS)
      const purged: number[] = []
      let left = 2
      const dying = () => {
        left--
        if (left < 0) throw new Error('the process ends')
      }
      const logged: object[] = []
      const first = open(db, purged, { purgeScans: dying, log: { error: (details) => void logged.push(details) } })
      await first.run()
      await first.close()
      const stored = await storedIds(db)
      assert.ok(stored.length > 0 && stored.length < COUNT, String(stored.length))
      assert.equal(logged.length, 1)
      const second = open(db, purged)
      await second.run()
      await second.close()
      assert.deepEqual(await storedIds(db), [])
      // What the first has not told is in the store, where the next start finds it.
      const rows = await db.read.selectFrom('purges').select('link_id').execute()
      assert.equal(rows.filter(({ link_id: id }) => due.includes(id)).length, COUNT)
    })
  })
}
