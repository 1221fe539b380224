import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drivers } from '../../test/support/drivers.ts'
import { storeRegistered } from '../../test/support/stored-domains.ts'
import {
  deleteChallenge,
  findAccount,
  findChallenge,
  insertAccount,
  insertChallenge,
  updateAccount,
} from './acme-store.ts'
import {
  deleteCertificates,
  findCertificate,
  findDueCertificates,
  listCertificates,
  saveCertificate,
  updateRenewal,
  type StoredCertificate,
} from './certificate-store.ts'
import { noFailures } from './back-off.ts'
import { insertOrder, saveIssuance } from './issuance-store.ts'
import { findTicketKey, insertTicketKey } from './ticket-key-store.ts'

const NOW = Date.UTC(2026, 10, 21)
const certificate = (name: string, more: Partial<StoredCertificate> = {}): StoredCertificate => ({
  name,
  chain: `chain of ${name}`,
  key: 'key',
  notBefore: NOW,
  notAfter: NOW + 90,
  renewAt: NOW + 60,
  checkRenewalAt: NOW,
  ...more,
})

for (const driver of drivers) {
  describe(`the stores of TLS on ${driver.name}`, () => {
    test('a renewal that failed once comes again before those of strangers, who have had one of their many failing names tried since', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const fail = async (name: string, retryAt: number, notAfter: number) => {
        await saveCertificate(db.write, certificate(name, { notAfter }))
        await saveIssuance(db.write, name, { ...noFailures, failures: 1, retryAt })
      }
      // Of each domain, and of each network with domains of its own, one name was just tried, and others wait for longer than the honest one.
      for (let at = 0; at < 30; at++) {
        await fail(`${at}.stranger${at % 10}.com`, at < 10 ? NOW + 200 : NOW - 100, NOW + 10)
        const [name, allocation] = [`own-domain-${at}.com`, `network ${at % 10}`]
        await storeRegistered(db, name, allocation)
        await fail(name, at < 10 ? NOW + 200 : NOW - 100, NOW + 10)
      }
      await fail('qr.honest.com', NOW - 1, NOW + 90)
      const due = async () => (await findDueCertificates(db.read, NOW + 60)).map(({ name }) => name)
      assert.deepEqual([(await due()).length, (await due())[0]], [41, 'qr.honest.com'])
      // What was ordered lately counts as well: then it is the turn of another.
      await insertOrder(db.write, { name: 'qr.honest.com', purpose: 'retry' }, NOW, 0)
      assert.notEqual((await due())[0], 'qr.honest.com')
    })

    test('certificates are replaced, listed, due by either time, and deleted after their expiry', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      await saveCertificate(db.write, certificate('a'))
      await saveCertificate(db.write, certificate('b', { checkRenewalAt: NOW + 50 }))
      const newer = certificate('a', {
        chain: 'newer',
        notAfter: NOW + 200,
        renewAt: NOW + 150,
        checkRenewalAt: NOW + 100,
      })
      await saveCertificate(db.write, newer)
      assert.deepEqual(await findCertificate(db.read, 'a'), newer)
      const due = async (at: number) => (await findDueCertificates(db.read, at)).map(({ name }) => name)
      assert.deepEqual([await due(NOW), await due(NOW + 50), await due(NOW + 100)], [[], ['b'], ['b', 'a']])
      await updateRenewal(db.write, { ...certificate('a'), checkRenewalAt: NOW + 500 })
      assert.deepEqual(await findCertificate(db.read, 'a'), newer, 'it has been replaced')
      await updateRenewal(db.write, { ...newer, checkRenewalAt: NOW + 500, renewAt: NOW + 400 })
      assert.deepEqual(await due(NOW + 399), ['b'])
      await deleteCertificates(db.write, NOW + 100)
      assert.deepEqual(
        (await listCertificates(db.read)).map(({ name }) => name),
        ['a'],
      )
    })

    test('two processes that start at the same time share one account key; a lost URL is replaced once', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      await Promise.all(['one', 'two'].map((key) => insertAccount(db.write, 'directory', key)))
      const { key } = (await findAccount(db.read, 'directory')) ?? {}
      assert.ok(key === 'one' || key === 'two')
      await updateAccount(db.write, 'directory', null, 'first')
      await updateAccount(db.write, 'directory', null, 'second')
      assert.deepEqual(await findAccount(db.read, 'directory'), { key, url: 'first' })
      await updateAccount(db.write, 'directory', 'first', null)
      await updateAccount(db.write, 'directory', 'first', 'late')
      assert.equal((await findAccount(db.read, 'directory'))?.url, null)
    })

    test('every process finds the response to a challenge until it is removed or old', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      await insertChallenge(db.write, { token: 'old', answer: '0', created_at: NOW }, NOW - 1)
      await insertChallenge(db.write, { token: 'a', answer: '1', created_at: NOW + 5 }, NOW + 1)
      await insertChallenge(db.write, { token: 'a', answer: '2', created_at: NOW + 5 }, NOW + 1)
      assert.deepEqual([await findChallenge(db.read, 'old'), await findChallenge(db.read, 'a')], [undefined, '2'])
      await deleteChallenge(db.write, 'a')
      assert.equal(await findChallenge(db.read, 'a'), undefined)
    })

    test('processes share the ticket key of a period, and delete earlier ones', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const keys = await Promise.all(['x', 'y', 'z'].map((key) => insertTicketKey(db.write, 5, key, 5)))
      assert.equal(new Set(keys).size, 1)
      assert.equal(await insertTicketKey(db.write, 6, 'next', 5), 'next')
      assert.equal(await findTicketKey(db.read, 5), keys[0], 'the key of the next period is made ahead')
      assert.equal(await insertTicketKey(db.write, 7, 'after', 6), 'after')
      assert.deepEqual([await findTicketKey(db.read, 5), await findTicketKey(db.read, 6)], [undefined, 'next'])
    })
  })
}
