import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drivers } from '../../test/support/drivers.ts'
import { DAY, HOUR, MINUTE, setQueue as set } from '../../test/support/issuance-queue.ts'
import { poll } from '../../test/support/poll.ts'
import { removeStored, storeProven } from '../../test/support/stored-domains.ts'
import { AcmeError } from './acme-error.ts'
import { listCertificates, saveCertificate } from './certificate-store.ts'
import { deleteIssuances, findIssuance } from './issuance-store.ts'
import { countUnprovenIssued, excludeProven } from './issued-store.ts'

for (const driver of drivers) {
  describe(`the first certificates of a week on ${driver.name}`, () => {
    test('forty names under one registrable domain get certificates in a week, removed ones included, and more only by a proof of the DNS', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { db, start, orders, unserved, now, pass, emptied } = setting
      const queue = start()
      for (let at = 0; at < 40; at++) await queue.add(`${at}.wild.com`, 'stranger')
      queue.resume()
      await emptied()
      for (let at = 0; at < 40; at++) unserved.add(`${at}.wild.com`)
      // As each sweep forgets what became of names that do not wait.
      await deleteIssuances(db.write, now() - DAY)
      pass(4 * HOUR)
      await assert.rejects(
        queue.obtain('more.wild.com', 'other'),
        /40 names under wild\.com got certificates in a week/,
      )
      assert.equal((await findIssuance(db.read, 'more.wild.com'))?.queuedAt, undefined)
      await queue.obtain('qr.honest.com', 'other')
      await storeProven(db, 'mine.wild.com')
      await queue.obtain('mine.wild.com', 'other')
      assert.deepEqual([orders.length, orders.at(-1)?.name], [42, 'mine.wild.com'])
      pass(7 * DAY)
      // What authorities do not count either.
      for (const { name, ...renewed } of await listCertificates(db.read))
        await saveCertificate(db.write, { name, ...renewed, notBefore: now() })
      await queue.obtain('more.wild.com', 'other')
    })

    test('a name that was put off for the week is ordered at the first visit after its proof, whichever process that comes to, and then keeps to the back-off of its own failures', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { db, start, orders, fail, pass, emptied } = setting
      const [queue, other] = [start(), start()]
      for (let at = 0; at < 40; at++) await queue.add(`${at}.wild.com`, 'stranger')
      await emptied()
      pass(4 * HOUR)
      fail(new AcmeError('dns', 'no such name'), ['bad.wild.com'])
      const names = ['mine.wild.com', 'bad.wild.com']
      for (const name of names) await assert.rejects(queue.obtain(name, 'owner'), /claim this one by its TXT record/)
      assert.equal(orders.length, 40)
      for (const name of names) await storeProven(db, name)
      await other.obtain('mine.wild.com', 'owner')
      for (const minutes of [0, 1, 10]) {
        pass(minutes * MINUTE)
        await assert.rejects(other.obtain('bad.wild.com', 'owner'), /dns: no such name/)
        await assert.rejects(queue.obtain('bad.wild.com', 'owner'), /dns: no such name/)
      }
      assert.deepEqual(
        orders.slice(40).map(({ name }) => name),
        ['mine.wild.com', 'bad.wild.com', 'bad.wild.com', 'bad.wild.com'],
      )
    })

    test('a name that the DNS has proven does not wait for what strangers have ordered under its domain, and neither do later ones of its owner beyond their own share', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { db, start, orders, now, pass, emptied } = setting
      const queue = start()
      const of = (word: string) => orders.filter(({ name }) => name.startsWith(word)).length
      // The last of them are queued or, once forty are ordered, refused.
      const orRefused = (error: Error) => assert.match(error.message, /40 names under wild\.com/)
      for (let at = 0; at < 60; at++) await queue.add(`wild-${at}.wild.com`, `stranger ${at % 3}`).catch(orRefused)
      await poll(() => of('wild') === 40)
      const before = now()
      for (let at = 0; at < 40; at++) await storeProven(db, `mine-${at}.wild.com`)
      await queue.obtain('mine-0.wild.com', 'owner 0')
      assert.ok(now() - before < MINUTE, `${(now() - before) / MINUTE} minutes`)
      assert.deepEqual([of('wild'), of('mine')], [40, 1])
      // A quarter of what the others leave, as any domain has: 30 of 120.
      for (let at = 1; at < 40; at++) await queue.add(`mine-${at}.wild.com`, `owner ${at % 3}`)
      await poll(() => of('mine') === 30)
      await queue.obtain('qr.honest.com', 'other')
      assert.deepEqual([of('wild'), of('mine')], [40, 30])
      pass(3 * HOUR)
      queue.resume()
      await emptied()
      assert.deepEqual([of('wild'), of('mine')], [40, 40])
    })

    test('a proven name keeps to the share of its network', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { db, start, orders, now } = setting
      const queue = start()
      for (let at = 0; at < 40; at++) await queue.add(`qr.stranger-${at}.com`, 'stranger')
      await poll(() => orders.length === 40)
      await storeProven(db, 'mine.wild.com')
      await queue.add('mine.wild.com', 'stranger')
      const before = now()
      await queue.obtain('qr.honest.com', 'other')
      assert.ok(now() - before < MINUTE)
      assert.deepEqual(
        orders.slice(40).map(({ name }) => name),
        ['qr.honest.com'],
      )
    })

    test('names that the DNS had proven do not count, also when they were removed', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { db, now } = setting
      const certificate = { chain: '', key: '', notBefore: now(), notAfter: now() + DAY, renewAt: 0, checkRenewalAt: 0 }
      const count = () => countUnprovenIssued(db.read, { registrable: 'mine.com', since: now() - DAY, except: [] })
      const proven = ['a.mine.com', 'b.mine.com']
      for (const name of [...proven, 'c.mine.com']) await saveCertificate(db.write, { ...certificate, name })
      assert.equal(await count(), 3)
      for (const name of proven) await storeProven(db, name)
      assert.equal(await count(), 1)
      // As each sweep does.
      await excludeProven(db.write)
      for (const name of proven) await removeStored(db, name)
      assert.equal(await count(), 1)
      for (const name of proven) await saveCertificate(db.write, { ...certificate, name, notBefore: now() + 1 })
      assert.equal(await count(), 1, 'renewals')
    })
  })
}
