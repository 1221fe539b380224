import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drivers } from '../../test/support/drivers.ts'
import { HOUR, MINUTE, SECOND, setQueue as set, type Order } from '../../test/support/issuance-queue.ts'
import { poll } from '../../test/support/poll.ts'
import { AcmeError, AuthorityAway } from './acme-error.ts'
import { findCertificate, listCertificates } from './certificate-store.ts'
import { IssuanceError } from './issuance-error.ts'
import { countQueued, findIssuance, insertOrder } from './issuance-store.ts'

const namesOf = (count: number, word = 'name') =>
  Array.from({ length: count }, (_, at) => `${word}-${String(at).padStart(3, '0')}.com`)

/** The most orders within a time. */
function most(orders: Pick<Order, 'at'>[], ms: number): number {
  return Math.max(...orders.map(({ at }) => orders.filter((each) => each.at <= at && each.at > at - ms).length))
}

for (const driver of drivers) {
  describe(`the queue of certificates on ${driver.name}`, () => {
    // On the others, most orders of three hours were placed before.
    const [count, placed] = driver === drivers[0] ? [500, 0] : [60, 140]
    test(`${count} names at once: all have certificates as soon as the limits allow, in the order of their first visits`, async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { db, start, orders, warned, now, pass } = setting
      for (let at = 0; at < placed; at++) await insertOrder(db.write, { name: 'x.example', purpose: 'own' }, now(), 0)
      pass(10 * SECOND)
      const begun = now()
      const names = namesOf(count).toReversed()
      const queue = start()
      const added = names.map((name) => {
        pass(1)
        return queue.add(name)
      })
      await Promise.all(added)
      await setting.emptied()
      // Those of the first moment are stored at the same time.
      const late = orders.filter(({ at }) => at > begun + 10 * SECOND).map(({ name }) => name)
      assert.ok(late.length > count - 20)
      assert.deepEqual(
        late,
        names.filter((name) => late.includes(name)),
      )
      assert.deepEqual(orders.map(({ name }) => name).sort(), [...names].sort())
      assert.equal((await listCertificates(db.read)).length, count)
      assert.equal(most(orders, 10 * SECOND), 8)
      assert.equal(most(orders, 3 * HOUR), placed === 0 ? 160 : count - (160 - placed))
      const periods = Math.floor((count + placed - 1) / 160)
      assert.ok(now() - begun < periods * 3 * HOUR + 10 * MINUTE, `${(now() - begun) / HOUR} hours`)
      assert.equal(warned.length, 1, 'the limit is said once')
    })

    test('a restart loses no name that waits, and several processes order each once', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { db, start, orders } = setting
      const names = namesOf(60)
      const first = start()
      await Promise.all(names.map((name) => first.add(name)))
      await poll(() => orders.length > 10)
      await first.close()
      const before = orders.length
      assert.ok(before < 60)
      for (const each of [start(), start()]) each.resume()
      await setting.emptied()
      assert.equal((await listCertificates(db.read)).length, 60)
      // One that was under way when the process stopped is ordered again.
      assert.deepEqual([...new Set(orders.map(({ name }) => name))].sort(), names)
      assert.equal(new Set(orders.slice(before).map(({ name }) => name)).size, orders.length - before)
      const places = await db.read.selectFrom('acme_orders').select('placed_at as at').execute()
      assert.ok(most(places, 10 * SECOND) <= 8)
    })

    test('a visit waits for its turn while that is soon, and is turned away at once when it is hours away', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { db, start, orders, now } = setting
      for (let at = 0; at < 140; at++)
        await insertOrder(db.write, { name: 'x.example', purpose: 'own' }, now() - HOUR, 0)
      const queue = start()
      const early = await Promise.all(namesOf(20).map((name) => queue.obtain(name)))
      assert.deepEqual([early.length, orders.length], [20, 20])
      const at = now()
      await assert.rejects(queue.obtain('late.example.com'), /160 were ordered in three hours/)
      await assert.rejects(queue.obtain('late.example.com'), IssuanceError)
      await setting.emptied()
      assert.ok(now() > at + HOUR)
      assert.ok(await findCertificate(db.read, 'late.example.com'))
    })

    test('a name that has to be put right leaves the queue, and comes back with a visit after its back-off', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { db, start, orders, fail, pass } = setting
      const queue = start()
      fail(new AcmeError('dns', 'no such name'), ['bad.example.com'])
      await Promise.all([
        assert.rejects(queue.obtain('bad.example.com'), /dns: no such name/),
        queue.obtain('good.example.com'),
      ])
      await setting.emptied()
      await assert.rejects(queue.obtain('bad.example.com'), /dns: no such name/)
      pass(MINUTE)
      queue.resume()
      await assert.rejects(queue.obtain('bad.example.com'), /dns: no such name/)
      assert.equal(orders.filter(({ name }) => name === 'bad.example.com').length, 2)
      assert.equal((await findIssuance(db.read, 'bad.example.com'))?.queuedAt, undefined)
    })

    test('while the authority is away it is asked for few names, and no name is lost', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { start, orders, fail, now, warned } = setting
      const [names, begun] = [namesOf(30), now()]
      const queue = start()
      fail(new AuthorityAway('unreachable', 'authority.example: certificate is not yet valid'))
      await assert.rejects(queue.obtain('name-000.com'), /certificate is not yet valid/)
      for (const name of names.slice(1)) await queue.add(name)
      await poll(() => /certificate is not yet valid/.test(queue.stop()?.reason ?? ''))
      await poll(() => now() > begun + 20 * MINUTE)
      // Before each of the pauses of 1, 2, 5, 10 and 10 minutes, what was due at the same time. The clock may be further.
      const soon = orders.filter(({ at }) => at <= begun + 20 * MINUTE).length
      assert.ok(soon <= 5 * 8, `${soon} orders`)
      const tried = orders.length
      fail(undefined)
      await setting.emptied()
      assert.deepEqual([...new Set(orders.slice(tried).map(({ name }) => name))].sort(), names)
      assert.deepEqual(warned, [], 'orders that were not placed count for nothing')
    })

    test('a name that the authority fails again and again holds up no other', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { db, start, fail } = setting
      const [bad, good] = [namesOf(20, 'bad'), namesOf(20, 'good')]
      const queue = start()
      fail(new AcmeError('serverInternal', 'something went wrong', { status: 500 }), bad)
      for (const name of [...bad, ...good]) await queue.add(name)
      await poll(async () => (await listCertificates(db.read)).length === 20)
      assert.deepEqual(
        (await listCertificates(db.read)).map(({ name }) => name),
        good,
      )
      assert.ok((await findIssuance(db.read, bad[0] ?? ''))?.queuedAt, 'it still waits')
      fail(undefined)
      setting.pass(10 * MINUTE)
      queue.resume()
      await setting.emptied()
      assert.equal((await listCertificates(db.read)).length, 40)
    })

    test('a network, or a registrable domain, with many names takes a quarter of what others leave, and others do not wait for it', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { start, orders, pass, now } = setting
      const queue = start()
      const greedy = namesOf(60, 'greedy')
      const under = namesOf(60, 'under').map((name) => name.replace('.com', '.example.com'))
      for (const name of greedy) await queue.add(name, 'greedy')
      for (const name of under) await queue.add(name)
      const begun = now()
      const honest = namesOf(20, 'honest')
      for (const [at, name] of honest.entries()) await queue.add(name, `network ${at}`)
      const of = (names: string[]) => orders.filter(({ name }) => names.includes(name))
      await poll(() => of(honest).length === 20)
      // They came last, and each was ordered as soon as one of the many of each other was.
      assert.ok(
        of(honest).every(({ at }) => at - begun <= 2 * MINUTE),
        JSON.stringify(of(honest)),
      )
      // A third of the places that are left then; what came first may have 40, until there are others.
      const taken = () => [of(greedy).length, of(under).length]
      const third = () => Math.floor((160 - orders.length) / 3)
      await poll(() => taken().every((count) => count >= third()))
      const late = namesOf(40, 'late')
      for (const [at, name] of late.entries()) await queue.add(name, `network ${at}`)
      await poll(() => of(late).length === 40)
      assert.ok(most(of([...greedy, ...under, ...honest, ...late]), 3 * HOUR) <= 160)
      assert.ok(
        taken().every((count) => count <= 40),
        String(taken()),
      )
      pass(3 * HOUR)
      queue.resume()
      await setting.emptied()
      // Of one domain, there are 40 in a week.
      assert.deepEqual(taken(), [60, 40])
    })

    test('four networks with four domains of one stranger leave a third of the places, and the first name of another is ordered at once', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { start, orders, now } = setting
      const queue = start()
      for (let at = 0; at < 160; at++) await queue.add(`name-${at}.stranger${at % 4}.com`, `stranger ${at % 4}`)
      // 23 each: a third of the 68 that are left is less than one more.
      await poll(() => orders.length === 92)
      const before = now()
      await queue.obtain('qr.example.com', 'honest')
      assert.ok(now() - before < MINUTE)
      assert.equal(orders.length, 93)
    })

    test('names whose validation takes long hold up no other', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { start, orders, slow, now } = setting
      const queue = start()
      const names = namesOf(16).map((name, at) => `${name.slice(0, -4)}.stranger${at % 2}.com`)
      slow(names, 80 * SECOND)
      for (const [at, name] of names.entries()) await queue.add(name, `stranger ${at % 2}`)
      await poll(() => orders.length >= 8)
      const before = now()
      await queue.obtain('qr.example.com', 'honest')
      assert.ok(now() - before < 40 * SECOND, `${(now() - before) / SECOND} s`)
    })

    test('a stranger who has taken his share makes no name of others wait for it by visiting that', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { db, start, fail } = setting
      fail(new AuthorityAway('unreachable', 'authority.example: it is away'))
      const queue = start()
      for (let at = 0; at < 40; at++) await queue.add(`name-${at}.stranger.com`, 'stranger')
      await queue.add('qr.example.com', 'honest')
      await queue.add('qr.example.com', 'stranger')
      assert.equal((await findIssuance(db.read, 'qr.example.com'))?.client, 'honest')
      // Also where he was first.
      await queue.add('qr.example.org', 'stranger')
      await queue.add('qr.example.org', 'honest')
      assert.equal((await findIssuance(db.read, 'qr.example.org'))?.client, 'honest')
    })

    test('for one network 100 names wait at most; one that is visited from another with fewer counts for that from then on', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { db, start, fail } = setting
      // Then no name leaves the queue.
      fail(new AuthorityAway('unreachable', 'authority.example: it is away'))
      const queue = start()
      const names = namesOf(100)
      const last = names.at(-1) ?? ''
      for (const name of names) await queue.add(name, 'greedy')
      await assert.rejects(queue.add('more.com', 'greedy'), /100 names wait that were visited from this network/)
      await queue.add('more.com', 'other')
      await queue.add(last, 'other')
      await queue.add('again.com', 'greedy')
      assert.equal((await countQueued(db.read)).count, 102)
      assert.equal((await findIssuance(db.read, last))?.client, 'other')
    })

    test('a name that is not served any more is not ordered', async (t) => {
      const setting = await set(t, driver)
      if (setting === undefined) return
      const { start, orders, unserved } = setting
      const queue = start()
      unserved.add('gone.example.com')
      await assert.rejects(queue.obtain('gone.example.com'), IssuanceError)
      await setting.emptied()
      assert.deepEqual(orders, [])
    })
  })
}
