import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drivers } from '../../test/support/drivers.ts'
import { domain, REGISTERED_AT as NOW } from '../../test/support/stored-domains.ts'
import { createDomainCheck, MAX_ACTIVE } from './check-domain.ts'
import { createStatusCache } from './status-cache.ts'
import { countActive, deleteUnder, insertDomain } from './store.ts'

const now = () => NOW
const ROUNDS = 20

const dns = {
  staticFault: () => undefined,
  faultOf: async () => undefined,
  proofsOf: async () => [],
  serviceAddresses: async () => [],
}

for (const driver of drivers) {
  test(`of names that become active at the same time, no more do than may on ${driver.name}`, async (t) => {
    const db = await driver.open(t)
    if (db === undefined) return
    const nodes = [0, 1].map(() => createDomainCheck({ db, now, dns, statuses: createStatusCache(db, now) }))
    for (let round = 0; round < ROUNDS; round++) {
      await deleteUnder(db.write, 'example.com')
      for (let at = 1; at < MAX_ACTIVE; at++)
        await insertDomain(db.write, domain(`n${at}.example.com`, { status: 'active' }))
      const pending = nodes.map((check, at) => ({ check, name: domain(`new${at}.example.com`) }))
      for (const { name } of pending) await insertDomain(db.write, name)
      const checked = await Promise.all(pending.map(({ check, name }) => check(name)))
      assert.deepEqual(checked.map((each) => each?.status).sort(), ['active', 'pending'])
      assert.equal(await countActive(db.read, 'example.com'), MAX_ACTIVE)
    }
  })
}
