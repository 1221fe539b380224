import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drivers } from '../../../test/support/drivers.ts'
import { createIdempotency } from './idempotency.ts'

const DAY = 24 * 60 * 60 * 1000

for (const driver of drivers) {
  test(`on ${driver.name}, a creation deletes a few expired responses, and several creations all of them`, async (t) => {
    const db = await driver.open(t)
    if (db === undefined) return
    let now = 1_800_000_000_000
    const idempotency = createIdempotency(db, () => now)
    const create = (key: string) =>
      idempotency.run(
        { key, request: 'a request' },
        async () => {},
        async () => key,
      )
    const stored = async () => (await db.read.selectFrom('idempotency_keys').select('lookup').execute()).length
    for (let at = 0; at < 10; at++) await create(`key ${at}`)
    now += DAY + 1
    const counts = []
    for (let at = 0; at < 4; at++) {
      await create(`later key ${at}`)
      counts.push(await stored())
    }
    assert.deepEqual(counts, [7, 4, 3, 4])
    assert.equal((await create('later key 0')).isRetry, true)
    assert.equal(await idempotency.has('key 9'), false)
  })
}
