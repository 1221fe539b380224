import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { createLocalBus } from '../bus/local.ts'
import { drivers, type StoreDriver } from '../../test/support/drivers.ts'
import { poll } from '../../test/support/poll.ts'
import { storeActive, storeProven } from '../../test/support/stored-domains.ts'
import { noFailures } from './back-off.ts'
import { saveCertificate, type StoredCertificate } from './certificate-store.ts'
import { createCertificates, type Certificates } from './certificates.ts'
import { Postponed } from './issuance-error.ts'
import { enqueue, insertOrder, saveIssuance } from './issuance-store.ts'
import type { Issuer } from './issuer.ts'
import type { Accept, Identity } from './listener.ts'
import { asHolder } from '../lib/holder.ts'

const NOW = Date.UTC(2026, 10, 21)
const DAY = 24 * 60 * 60 * 1000
const HOST = 'go.bakery.shop'
/** More than are kept in memory. */
const MANY = 1200

const certificate = (name: string, chain = `chain of ${name}`): StoredCertificate => ({
  name,
  chain,
  key: 'key',
  notBefore: NOW - DAY,
  notAfter: NOW + 90 * DAY,
  renewAt: NOW + 60 * DAY,
  checkRenewalAt: NOW + DAY,
})

interface Setting {
  save: (certificate: StoredCertificate) => Promise<void>
  /** Records that so many orders of a name have failed, and when it may be tried again. */
  failed: (name: string, failures: number, retryAt?: number) => Promise<void>
  /** The chain that serves a connection of the name. */
  visit: (name: string, client?: string) => Promise<string | undefined>
  /** When the authority answers; at once by default. */
  answer: (when: Promise<void>) => void
  sweep: () => Promise<void>
  report: Certificates['report']
  list: Certificates['list']
  /** Has a name wait, or records an order of it. */
  waits: (name: string, network: string) => Promise<void>
  ordered: (name: string, network: string) => Promise<void>
  /** DNS proves whose a name is. */
  proven: (name: string) => Promise<void>
  /** A name's DNS leads here. */
  active: (name: string, registrable: string) => Promise<void>
  /** The chains that TLS servers were made for. */
  loaded: string[]
  issued: string[]
  /** The names whose visitors did not wait. */
  queued: string[]
  /** The networks for which names count, by their digests. */
  networks: string[]
  pass: (ms: number) => void
}

async function set(
  t: TestContext,
  driver: StoreDriver,
  issue: Issuer['issue'] = assert.fail,
): Promise<Setting | undefined> {
  const db = await driver.open(t)
  if (db === undefined) return undefined
  let monotonic = 0
  let answered = Promise.resolve()
  const [issued, queued, networks]: [string[], string[], string[]] = [[], [], []]
  const servers = watchServers()
  const certificates = createCertificates({
    db,
    bus: createLocalBus(),
    now: () => NOW,
    removalTime: async () => NOW,
    monotonic: () => monotonic,
    random: () => 0.5,
    client: { directory: assert.fail, post: assert.fail, get: assert.fail },
    issuer: { issue },
    queue: {
      async obtain(name, network = '') {
        networks.push(network)
        await answered
        issued.push(name)
        return certificate(name, 'issued')
      },
      async add(name, network = '') {
        networks.push(network)
        queued.push(name)
      },
      resume: () => {},
      stop: () => undefined,
    },
    limiter: { isReached: () => false },
    tickets: { current: () => 'secret', prepare: async () => {} },
    host: HOST,
    isServed: () => true,
    registrableOf: (name) => name.split('.').slice(-2).join('.'),
    digestOf: (network) => `digest of ${network}`,
    createAcceptor: servers.create,
    log: { error: assert.fail },
  })
  const waits = (name: string, client: string) =>
    enqueue(db.write, name, NOW, { registrable: name.split('.').slice(-2).join('.'), client })
  return {
    save: (each) => saveCertificate(db.write, each),
    async failed(name, failures, retryAt = 0) {
      await enqueue(db.write, name, NOW, { registrable: name.split('.').slice(-2).join('.'), client: null })
      await saveIssuance(db.write, name, { ...noFailures, failures, retryAt })
    },
    async visit(name, client = '192.0.2.1') {
      const found = certificates.acceptFor(name)
      const connection = { holder: asHolder(client), ended: new AbortController().signal }
      return servers.chainOf(typeof found === 'function' ? found : await found.find(connection))
    },
    answer: (when) => (answered = when),
    sweep: certificates.sweep,
    report: certificates.report,
    list: certificates.list,
    waits,
    async ordered(name, network) {
      await waits(name, network)
      await insertOrder(db.write, { name, purpose: 'first' }, NOW, 0)
      await saveIssuance(db.write, name, noFailures)
    },
    proven: (name) => storeProven(db, name),
    active: (name, registrable) => storeActive(db, name, registrable),
    loaded: servers.loaded,
    issued,
    queued,
    networks,
    pass: (ms) => (monotonic += ms),
  }
}

/** Remembers for which chains TLS servers are made. */
function watchServers() {
  const loaded: string[] = []
  const chains = new Map<Accept | undefined, string>()
  return {
    loaded,
    chainOf: (accept: Accept | undefined) => chains.get(accept),
    create: ({ chain }: Identity) => {
      loaded.push(chain)
      const accept = () => {}
      chains.set(accept, chain)
      return { accept, setTicketKey: () => {} }
    },
  }
}

for (const driver of drivers) {
  describe(`certificates on ${driver.name}`, () => {
    test('a crowd shares one load of a stored certificate, also after others have taken its place in memory', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { save, visit, loaded, issued } = setting
      const crowd = () => Promise.all(Array.from({ length: 400 }, () => visit(HOST)))
      await save(certificate(HOST))
      assert.deepEqual(new Set(await crowd()), new Set([`chain of ${HOST}`]))
      assert.deepEqual(loaded, [`chain of ${HOST}`])
      const names = Array.from({ length: MANY }, (_, at) => `${at}.example.com`)
      for (const name of names) await save(certificate(name))
      await Promise.all(names.map((name) => visit(name)))
      assert.equal(loaded.length, MANY + 1)
      assert.deepEqual(new Set(await crowd()), new Set([`chain of ${HOST}`]))
      assert.equal(loaded.length, MANY + 2)
      assert.deepEqual(issued, [])
    })

    test('the certificate in memory serves while one load looks for that of another process', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { save, visit, loaded, pass } = setting
      await save(certificate(HOST))
      await visit(HOST)
      await save(certificate(HOST, 'renewed'))
      pass(5 * 60 * 1000)
      const during = await Promise.all(Array.from({ length: 400 }, () => visit(HOST)))
      assert.deepEqual(new Set(during), new Set([`chain of ${HOST}`]))
      await poll(async () => (await visit(HOST)) === 'renewed')
      assert.deepEqual(loaded, [`chain of ${HOST}`, 'renewed'])
    })

    test('at most a hundred connections wait for the authority, whose certificate they share; others are queued', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { visit, issued, queued, loaded } = setting
      const served = await Promise.all(Array.from({ length: 150 }, () => visit('new.example.com')))
      assert.equal(served.filter((chain) => chain === 'issued').length, 100)
      assert.deepEqual([issued, loaded], [['new.example.com'], ['issued']])
      assert.deepEqual(new Set(queued), new Set(['new.example.com']))
    })

    test('a client or a registrable domain with most connections that wait gives way to others', async (t) => {
      for (const { greedyOf, nameOf } of [
        { greedyOf: () => '192.0.2.1', nameOf: (at: number) => `${at}.example` },
        { greedyOf: (at: number) => `10.0.${at}.1`, nameOf: (at: number) => `${at}.one.example` },
      ]) {
        const setting = await set(t, driver)
        if (setting === undefined) return
        const { visit, answer } = setting
        const authority = Promise.withResolvers<void>()
        answer(authority.promise)
        const greedy = Array.from({ length: 120 }, (_, at) => visit(nameOf(at % 4), greedyOf(at)))
        const honest = Array.from({ length: 5 }, (_, at) => visit('honest.test', `198.51.${at}.1`))
        let refused = 0
        for (const each of greedy) void each.then((chain) => (refused += chain === undefined ? 1 : 0))
        await poll(() => refused === 25)
        authority.resolve()
        assert.ok((await Promise.all(honest)).every((chain) => chain === 'issued'))
        assert.equal((await Promise.all(greedy)).filter((chain) => chain === 'issued').length, 95)
      }
    })

    test('a name counts for the network from which it is visited, also of those who join others that wait for it', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { visit, networks } = setting
      await Promise.all([visit('qr.example.com', '10.0.0.1'), visit('qr.example.com', '10.0.1.1')])
      await visit('go.example.com', '10.0.0.2')
      assert.deepEqual(networks.toSorted(), ['digest of 10.0.0', 'digest of 10.0.0', 'digest of 10.0.1'])
    })

    test('the report of a name that waits says for what: places under its domain, of its network, or its turn', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const waitsFor = async (name: string) => (await setting.report(name)).waitsFor
      for (let at = 0; at < 40; at++) await setting.ordered(`${at}.wild.com`, at < 20 ? 'stranger' : `stranger ${at}`)
      for (let at = 0; at < 20; at++) await setting.ordered(`qr.own-${at}.com`, 'stranger')
      for (const name of ['more.wild.com', 'mine.wild.com', 'qr.first.com']) await setting.waits(name, 'other')
      await setting.waits('qr.other.com', 'stranger')
      await setting.proven('mine.wild.com')
      const names = ['more.wild.com', 'mine.wild.com', 'qr.first.com', 'qr.other.com', '0.wild.com']
      assert.deepEqual(await Promise.all(names.map(waitsFor)), ['domain', 'turn', 'turn', 'network', undefined])
    })

    test('who asks is told that forty names had certificates in a week, until DNS has proven whose a name is', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      for (let at = 0; at < 40; at++) await setting.save(certificate(`${at}.wild.com`))
      await setting.active('more.wild.com', 'wild.com')
      await setting.active('qr.other.com', 'other.com')
      await setting.proven('mine.wild.com')
      const names = ['more.wild.com', 'qr.other.com', 'mine.wild.com', '0.wild.com']
      const fault = '40 names under wild.com got certificates in a week: claim this one by its TXT record, or wait'
      const faults = [fault, undefined, undefined, undefined]
      const reports = await Promise.all(names.map(setting.report))
      assert.deepEqual(
        reports.map((each) => each.fault),
        faults,
      )
      const listed = await setting.list()
      assert.deepEqual(
        names.map((name) => listed.find((each) => each.name === name)?.fault),
        faults,
      )
    })

    test('what is wrong with one certificate keeps no other from being renewed', async (t) => {
      const asked: string[] = []
      const setting = await set(t, driver, async (name) => {
        asked.push(name)
        return certificate(name, 'renewed')
      })
      if (setting === undefined) return
      const { save, sweep } = setting
      // Nobody foresees what is asked of this authority.
      for (const name of [HOST, '0.example.com', '1.example.com', '2.example.com'])
        await save({ ...certificate(name), renewAt: NOW - 1, checkRenewalAt: NOW - 1 })
      for (const name of ['3.example.com', '4.example.com']) await save({ ...certificate(name), renewAt: NOW - 1 })
      await assert.rejects(sweep(), assert.AssertionError)
      assert.deepEqual(asked.toSorted(), ['3.example.com', '4.example.com'])
    })

    test('renewals of names that have failed before come after all others, and in both registrable domains take turns', async (t) => {
      const asked: string[] = []
      const setting = await set(t, driver, async (name, { purpose }) => {
        asked.push(`${purpose} ${name}`)
        return certificate(name, 'renewed')
      })
      if (setting === undefined) return
      const { save, failed, sweep } = setting
      const due = { renewAt: NOW, checkRenewalAt: NOW + DAY }
      const names = ['a', 'b', 'c', 'd', 'e'].map((label) => `${label}.stranger.example`)
      for (const [at, name] of names.entries()) await save({ ...certificate(name), ...due, notAfter: NOW + at })
      // It has expired, as have all whose renewals have failed for long.
      for (const [name, failures] of [
        ['x.bad.test', 9],
        ['y.bad.test', 4],
        ['once.test', 1],
      ] as const) {
        await save({ ...certificate(name), ...due, notAfter: NOW - failures })
        await failed(name, failures)
      }
      await save({ ...certificate('put.off.test'), ...due })
      await failed('put.off.test', 1, NOW + 1)
      await save({ ...certificate('honest.test'), ...due, notAfter: NOW + DAY })
      await save({ ...certificate(HOST), ...due })
      await sweep()
      assert.deepEqual(asked, [
        `own ${HOST}`,
        'renewal a.stranger.example',
        'renewal honest.test',
        ...['b', 'c', 'd', 'e'].map((label) => `renewal ${label}.stranger.example`),
        // The first of each holder, and of these what expires first.
        'retry y.bad.test',
        'retry once.test',
        'retry x.bad.test',
      ])
    })

    test('when there is no place for renewals, those of names that have failed before go on', async (t) => {
      const asked: string[] = []
      const setting = await set(t, driver, async (name, { purpose }) => {
        asked.push(purpose)
        if (purpose === 'renewal') throw new Postponed(name, { reason: 'too many', until: NOW + DAY })
        return certificate(name, 'renewed')
      })
      if (setting === undefined) return
      const { save, failed, sweep } = setting
      const due = { renewAt: NOW, notAfter: NOW + DAY }
      for (let at = 0; at < 20; at++) await save({ ...certificate(`${at}.example.com`), ...due })
      for (const name of ['x.bad.test', 'y.bad.test']) {
        await save({ ...certificate(name), ...due })
        await failed(name, 2)
      }
      await save(certificate(HOST))
      await sweep()
      assert.deepEqual(asked, ['renewal', 'renewal', 'renewal', 'retry', 'retry'])
    })

    test('renewals for which there is no place stop until the next sweep, but not that of the host', async (t) => {
      const asked: string[] = []
      const setting = await set(t, driver, async (name, { purpose }) => {
        asked.push(`${purpose} ${name}`)
        if (purpose === 'renewal') throw new Postponed(name, { reason: 'too many', until: NOW + DAY })
        return certificate(name, 'renewed')
      })
      if (setting === undefined) return
      const { save, sweep } = setting
      const due = { renewAt: NOW, notAfter: NOW + DAY }
      for (let at = 0; at < 50; at++)
        await save({ ...certificate(`${at}.example.com`), ...due, notAfter: NOW + at + 1 })
      await save({ ...certificate(HOST), ...due })
      await sweep()
      assert.deepEqual(asked, [`own ${HOST}`, ...[0, 1, 2].map((at) => `renewal ${at}.example.com`)])
    })
  })
}
