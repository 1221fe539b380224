import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'

import { drivers } from '../../test/support/drivers.ts'
import { domain, REGISTERED_AT as NOW } from '../../test/support/stored-domains.ts'
import type { Database } from '../db/database.ts'
import { createDomainCheck, MAX_ACTIVE } from './check-domain.ts'
import { createStatusCache } from './status-cache.ts'
import type { DnsFault } from './dns-fault.ts'
import type { Domain } from './domain.ts'
import { notePages } from './page-names-store.ts'
import { countActive, deleteDomain, deleteExpired, deleteUnder, findDomain, insertDomain } from './store.ts'

const now = () => NOW
const ROUNDS = 20
const elsewhere = ['nxdomain', 'no_records', 'points_elsewhere', 'cname_loop', 'cname_chain_too_long'] as const

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

  const opened = async (t: TestContext) => {
    const db = await driver.open(t)
    if (db === undefined) return undefined
    return {
      db,
      /** Each check is one of another process: nothing but the store tells it of the former ones. */
      check: async (name: string, ...codes: (DnsFault['code'] | undefined)[]): Promise<Domain> => {
        for (const code of codes) {
          const fault = code && { code, detail: '', findings: [] }
          const answering = { ...dns, faultOf: async () => fault }
          const stored = (await findDomain(db.read, name)) ?? assert.fail('it is not registered')
          await createDomainCheck({ db, now, dns: answering, statuses: createStatusCache(db, now) })(stored)
        }
        return (await findDomain(db.read, name)) ?? assert.fail('it is not registered')
      },
    }
  }
  const register = (db: Database, name: string) => insertDomain(db.write, domain(name, { proofWanted: true }))
  const isOpen = ({ status, proofWanted }: Domain) => status === 'active' && proofWanted

  test(`a name that was found here at its first check wants a proof whatever later checks find on ${driver.name}`, async (t) => {
    const { db, check } = (await opened(t)) ?? {}
    if (db === undefined || check === undefined) return
    await register(db, 'www.example.com')
    for (const code of elsewhere)
      assert.equal(isOpen(await check('www.example.com', undefined, code, undefined)), true, code)

    // One that was found elsewhere first, also when its servers had failed before, is narrowed as soon as it leads here.
    for (const code of elsewhere) {
      await register(db, 'qr.example.com')
      assert.equal(isOpen(await check('qr.example.com', 'servfail', code, undefined)), false, code)
      assert.equal(isOpen(await check('qr.example.com', code, undefined)), false, code)
      await deleteDomain(db.write, 'qr.example.com')
    }
  })

  test(`a name that led here and did not become active, because too many were, wants a proof all the same on ${driver.name}`, async (t) => {
    const { db, check } = (await opened(t)) ?? {}
    if (db === undefined || check === undefined) return
    for (let at = 0; at < MAX_ACTIVE; at++)
      await insertDomain(db.write, domain(`n${at}.example.com`, { status: 'active' }))
    await register(db, 'www.example.com')
    assert.equal((await check('www.example.com', undefined)).fault?.code, 'too_many_active')
    await deleteDomain(db.write, 'n1.example.com')
    assert.equal(isOpen(await check('www.example.com', 'servfail', 'nxdomain', undefined)), true)
  })

  test(`a name that led here and expired, or was removed, wants a proof of whoever registers it next on ${driver.name}`, async (t) => {
    const { db, check } = (await opened(t)) ?? {}
    if (db === undefined || check === undefined) return
    const [gone, removed, proven] = ['gone.example.com', 'removed.example.com', 'proven.example.com']
    for (const name of [gone, removed]) await register(db, name)
    await insertDomain(db.write, domain(proven, { status: 'active', claimedAt: NOW }))
    await check(gone, undefined, 'nxdomain')
    await check(removed, undefined)
    await deleteExpired(db.write, { pending: NOW, misconfigured: NOW + 1 })
    for (const name of [removed, proven]) await deleteDomain(db.write, name)
    for (const name of [gone, removed, proven]) await register(db, name)
    const open = async (name: string) => isOpen(await check(name, 'nxdomain', undefined))
    assert.deepEqual([await open(gone), await open(removed), await open(proven)], [true, true, false])
  })

  test(`of names that served pages, those that did last are remembered on ${driver.name}`, async (t) => {
    const { db, check } = (await opened(t)) ?? {}
    if (db === undefined || check === undefined) return
    const many = Array.from({ length: 1200 }, (_, at) => ({ name: `n${at}.example.com`, at }))
    await notePages(db.write, many)
    await notePages(db.write, [{ name: 'n1199.example.com', at: 0 }])
    const open = async (name: string) => {
      await register(db, name)
      return isOpen(await check(name, 'nxdomain', undefined))
    }
    assert.deepEqual(
      [await open('n199.example.com'), await open('n200.example.com'), await open('n1199.example.com')],
      [false, true, true],
    )
  })
}
