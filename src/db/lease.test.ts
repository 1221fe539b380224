import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { temporaryFolder, undoLater } from '../../test/support/cleanup.ts'
import { drivers } from '../../test/support/drivers.ts'
import { createLeases, LeaseLost } from './lease.ts'
import { openSqlite } from './sqlite/database.ts'
import { ChangesHeld } from './unavailable.ts'

const HOUR = 3_600_000
const monotonic = () => performance.now()

for (const driver of drivers) {
  describe(`a lease on ${driver.name}`, () => {
    test('is acquired by one of many, and by the next once it is released', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const acquires = [createLeases(db, monotonic), createLeases(db, monotonic)]
      const all = await Promise.all([...acquires, ...acquires].map((acquire) => acquire('sweep')))
      const [held, ...others] = all.filter((lease) => lease !== undefined)
      assert.deepEqual(others, [])
      assert.ok(await acquires[0]?.('another name'))
      await held?.release()
      assert.ok(await acquires[1]?.('sweep'))
    })

    test('commits while it is held, and nothing once it is not', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const lease = await createLeases(db, monotonic)('a')
      assert.ok(lease)
      await lease.commit((transaction) => transaction.insertInto('purges').values({ link_id: 1 }).execute())
      await lease.release()
      const late = lease.commit((transaction) => transaction.insertInto('purges').values({ link_id: 2 }).execute())
      await assert.rejects(late, LeaseLost)
      const rows = await db.read.selectFrom('purges').selectAll().execute()
      assert.deepEqual(
        rows.map((row) => row.link_id),
        [1],
      )
    })
  })
}

test('a lease survives a short outage of the store, and is lost when that lasts until it expires', async (t) => {
  const sqlite = drivers.find(({ name }) => name === 'SQLite')
  const db = await sqlite?.open(t)
  assert.ok(db)
  t.mock.timers.enable({ apis: ['setInterval'] })
  let now = HOUR
  let isAway = false
  const { leases } = db
  const take: typeof leases.take = async (...args) => {
    if (isAway) throw new Error('away')
    return leases.take(...args)
  }
  const lease = await createLeases({ ...db, leases: { ...leases, take } }, () => now)('a')
  assert.ok(lease)
  const settle = () => new Promise((resolve) => setImmediate(resolve))
  isAway = true
  now += 3000
  t.mock.timers.tick(3000)
  await settle()
  assert.equal(lease.lost.aborted, false)
  now += 7000
  t.mock.timers.tick(3000)
  await settle()
  assert.equal(lease.lost.aborted, true)
})

test('nobody begins work under a lease while SQLite refuses its result: it is moved, or its disk is full', async (t) => {
  let isFull = false
  const space = { isFull: () => isFull, isSpent: () => false, release() {} }
  const db = await openSqlite(join(temporaryFolder(t), 'links.db'), Date.now, { space })
  undoLater(t, () => db.close())
  const [acquire, acquireUrgently] = [createLeases(db, monotonic), createLeases(db, monotonic, 'takedown')]
  isFull = true
  await assert.rejects(acquire('a'), /disk is full/)
  assert.ok(await acquireUrgently('b'))
  isFull = false
  const goOn = await db.holdChanges()
  await assert.rejects(acquire('a'), ChangesHeld)
  await assert.rejects(acquireUrgently('c'), ChangesHeld)
  goOn()
  assert.ok(await acquire('a'))
})
