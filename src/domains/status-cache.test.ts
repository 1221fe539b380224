import assert from 'node:assert/strict'
import { test } from 'node:test'
import { drivers } from '../../test/support/drivers.ts'
import { domain, REGISTERED_AT as NOW } from '../../test/support/stored-domains.ts'
import { createStatusCache } from './status-cache.ts'
import { insertDomain, updateDomain } from './store.ts'

const HOUR = 3_600_000

for (const driver of drivers) {
  test(`a status that a process whose clock is an hour behind has changed is seen without a message, on ${driver.name}`, async (t) => {
    const db = await driver.open(t)
    if (db === undefined) return
    const statuses = createStatusCache(db, () => NOW + 2 * HOUR)
    const added = domain('a.example.com')
    await insertDomain(db.write, added)
    await statuses.refresh()
    assert.equal(statuses.statusOf(added.name), 'pending')
    await updateDomain(db.write, { ...added, status: 'active', updatedAt: NOW + 1 }, added.tokenHash)
    await statuses.refresh()
    assert.equal(statuses.statusOf(added.name), 'active')
  })
}
