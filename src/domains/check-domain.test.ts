import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drivers } from '../../test/support/drivers.ts'
import { createDomainCheck, MAX_ACTIVE } from './check-domain.ts'
import type { Domain } from './domain.ts'
import { createStatusCache } from './status-cache.ts'
import { countActive, deleteUnder, insertDomain } from './store.ts'

const NOW = Date.UTC(2026, 10, 21)
const now = () => NOW
const ROUNDS = 20

const domain = (name: string, status: Domain['status']): Domain => ({
  name,
  registrable: 'example.com',
  tokenHash: `hash of ${name}`,
  status,
  statusSince: NOW,
  createdAt: NOW,
  updatedAt: NOW,
  checkedAt: undefined,
  nextCheckAt: NOW,
  failures: 0,
  failingSince: undefined,
  fault: undefined,
  claimedAt: undefined,
})

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
      for (let at = 1; at < MAX_ACTIVE; at++) await insertDomain(db.write, domain(`n${at}.example.com`, 'active'))
      const pending = nodes.map((check, at) => ({ check, name: domain(`new${at}.example.com`, 'pending') }))
      for (const { name } of pending) await insertDomain(db.write, name)
      const checked = await Promise.all(pending.map(({ check, name }) => check(name)))
      assert.deepEqual(checked.map((each) => each?.status).sort(), ['active', 'pending'])
      assert.equal(await countActive(db.read, 'example.com'), MAX_ACTIVE)
    }
  })
}
