import assert from 'node:assert/strict'
import { test } from 'node:test'
import { undoLater } from '../../test/support/cleanup.ts'
import { drivers } from '../../test/support/drivers.ts'
import { poll } from '../../test/support/poll.ts'
import { domain, REGISTERED_AT } from '../../test/support/stored-domains.ts'
import { openRemovalClock } from '../db/removal-clock.ts'
import { StoreUnavailable } from '../db/unavailable.ts'
import { asHolder } from '../lib/holder.ts'
import { createChecks, MAX_AWAITING } from './checks.ts'
import type { DnsFault } from './dns-fault.ts'
import { createStatusCache } from './status-cache.ts'
import { insertDomain } from './store.ts'

const NAME = 'qr.example.com'
const now = () => REGISTERED_AT + 3_600_000

/** DNS in which each name leads here, and which counts what it is asked. */
const countingDns = () => {
  const dns = {
    queries: 0,
    staticFault: () => undefined,
    faultOf: async () => void dns.queries++,
    proofsOf: async () => [],
    serviceAddresses: async () => [],
  }
  return dns
}

for (const driver of drivers) {
  test(`a request that has read a domain before a check ended causes no further check on ${driver.name}`, async (t) => {
    const db = await driver.open(t)
    if (db === undefined) return
    await insertDomain(db.write, domain(NAME))
    const [hasRead, mayGoOn] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let reads = 0
    const read = db.read.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        if (++reads > 1) return result
        hasRead.resolve()
        await mayGoOn.promise
        return result
      },
    })
    const { transaction, write, lock } = db
    const dns = countingDns()
    const checks = createChecks({
      db: { ...db, read, transaction, write, lock },
      now,
      removalTime: async () => now(),
      dns,
      statuses: createStatusCache(db, now),
    })
    const late = checks.checkIfStale(NAME)
    await hasRead.promise
    assert.equal((await checks.checkIfStale(NAME))?.status, 'active')
    mayGoOn.resolve()
    assert.equal((await late)?.status, 'active')
    assert.equal(dns.queries, 1)
  })

  test(`asks of a proxy for names whose servers do not respond keep no other name from its check on ${driver.name}`, async (t) => {
    const db = await driver.open(t)
    if (db === undefined) return
    const silent = Array.from({ length: 2 * MAX_AWAITING }, (_, at) => `stranger${at}.com`)
    const fault: DnsFault = { code: 'timeout', detail: 'no DNS server has responded', findings: [] }
    for (const name of silent) await insertDomain(db.write, domain(name, { registrable: name, fault }))
    await insertDomain(db.write, domain(NAME))
    await insertDomain(db.write, domain('qr.example.org', { registrable: 'example.org' }))
    const answered = Promise.withResolvers<undefined>()
    let waiting = 0
    const dns = {
      ...countingDns(),
      faultOf: async ({ name }: { name: string }) => {
        if (!silent.includes(name)) return undefined
        waiting++
        await answered.promise
        return fault
      },
    }
    const statuses = createStatusCache(db, now)
    const checks = createChecks({ db, now, removalTime: async () => now(), dns, statuses })
    const asks = silent.map((name) => checks.checkIfStale(name))
    await poll(() => waiting >= MAX_AWAITING)
    assert.equal((await checks.checkIfStale(NAME))?.status, 'active')
    assert.equal((await checks.checkIfStale('qr.example.org', asHolder('192.0.2.1')))?.status, 'active')
    answered.resolve(undefined)
    await Promise.all(asks)
  })

  test(`asks of a proxy for names that it has asked for in vain keep no other name from its check on ${driver.name}`, async (t) => {
    const db = await driver.open(t)
    if (db === undefined) return
    const elsewhere = Array.from({ length: MAX_AWAITING }, (_, at) => `stranger${at}.com`)
    const fault: DnsFault = { code: 'no_records', detail: 'it has no records', findings: [] }
    for (const name of [NAME, ...elsewhere]) await insertDomain(db.write, domain(name, { registrable: name }))
    const answered = Promise.withResolvers<undefined>()
    let [time, waiting, isSlow] = [now(), 0, false]
    const dns = {
      ...countingDns(),
      faultOf: async ({ name }: { name: string }) => {
        if (name === NAME) return undefined
        waiting++
        if (isSlow) await answered.promise
        return fault
      },
    }
    const statuses = createStatusCache(db, () => time)
    const checks = createChecks({ db, now: () => time, removalTime: async () => time, dns, statuses })
    const askAll = () => elsewhere.map((name) => checks.checkIfStale(name))
    await Promise.all(askAll())
    assert.equal(waiting, MAX_AWAITING)
    time += 60_000
    isSlow = true
    const asks = askAll()
    await poll(() => waiting === 2 * MAX_AWAITING)
    assert.equal((await checks.checkIfStale(NAME))?.status, 'active')
    answered.resolve(undefined)
    await Promise.all(asks)
  })

  test(`domains are checked, and none is removed, while the clock of removals is not known on ${driver.name}`, async (t) => {
    const db = await driver.open(t)
    if (db === undefined) return
    await insertDomain(db.write, domain(NAME))
    const away = () => Promise.reject(new StoreUnavailable('made by the test'))
    const fail = (_: object, text: string) => assert.fail(text)
    const log = { warn: fail, error: fail }
    const clock = openRemovalClock({ db: { ...db, transaction: away }, now, log })
    undoLater(t, clock.close)
    const dns = countingDns()
    const statuses = createStatusCache(db, now)
    await createChecks({ db, now, removalTime: clock.time, dns, statuses }).sweep()
    assert.equal(dns.queries, 1)
    assert.equal(statuses.statusOf(NAME), 'active')
  })
}
