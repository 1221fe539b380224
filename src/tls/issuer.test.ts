import assert from 'node:assert/strict'
import { createPrivateKey, type KeyObject } from 'node:crypto'
import { describe, test, type TestContext } from 'node:test'
import type { Database } from '../db/database.ts'
import { createLeases } from '../db/lease.ts'
import { issueFor } from '../../test/support/certificates.ts'
import { drivers, type StoreDriver } from '../../test/support/drivers.ts'
import { newKey } from './account.ts'
import { AcmeError, AuthorityAway } from './acme-error.ts'
import { createCsr } from './csr.ts'
import { IssuanceError, Postponed } from './issuance-error.ts'
import { createIssuer, type Issuer, type IssuerDeps } from './issuer.ts'
import { createOrderLimiter } from './order-limiter.ts'
import { findIssuance, findNewestOrder, listIssuances, resetIssuance } from './issuance-store.ts'

const NAME = 'qr.example.com'
const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const slot = { giveBack: async () => {} }
const first = { purpose: 'first' } as const

interface Setting {
  db: Database
  issuer: Issuer
  /** Another process on the same store. */
  other: Issuer
  orders: string[]
  fail: (error: Error | undefined) => void
  pass: (ms: number) => void
  now: () => number
}

async function set(t: TestContext, driver: StoreDriver, more: Partial<IssuerDeps> = {}): Promise<Setting | undefined> {
  const db = await driver.open(t)
  if (db === undefined) return
  let now = Date.now()
  let failure: Error | undefined
  const orders: string[] = []
  const key: KeyObject = createPrivateKey(newKey())
  const made = () =>
    createIssuer({
      db,
      now: () => now,
      monotonic: () => performance.now(),
      sleep: () => new Promise((resolve) => setImmediate(resolve)),
      withAccount: (work) => work({ key, account: 'https://authority.example/1' }),
      async order(_signer, { name, csr }) {
        orders.push(name)
        await new Promise((resolve) => setImmediate(resolve))
        if (failure !== undefined) throw failure
        return issueFor(csr, name, { from: now - MINUTE, to: now + 90 * DAY })
      },
      limiter: { acquire: async () => slot },
      log: { warn: () => {} },
      ...more,
    })
  return {
    db,
    issuer: made(),
    other: made(),
    orders,
    fail: (error) => (failure = error),
    pass: (ms) => (now += ms),
    now: () => now,
  }
}

for (const driver of drivers) {
  describe(`issuing on ${driver.name}`, () => {
    test('places one order for concurrent requests of a name in several processes', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { issuer, other, orders } = setting
      const issued = await Promise.all(
        Array.from({ length: 20 }, (_, at) => (at % 2 ? issuer : other).issue(NAME, first)),
      )
      assert.equal(new Set(issued.map(({ chain }) => chain)).size, 1)
      assert.deepEqual(orders, [NAME])
      await issuer.issue('b.example.com', first)
      assert.deepEqual(orders, [NAME, 'b.example.com'])
    })

    test('backs off after failures for 1, 10, 100 minutes and then a day, in all processes', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { issuer, other, orders, fail, pass } = setting
      fail(new AcmeError('dns', 'no such name'))
      for (const [at, backOff] of [MINUTE, 10 * MINUTE, 100 * MINUTE, DAY, DAY].entries()) {
        await assert.rejects(issuer.issue(NAME, first), /no certificate for qr\.example\.com: dns: no such name/)
        assert.equal(orders.length, at + 1)
        pass(backOff - 1)
        await assert.rejects(other.issue(NAME, first), /before .*: dns: no such name/)
        assert.equal(orders.length, at + 1)
        pass(1)
      }
      fail(undefined)
      await issuer.issue(NAME, first)
      assert.deepEqual((await listIssuances(setting.db.read))[0], {
        name: NAME,
        failures: 0,
        interruptions: 0,
        retryAt: 0,
        fault: undefined,
        queuedAt: undefined,
      })
    })

    test('an authority that fails is tried again after minutes, and the name is not blamed', async (t) => {
      for (const error of [
        new AcmeError('serverInternal', 'down for maintenance', { status: 500 }),
        new AcmeError('serverInternal', 'validation could not be done'),
        new AcmeError('status 502', 'bad gateway', { status: 502 }),
        new AcmeError('badNonce', 'again'),
        new AcmeError('rateLimited', 'in a moment', { status: 429, retryAfter: 1000 }),
      ]) {
        const setting = await set(t, driver)
        if (setting === undefined) return
        const { db, issuer, other, orders, fail, pass, now } = setting
        fail(error)
        for (const [at, minutes] of [1, 2, 5, 10, 10, 10].entries()) {
          await assert.rejects(issuer.issue(NAME, first), IssuanceError)
          assert.equal((await findIssuance(db.read, NAME))?.retryAt, now() + minutes * MINUTE, error.message)
          pass(minutes * MINUTE - 1)
          await assert.rejects(other.issue(NAME, first), /before /)
          assert.equal(orders.length, at + 1)
          pass(1)
        }
        fail(new AcmeError('dns', 'no such name'))
        await assert.rejects(issuer.issue(NAME, first), IssuanceError)
        assert.equal((await findIssuance(db.read, NAME))?.retryAt, now() + MINUTE, 'its first failure')
      }
    })

    test('while the authority is away a process tries no name, but one for which it is asked; other processes do', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { db, issuer, other, orders, fail, pass, now } = setting
      const names = Array.from({ length: 20 }, (_, at) => `${at}.example.com`)
      fail(new AuthorityAway('unreachable', 'authority.example: certificate is not yet valid'))
      for (const [at, minutes] of [1, 2, 5, 10, 10, 10].entries()) {
        await assert.rejects(issuer.issue(NAME, first), /unreachable: authority\.example: certificate is not yet valid/)
        for (const name of names) await assert.rejects(issuer.issue(name, first), /certificate is not yet valid/)
        assert.equal(orders.length, at + 1)
        pass(minutes * MINUTE)
      }
      await assert.rejects(issuer.issue(NAME, first), IssuanceError)
      assert.deepEqual(
        (await listIssuances(db.read)).map(({ name, failures }) => [name, failures]),
        [[NAME, 0]],
      )
      fail(undefined)
      assert.equal((await other.issue('0.example.com', first)).name, '0.example.com')
      await assert.rejects(issuer.issue('1.example.com', first), IssuanceError)
      await issuer.issue('1.example.com', { purpose: 'operator' })
      assert.equal((await issuer.issue('2.example.com', first)).notAfter > now(), true, 'it has answered')
    })

    test('an authority that is away uses up no orders', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { db, pass, now } = setting
      const limiter = createOrderLimiter({ db, now, sleep: async () => {}, log: { warn: assert.fail } })
      const limited = await set(t, { ...driver, open: async () => db }, { limiter, now })
      for (const error of [new AuthorityAway('unreachable', 'away'), new AcmeError('dns', 'no such name')]) {
        limited?.fail(error)
        await assert.rejects(limited?.issuer.issue(`${error.type}.example.com`, first) ?? assert.fail(), IssuanceError)
        pass(MINUTE)
      }
      const window = { since: 0, until: now() }
      assert.ok(await findNewestOrder(db.read, { ...window, skip: 0 }))
      assert.equal(await findNewestOrder(db.read, { ...window, skip: 1 }), undefined)
    })

    test("backs off for the authority's Retry-After, when that is longer, and for a day at most", async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { db, issuer, other, fail, pass, now } = setting
      for (const [error, asked, waited] of [
        ['rateLimited', 60 * MINUTE, 60 * MINUTE],
        ['rateLimited', 365 * DAY, DAY],
        ['dns', 60 * MINUTE, 60 * MINUTE],
      ] as const) {
        fail(new AcmeError(error, 'too many', { retryAfter: asked }))
        await assert.rejects(issuer.issue(NAME, first))
        assert.equal((await findIssuance(db.read, NAME))?.retryAt, now() + waited)
        pass(waited)
      }
      fail(new AuthorityAway('status 503', 'down for maintenance', { retryAfter: 365 * DAY }))
      await assert.rejects(issuer.issue(NAME, first))
      assert.equal((await findIssuance(db.read, NAME))?.retryAt, now() + 60 * MINUTE)
      await resetIssuance(db.write, NAME)
      fail(undefined)
      await other.issue(NAME, first)
    })

    test('a time that a wrong clock has written is not waited for', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { issuer, fail, pass } = setting
      pass(365 * DAY)
      fail(new AcmeError('dns', 'no such name'))
      await assert.rejects(issuer.issue(NAME, first), IssuanceError)
      await assert.rejects(issuer.issue('b.example.com', first), IssuanceError)
      pass(-365 * DAY)
      fail(undefined)
      await issuer.issue(NAME, first)
      fail(new AuthorityAway('unreachable', 'away'))
      pass(365 * DAY)
      await assert.rejects(issuer.issue('c.example.com', first), IssuanceError)
      pass(-365 * DAY)
      fail(undefined)
      await issuer.issue('b.example.com', first)
    })

    test('renews a certificate, and keeps the old one when that fails', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { issuer, fail } = setting
      const before = await issuer.issue(NAME, first)
      fail(new Error('away'))
      await assert.rejects(issuer.issue(NAME, { replacing: before, purpose: 'renewal' }), IssuanceError)
      assert.equal((await issuer.issue(NAME, first)).chain, before.chain)
      fail(undefined)
      setting.pass(MINUTE)
      const second = await issuer.issue(NAME, { replacing: before, purpose: 'renewal' })
      assert.notEqual(second.chain, before.chain)
      assert.equal(
        (await issuer.issue(NAME, { replacing: before, purpose: 'renewal' })).chain,
        second.chain,
        'another process has renewed it',
      )
      assert.equal(setting.orders.length, 3)
    })

    test('waits while another holder has the lease, and goes on when it is free', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { db, issuer, orders } = setting
      const lease = await createLeases(db, () => performance.now())(`certificate ${NAME}`)
      assert.ok(lease)
      const waiting = issuer.issue(NAME, first)
      for (let turns = 0; turns < 20; turns++) await new Promise((resolve) => setImmediate(resolve))
      assert.deepEqual(orders, [])
      await lease.release()
      assert.equal((await waiting).name, NAME)
    })

    test('counts a certificate for another key as a failure, and does not store it', async (t) => {
      const setting = await set(t, driver, {
        order: async (_signer, { name }) =>
          issueFor(createCsr(name, createPrivateKey(newKey())), name, { from: 0, to: Date.now() + DAY }),
      })
      if (setting === undefined) return
      await assert.rejects(setting.issuer.issue(NAME, first), /for another key/)
      assert.equal((await findIssuance(setting.db.read, NAME))?.failures, 1)
    })

    test('without a place among the orders fails, and does not back off', async (t) => {
      const full = new Postponed(NAME, { reason: 'too many', until: 0 })
      let hasPlace = false
      const acquire = async () => {
        if (hasPlace) return slot
        throw full
      }
      const setting = await set(t, driver, { limiter: { acquire } })
      if (setting === undefined) return
      await assert.rejects(setting.issuer.issue(NAME, first), full)
      hasPlace = true
      await setting.issuer.issue(NAME, first)
    })
  })
}
