import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { drivers, type StoreDriver } from '../../test/support/drivers.ts'
import { Postponed } from './issuance-error.ts'
import type { Purpose } from './issuance-store.ts'
import { createOrderLimiter, type OrderSlot } from './order-limiter.ts'

const SECOND = 1000
const HOUR = 60 * 60 * SECOND
const NAME = 'qr.example.com'

interface Setting {
  now: () => number
  pass: (ms: number) => void
  warned: unknown[]
  isReached: () => boolean
  /** Acquires a place; undefined while there is none. */
  acquire: (purpose: Purpose) => Promise<OrderSlot | undefined>
  /** Acquires places until there is none, at most so many. */
  fill: (purpose: Purpose, most: number) => Promise<number>
}

async function set(t: TestContext, driver: StoreDriver): Promise<Setting | undefined> {
  const db = await driver.open(t)
  if (db === undefined) return undefined
  let now = Date.UTC(2026, 10, 21)
  const warned: unknown[] = []
  const pass = (ms: number) => void (now += ms)
  const limiter = createOrderLimiter({
    db,
    now: () => now,
    sleep: async (ms) => pass(ms),
    log: { warn: (fields: unknown) => void warned.push(fields) },
  })
  const acquire = async (purpose: Purpose) => {
    try {
      return await limiter.acquire(NAME, purpose, new AbortController().signal)
    } catch (error) {
      assert.ok(error instanceof Postponed && error.until > now)
      return undefined
    }
  }
  return {
    now: () => now,
    pass,
    warned,
    isReached: limiter.isReached,
    acquire,
    async fill(purpose, most) {
      for (let placed = 0; ; placed++) if (placed === most || (await acquire(purpose)) === undefined) return placed
    },
  }
}

for (const driver of drivers) {
  describe(`limits of orders on ${driver.name}`, () => {
    test('of ten orders in ten seconds, two are kept for renewals and the host, and one of those for the host', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { now, acquire, fill, pass } = setting
      const begun = now()
      assert.equal(await fill('first', 99), 8)
      assert.ok(await acquire('renewal'))
      assert.ok(await acquire('own'))
      assert.equal(now(), begun)
      assert.ok(await acquire('renewal'))
      assert.equal(now(), begun + 10 * SECOND, 'a renewal waits for its place')
      assert.equal(await fill('first', 99), 7)
      pass(10 * SECOND)
      assert.equal(await fill('first', 99), 8)
    })

    test('of 200 orders in three hours, forty are kept for renewals, and ten of those for the host and operators', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { now, acquire, fill, pass, warned, isReached } = setting
      const begun = now()
      let placed = 0
      for (let count = 1; count > 0; placed += count) {
        count = await fill('first', 99)
        pass(10 * SECOND)
      }
      assert.equal(placed, 160)
      assert.deepEqual([isReached(), warned.length], [true, 1])
      assert.equal(await fill('renewal', 99), 30)
      assert.equal(await fill('own', 5), 5)
      assert.equal(await fill('operator', 99), 5)
      for (let minutes = 0; minutes < 120; minutes++) {
        pass(60 * SECOND)
        for (const purpose of ['first', 'renewal', 'own', 'operator'] as const)
          assert.equal(await acquire(purpose), undefined)
      }
      pass(begun + 3 * HOUR - now())
      assert.equal(await fill('first', 99), 0, 'the first to become free are for the host')
      assert.equal(await fill('own', 8), 8)
      assert.equal(warned.length, 1, 'it is said once')
      pass(7 * HOUR)
      assert.equal(isReached(), false)
      assert.equal(await fill('first', 99), 8)
    })

    test('renewals leave places for first certificates, and those that have failed before have a quarter of what others leave', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { now, acquire, fill, pass, warned } = setting
      const begun = now()
      const fillAll = async (purpose: Purpose) => {
        let placed = 0
        for (let count = 1; count > 0; placed += count) {
          count = await fill(purpose, 8)
          pass(10 * SECOND)
        }
        return placed
      }
      assert.equal(await fillAll('retry'), 40)
      assert.equal(warned.length, 0, 'names that fail again and again are nothing to be told')
      pass(begun + 4 * HOUR - now())
      assert.equal(await fillAll('renewal'), 120)
      assert.equal(await fillAll('retry'), 10)
      assert.equal(await fillAll('first'), 30)
      assert.equal(await acquire('renewal'), undefined)
      assert.ok(await acquire('own'))
      pass(3 * HOUR)
      assert.ok(await acquire('renewal'))
    })

    test('an order that was not placed gives its place back', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { acquire, fill } = setting
      const slot = await acquire('first')
      assert.equal(await fill('first', 99), 7)
      await slot?.giveBack()
      assert.equal(await fill('first', 99), 1)
    })

    test('orders that a wrong clock has recorded take no place once it is right', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { fill, pass } = setting
      pass(365 * 24 * HOUR)
      assert.equal(await fill('first', 99), 8)
      pass(-365 * 24 * HOUR)
      assert.equal(await fill('first', 99), 8)
    })
  })
}
