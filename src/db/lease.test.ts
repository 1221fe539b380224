import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '#kysely'
import { drivers } from '../../test/support/drivers.ts'
import { poll } from '../../test/support/poll.ts'
import { createLeases, LeaseLost } from './lease.ts'
import { holdsLease, takeLease } from './lease-store.ts'

const HOUR = 3_600_000
const monotonic = () => performance.now()
const at = (time: number) => sql<number>`cast(${time} as bigint)`

for (const driver of drivers) {
  describe(`a lease on ${driver.name}`, () => {
    test('is acquired by one of many, in one process or in several, and by the next once it is released', async (t) => {
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

    test('is extended by its holder, and taken over by another when it has expired', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const take = (holder: string, now: number) => takeLease(db.write, 'a', holder, { now: at(now), lengthMs: 10 })
      assert.equal(await take('x', 0), true)
      assert.equal(await take('x', 5), true)
      assert.equal(await take('y', 14), false)
      assert.equal(await take('y', 15), true)
      assert.equal(await holdsLease(db.read, 'a', 'x'), false)
    })

    test('that was taken over commits nothing, and its release leaves the new holder alone', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const lease = await createLeases(db, monotonic)('a')
      assert.ok(lease)
      await lease.commit((transaction) => transaction.insertInto('purges').values({ link_id: 1 }).execute())
      assert.equal(await takeLease(db.write, 'a', 'other', { now: at(Date.now() + HOUR), lengthMs: HOUR }), true)
      const late = lease.commit((transaction) => transaction.insertInto('purges').values({ link_id: 2 }).execute())
      await assert.rejects(late, LeaseLost)
      const rows = await db.read.selectFrom('purges').selectAll().execute()
      assert.deepEqual(
        rows.map((row) => row.link_id),
        [1],
      )
      await lease.release()
      assert.equal(await holdsLease(db.read, 'a', 'other'), true)
    })

    test('is lost when its renewal finds another holder, and otherwise stays through a renewal', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      t.mock.timers.enable({ apis: ['setInterval'] })
      const lease = await createLeases(db, monotonic)('a')
      assert.ok(lease)
      const expiry = db.read.selectFrom('leases').select('expires_at')
      const { expires_at: first } = await expiry.executeTakeFirstOrThrow()
      await poll(async () => {
        t.mock.timers.tick(3000)
        return (await expiry.executeTakeFirstOrThrow()).expires_at > first
      })
      const takeAt = (time: number) => takeLease(db.write, 'a', 'other', { now: at(time), lengthMs: HOUR })
      assert.equal(await takeAt(first), false)
      assert.equal(lease.lost.aborted, false)
      const lost = new Promise((resolve) => lease.lost.addEventListener('abort', resolve))
      assert.equal(await takeAt(Date.now() + HOUR), true)
      t.mock.timers.tick(3000)
      await lost
      await lease.release()
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
  const flaky = {
    ...db,
    get write() {
      if (isAway) throw new Error('away')
      return db.write
    },
  }
  const lease = await createLeases(flaky, () => now)('a')
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
