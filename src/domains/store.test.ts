import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drivers } from '../../test/support/drivers.ts'
import { domain, REGISTERED_AT as NOW } from '../../test/support/stored-domains.ts'
import type { Claim } from './claim.ts'
import { deleteExpiredClaims, insertClaim } from './claim-store.ts'
import { deleteRefused, hasRefused, insertRefused, listRefused } from './refused-store.ts'
import {
  leaseCheck,
  countActive,
  countStatuses,
  countWaiting,
  deleteDomain,
  deleteExpired,
  deleteUnder,
  findDomain,
  findDue,
  findOldestWaiting,
  findStatuses,
  advanceCheck,
  insertDomain,
  listDomains,
  updateDomain,
} from './store.ts'

const claim = (word: string, name = 'a.example.com', createdAt = NOW): Claim => ({
  name,
  proof: `proof ${word}`,
  tokenHash: `hash ${word}`,
  createdAt,
})

for (const driver of drivers) {
  describe(`names that are kept on ${driver.name}`, () => {
    test('are added once, listed, found and removed; registered names are deleted with them', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      for (const at of [0, 1]) await insertRefused(db.write, 'example.com', NOW + at)
      assert.deepEqual(
        (await listRefused(db.read)).map((each) => ({ ...each })),
        [{ name: 'example.com', since: NOW }],
      )
      assert.equal(await hasRefused(db.read, ['a.example.com', 'example.com', 'com']), true)
      assert.equal(await hasRefused(db.read, ['a.example.com', 'com']), false)
      for (const name of ['example.com', 'a.b.example.com', 'xexample.com']) await insertDomain(db.write, domain(name))
      await deleteUnder(db.write, 'example.com')
      assert.deepEqual(
        (await listDomains(db.read)).map(({ name }) => name),
        ['xexample.com'],
      )
      assert.equal(await deleteRefused(db.write, 'example.com'), true)
      assert.equal(await deleteRefused(db.write, 'example.com'), false)
    })
  })

  describe(`domains on ${driver.name}`, () => {
    test('are counted for who registered them while they do not lead here, whatever becomes of them', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const from = { allocation: 'an allocation', network: 'a network', client: 'a client' }
      for (const name of ['a.example.com', 'b.example.com']) await insertDomain(db.write, domain(name), from)
      await insertDomain(db.write, domain('c.example.com'), { ...from, client: 'another' })
      await insertDomain(db.write, domain('d.example.com'), { allocation: 'x', network: 'x', client: 'x' })
      await insertDomain(db.write, domain('e.example.com'))
      const change = (more: Parameters<typeof domain>[1]) =>
        updateDomain(db.write, domain('a.example.com', more), 'hash of a.example.com')
      const counts = async () =>
        Object.fromEntries((await countWaiting(db.read, 'an allocation')).map(({ client, count }) => [client, count]))
      assert.deepEqual(await counts(), { 'a client': 2, another: 1 })
      await change({ status: 'active' })
      assert.deepEqual(await counts(), { 'a client': 1, another: 1 })
      await change({ status: 'misconfigured' })
      assert.deepEqual(await counts(), { 'a client': 2, another: 1 })
      await deleteDomain(db.write, 'b.example.com')
      assert.deepEqual(await counts(), { 'a client': 1, another: 1 })
    })

    test('the oldest that does not lead here gives way, one that is claimed last', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const from = { allocation: 'a', network: 'n', client: 'c' }
      for (const [name, createdAt] of Object.entries({ claimed: 1, old: 2, active: 3, young: 4 })) {
        const status = name === 'active' ? 'active' : 'pending'
        await insertDomain(db.write, domain(`${name}.example.com`, { createdAt, status }), from)
      }
      await insertDomain(db.write, domain('other.example.com', { createdAt: 0 }), { ...from, client: 'other' })
      await insertClaim(db.write, claim('of its owner', 'claimed.example.com'))
      const gone = []
      for (let name = await findOldestWaiting(db.read, from); name; name = await findOldestWaiting(db.read, from)) {
        gone.push(name)
        await deleteDomain(db.write, name)
      }
      assert.deepEqual(gone, ['old.example.com', 'young.example.com', 'claimed.example.com'])
    })

    test('are stored, updated and deleted', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const full = domain('b.example.com', {
        status: 'misconfigured',
        checkedAt: NOW + 1,
        failures: 3,
        failingSince: NOW - 1,
        claimedAt: NOW - 2,
        fault: { code: 'nxdomain', detail: 'gone', findings: [] },
      })
      assert.equal(await insertDomain(db.write, domain('a.example.com')), true)
      assert.equal(await insertDomain(db.write, domain('b.example.com')), true)
      assert.equal(await insertDomain(db.write, domain('a.example.com', { tokenHash: 'other' })), false)
      assert.equal(await updateDomain(db.write, full, full.tokenHash), true)
      assert.deepEqual(await findDomain(db.read, 'b.example.com'), full)
      assert.deepEqual(await listDomains(db.read), [domain('a.example.com'), full])
      assert.equal(await deleteDomain(db.write, 'a.example.com'), true)
      assert.equal(await deleteDomain(db.write, 'a.example.com'), false)
      assert.equal(await findDomain(db.read, 'a.example.com'), undefined)
      assert.deepEqual({ ...(await countStatuses(db.read))[0] }, { status: full.status, count: 1 })
    })

    test('that were registered again are not overwritten by a check of the old registration', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const old = domain('a.example.com')
      await insertDomain(db.write, old)
      await deleteDomain(db.write, old.name)
      await insertDomain(db.write, { ...old, tokenHash: 'new' })
      assert.equal(await updateDomain(db.write, { ...old, status: 'active' }, old.tokenHash), false)
      assert.equal((await findDomain(db.read, old.name))?.status, 'pending')
    })

    test('are due in order, and a due check is leased once', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      await insertDomain(db.write, domain('late.example.com', { nextCheckAt: NOW + 1 }))
      await insertDomain(db.write, domain('second.example.com', { nextCheckAt: NOW }))
      await insertDomain(db.write, domain('first.example.com', { nextCheckAt: NOW - 5 }))
      const due = await findDue(db.read, NOW, 10)
      assert.deepEqual(
        due.map(({ name }) => name),
        ['first.example.com', 'second.example.com'],
      )
      assert.equal((await findDue(db.read, NOW, 1)).length, 1)
      await insertDomain(db.write, domain('hour.example.com', { nextCheckAt: NOW + 3_600_000 }))
      await insertDomain(db.write, domain('ahead.example.com', { nextCheckAt: NOW + 365 * 86_400_000 }))
      // It was checked while the clock was ahead.
      assert.deepEqual(
        (await findDue(db.read, NOW, 10)).map(({ name }) => name),
        ['first.example.com', 'second.example.com', 'ahead.example.com'],
      )
      const [first] = due
      assert.ok(first)
      const claims = await Promise.all(Array.from({ length: 5 }, () => leaseCheck(db.write, first, NOW + 1000)))
      assert.equal(claims.filter(Boolean).length, 1)
    })

    test('expire, except active ones', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const times = { createdAt: NOW - 100, statusSince: NOW - 100 }
      await insertDomain(db.write, domain('pending.example.com', times))
      await insertDomain(db.write, domain('young.example.com'))
      await insertDomain(db.write, domain('active.example.com', { ...times, status: 'active' }))
      await insertDomain(db.write, domain('lost.example.com', { ...times, status: 'misconfigured' }))
      await insertDomain(
        db.write,
        domain('recent.example.com', { ...times, status: 'misconfigured', statusSince: NOW }),
      )
      await deleteExpired(db.write, { pending: NOW - 50, misconfigured: NOW - 50 })
      assert.deepEqual(
        (await listDomains(db.read)).map(({ name }) => name),
        ['active.example.com', 'recent.example.com', 'young.example.com'],
      )
    })

    test('do not expire while someone claims them', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      await insertDomain(db.write, domain('claimed.example.com', { createdAt: NOW - 100 }))
      await insertDomain(db.write, domain('other.example.com', { createdAt: NOW - 100 }))
      await insertClaim(db.write, claim('a', 'claimed.example.com'))
      const forget = () => deleteExpired(db.write, { pending: NOW - 50, misconfigured: NOW - 50 })
      const names = async () => (await listDomains(db.read)).map(({ name }) => name)
      await forget()
      assert.deepEqual(await names(), ['claimed.example.com'])
      await deleteExpiredClaims(db.write, NOW + 1)
      await forget()
      assert.deepEqual(await names(), [])
    })

    test('are checked sooner when they are claimed, and never later', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      await insertDomain(db.write, domain('a.example.com', { nextCheckAt: NOW + 50 }))
      for (const [at, next] of [
        [NOW + 60, NOW + 50],
        [NOW + 10, NOW + 10],
      ] as const) {
        await advanceCheck(db.write, 'a.example.com', at)
        assert.equal((await findDomain(db.read, 'a.example.com'))?.nextCheckAt, next)
      }
    })

    test('are counted by registrable domain, and read by the time of their change', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      await insertDomain(db.write, domain('a.example.com', { status: 'active' }))
      await insertDomain(db.write, domain('b.example.com', { updatedAt: NOW + 5 }))
      await insertDomain(
        db.write,
        domain('a.example.org', { status: 'active', registrable: 'example.org', claimedAt: NOW }),
      )
      assert.equal(await countActive(db.read, 'example.com'), 1)
      assert.equal(await countActive(db.read, 'example.net'), 0)
      const proven = await Promise.all(['com', 'org'].map((tld) => countActive(db.read, `example.${tld}`, 'proven')))
      assert.deepEqual(proven, [0, 1])
      assert.deepEqual(
        (await findStatuses(db.read, NOW + 1)).map((each) => ({ ...each })),
        [{ name: 'b.example.com', status: 'pending' }],
      )
      assert.equal((await findStatuses(db.read, Number.MIN_SAFE_INTEGER)).length, 3)
    })
  })
}
