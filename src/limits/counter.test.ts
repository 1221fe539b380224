import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { countsDrivers } from '../../test/support/counters.ts'

const MINUTE = 60_000
const WINDOW = 60 * MINUTE

for (const { name, open, isExact } of countsDrivers) {
  describe(name, () => {
    async function openCounter(t: TestContext) {
      const counts = await open(t)
      if (counts === undefined) return undefined
      const { now, advance } = counts
      const counter = (await counts.openCounters(t)).of('clients')
      const charge = async (key: number, quota = 10) => {
        const { used, until, isRefused } = await counter.charge(key, quota)
        return { used, isRefused, ends: endOf(until - now()) }
      }
      return { counter, charge, now, advance }
    }

    /** The minutes until a window ends; exact, or rounded up. */
    const endOf = (ms: number) => (isExact ? ms / MINUTE : Math.ceil(ms / MINUTE))

    test('a window begins with the first charge and ends an hour later', async (t) => {
      const opened = await openCounter(t)
      if (opened === undefined) return
      const { counter, charge, now, advance } = opened
      assert.deepEqual(await charge(1), { used: 1, isRefused: false, ends: 60 })
      await advance(WINDOW - 5 * MINUTE)
      assert.deepEqual(await charge(1), { used: 2, isRefused: false, ends: 5 })
      await advance(5 * MINUTE)
      assert.deepEqual(await counter.read(1), { used: 0, until: now() + WINDOW })
      assert.deepEqual(await charge(1), { used: 1, isRefused: false, ends: 60 })
    })

    test('a charge past the quota is refused, and counts nothing', async (t) => {
      const opened = await openCounter(t)
      if (opened === undefined) return
      const { charge } = opened
      await charge(1, 1)
      for (let again = 0; again < 3; again++)
        assert.deepEqual(await charge(1, 1), { used: 1, isRefused: true, ends: 60 })
      assert.deepEqual(await charge(1, 2), { used: 2, isRefused: false, ends: 60 })
      assert.equal((await charge(1, Number.POSITIVE_INFINITY)).used, 3)
    })

    test('a charge of several units counts all of them or, where fewer are left, none', async (t) => {
      const opened = await openCounter(t)
      if (opened === undefined) return
      const { counter } = opened
      const charge = async (units: number) => {
        const { used, isRefused, refund } = await counter.charge(1, 10, units)
        return { used, isRefused, refund }
      }
      assert.deepEqual({ ...(await charge(11)), refund: 0 }, { used: 0, isRefused: true, refund: 0 })
      const seven = await charge(7)
      assert.deepEqual([seven.used, seven.isRefused], [7, false])
      const refused = await charge(4)
      assert.deepEqual([refused.used, refused.isRefused, (await refused.refund()).used], [7, true, 7])
      assert.equal((await charge(3)).isRefused, false)
      assert.equal((await seven.refund()).used, 3)
    })

    test('of many charges at the same time, as many succeed as the quota has', async (t) => {
      const opened = await openCounter(t)
      if (opened === undefined) return
      const { charge } = opened
      const charges = await Promise.all(Array.from({ length: 100 }, () => charge(1, 7)))
      assert.equal(charges.filter(({ isRefused }) => !isRefused).length, 7)
    })

    test('a refund undoes one charge, of a refused one nothing, and never more than was charged', async (t) => {
      const opened = await openCounter(t)
      if (opened === undefined) return
      const { counter } = opened
      const charges = [await counter.charge(1, 2), await counter.charge(1, 2), await counter.charge(1, 2)]
      const used = []
      for (const { refund } of charges.toReversed()) used.push((await refund()).used)
      assert.deepEqual(used, [2, 1, 0])
      assert.equal((await charges[0]?.refund())?.used, 0)
    })

    test('a refund after the window has ended changes nothing of the next one', async (t) => {
      const opened = await openCounter(t)
      if (opened === undefined) return
      const { counter, advance } = opened
      const { refund } = await counter.charge(1, 10)
      await advance(WINDOW)
      assert.equal((await refund()).used, 0)
      await counter.charge(1, 10)
      assert.equal((await refund()).used, 1)
    })
  })
}
