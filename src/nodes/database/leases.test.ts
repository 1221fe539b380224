import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '#kysely'
import { drivers } from '../../../test/support/drivers.ts'
import { poll } from '../../../test/support/poll.ts'
import type { Database } from '../../db/database.ts'
import { createLeases, LeaseLost } from '../../db/lease.ts'
import { createSharedLeases } from './database.ts'

const HOUR = 3_600_000
const monotonic = () => performance.now()

/** Takes a lease at a time of the store's clock. */
const takeAt = (db: Database, name: string, holder: string, now: number, lengthMs = HOUR) =>
  createSharedLeases({ write: db.write, time: () => sql<number>`cast(${now} as bigint)` }).take(name, holder, lengthMs)

for (const driver of drivers.filter(({ name }) => name.startsWith('PostgreSQL'))) {
  describe(`a lease of several processes on ${driver.name}`, () => {
    test('is extended by its holder, and taken over by another when it has expired', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const take = (holder: string, now: number) => takeAt(db, 'a', holder, now, 10)
      assert.equal(await take('x', 0), true)
      assert.equal(await take('x', 5), true)
      assert.equal(await take('y', 14), false)
      assert.equal(await take('y', 15), true)
      assert.equal(await db.transaction((transaction) => db.leases.holds(transaction, 'a', 'x')), false)
    })

    test('that was taken over commits nothing, and its release leaves the new holder alone', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const lease = await createLeases(db, monotonic)('a')
      assert.ok(lease)
      await lease.commit((transaction) => transaction.insertInto('purges').values({ link_id: 1 }).execute())
      assert.equal(await takeAt(db, 'a', 'other', Date.now() + HOUR), true)
      const late = lease.commit((transaction) => transaction.insertInto('purges').values({ link_id: 2 }).execute())
      await assert.rejects(late, LeaseLost)
      const rows = await db.read.selectFrom('purges').selectAll().execute()
      assert.deepEqual(
        rows.map((row) => row.link_id),
        [1],
      )
      await lease.release()
      assert.equal(await db.transaction((transaction) => db.leases.holds(transaction, 'a', 'other')), true)
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
      assert.equal(await takeAt(db, 'a', 'other', first), false)
      assert.equal(lease.lost.aborted, false)
      const lost = new Promise((resolve) => lease.lost.addEventListener('abort', resolve))
      assert.equal(await takeAt(db, 'a', 'other', Date.now() + HOUR), true)
      t.mock.timers.tick(3000)
      await lost
      await lease.release()
    })
  })
}
