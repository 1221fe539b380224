import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { undoLater } from '../../test/support/cleanup.ts'
import { drivers, type StoreDriver } from '../../test/support/drivers.ts'
import { PATIENCE_MS, poll } from '../../test/support/poll.ts'
import { startReceiver } from '../../test/support/receiver.ts'
import { insert } from '../../test/support/stored-links.ts'
import type { Database } from '../db/database.ts'
import { createSetWebhook } from '../collections/set-webhook.ts'
import { noCharge, noRoom } from '../lib/charged.ts'
import { asHolder } from '../lib/holder.ts'
import { createDraining } from '../lib/draining.ts'
import type { Link, Totals } from '../links/link.ts'
import type { WebhookEventType } from '../links/webhook.ts'
import { createCollectionWebhooks } from './collections.ts'
import * as collections from './collection-store.ts'
import { createEvent } from './event.ts'
import { createMilestones, type Milestones } from './milestones.ts'
import { openWebhooks } from './open.ts'
import * as outbox from './outbox-store.ts'
import { createOutbox } from './outbox.ts'
import { countAll } from './store.ts'

const EVENTS: WebhookEventType[] = ['link.changed', 'scans.milestone', 'destination.failing']
const url = 'http://127.0.0.1:9/'
const humansOf = (humans: number) => async () => ({ humans }) as Totals

/** A collection of links. */
async function collect(db: Database, id: string, links: Link[]): Promise<void> {
  await db.write
    .insertInto('collections')
    .values({ id, token_hash: `hash of ${id}`, created_at: 1 })
    .execute()
  const members = links.map((link) => ({ collection_id: id, link_id: link.id, joined_at: 1 }))
  await db.write.insertInto('memberships').values(members).execute()
}

/** Sets the webhook of a collection whose links people have visited as often as given; no events remove it. */
async function set(db: Database, id: string, events = EVENTS, { address = url, humans = 0 } = {}): Promise<void> {
  const totals = humansOf(humans)
  const shared = { db, now: () => 1000, random: Math.random, enabled: true, screen: () => undefined }
  const webhooks = createCollectionWebhooks({ ...shared, totals, latestTotals: totals })
  const draft = events.length === 0 ? null : { url: address, events, wantsNewSecret: false }
  const setWebhook = createSetWebhook({ db, webhooks })
  await setWebhook(id, draft, { charge: noCharge, chargeRoom: noRoom, holder: asHolder('192.0.2.1') })
}

/** The same store, of which so many transactions succeed, and the next one does not. */
function interrupted(db: Database, transactions: number): Database {
  let left = transactions
  return {
    ...db,
    transaction: (work) => (left-- > 0 ? db.transaction(work) : Promise.reject(new Error('interrupted'))),
  }
}

/** A process that finds milestones. */
function milestonesOf(db: Database, humans: number) {
  const { signal: stopping } = new AbortController()
  return createMilestones({ db, now: () => 1000, outbox: createOutbox(), totals: humansOf(humans), stopping })
}

/** Links enough that they are not watched in one transaction. */
const insertMany = async (db: Database) => {
  const links: Link[] = []
  for (let at = 0; at < 201; at++) links.push(await insert(db, `code${at}`))
  return links
}

const queue = (db: Database, box: ReturnType<typeof createOutbox>, link: Link, ids: string[], event: object = {}) =>
  db.transaction((transaction) =>
    box.addToCollections(transaction, link.id, ids, { ...createEvent('link.changed', 1000, {}), ...event }),
  )

const takeIn = (db: Database, id: string) => db.transaction((transaction) => collections.takeIn(transaction, id, 1000))

const waiting = async (db: Database) =>
  db.read.selectFrom('collection_outbox').select(['collection_id', 'link_id', 'body']).orderBy('id').execute()

const dueFilter: outbox.DueFilter = { now: 1000, lane: 'new', limit: 10, busyHosts: [], busySites: [] }

const watches = async (db: Database) =>
  db.read
    .selectFrom('memberships')
    .select(['link_id', 'milestone', 'next_check_at'])
    .orderBy('collection_id')
    .orderBy('link_id')
    .execute()

async function checkAll(milestones: Milestones): Promise<void> {
  await milestones.check()
  await milestones.ended()
}

function storeTests(driver: StoreDriver): void {
  const each = (name: string, run: (db: Database, t: TestContext) => Promise<void>) =>
    test(name, async (t) => {
      const db = await driver.open(t)
      if (db !== undefined) await run(db, t)
    })

  each('an event is due once the sender has taken it in, and a thousand of a collection wait', async (db) => {
    const link = await insert(db, 'a')
    await collect(db, 'one', [link])
    await set(db, 'one')
    const box = createOutbox()
    await queue(db, box, link, ['one'])
    assert.deepEqual(await outbox.findDue(db.read, dueFilter), [])
    assert.deepEqual(await collections.findNewlyQueued(db.read, 10), ['one'])
    assert.equal(await takeIn(db, 'one'), 0)
    assert.deepEqual(await collections.findNewlyQueued(db.read, 10), [])
    assert.deepEqual(
      (await outbox.findDue(db.read, dueFilter)).map(({ owner }) => owner),
      [{ kind: 'collection', id: 'one' }],
    )
    const many = Array.from({ length: collections.MAX_WAITING_IN_COLLECTION + 2 }, () => 'one')
    await queue(db, box, link, many, { body: '{"is":"new"}' })
    assert.equal(await takeIn(db, 'one'), 3)
    const bodies = (await waiting(db)).map(({ body }) => body)
    assert.deepEqual([bodies.length, new Set(bodies).size], [collections.MAX_WAITING_IN_COLLECTION, 1])
    assert.equal((await collections.findCollectionWebhook(db.read, 'one'))?.dropped, 3)
  })

  each('webhooks of links and of collections are sent to in the order in which they are due', async (db) => {
    const link = await insert(db, 'a')
    for (const [at, id] of ['one', 'two', 'three'].entries()) {
      await collect(db, id, [link])
      await set(db, id, EVENTS, { address: `http://host.example${at}.com/` })
      await queue(db, createOutbox(), link, [id])
      await db.transaction((transaction) => collections.takeIn(transaction, id, 3000 - at))
    }
    const find = async (filter: object) =>
      (await outbox.findDue(db.read, { ...dueFilter, now: 3000, ...filter })).map(({ owner }) => owner.id)
    assert.deepEqual(await find({}), ['three', 'two', 'one'])
    assert.deepEqual(await find({ limit: 1 }), ['three'])
    assert.deepEqual(await find({ busyHosts: ['host.example2.com'], busySites: ['example1.com'] }), ['one'])
  })

  each('what was queued for a webhook that was removed meanwhile goes', async (db) => {
    const link = await insert(db, 'a')
    await queue(db, createOutbox(), link, ['gone'])
    assert.equal(await takeIn(db, 'gone'), 0)
    assert.deepEqual(await waiting(db), [])
  })

  each('when too many events wait, a network that has most keeps one for each collection', async (db) => {
    const link = await insert(db, 'a')
    for (const id of ['one', 'two', 'small']) {
      await collect(db, id, [link])
      await set(db, id)
    }
    const box = createOutbox(6)
    for (let count = 0; count < 3; count++) await queue(db, box, link, ['one', 'two'], { network: 'large' })
    await queue(db, box, link, ['small'], { network: 'small' })
    box.counted((await countAll(db.read)).outbox)
    assert.equal(box.rows(), 7)
    await queue(db, box, link, ['one', 'two'], { network: 'large' })
    for (const id of await collections.findNewlyQueued(db.read, 10))
      box.noteDropped(await db.transaction((transaction) => collections.takeIn(transaction, id, 1000, box.hasMost)))
    box.counted((await countAll(db.read)).outbox)
    const ids = (await waiting(db)).map((row) => row.collection_id)
    assert.deepEqual([ids, box.rows(), box.dropped()], [['small', 'one', 'two'], 3, 6])
  })

  each('links are watched for what the webhook wants, and no longer once it does not', async (db) => {
    const links = [await insert(db, 'a'), await insert(db, 'b')]
    await collect(db, 'one', links)
    const ids = links.map(({ id }) => id)
    const stored = async () =>
      (await watches(db)).map((row) => [row.link_id, row.milestone !== null, row.next_check_at !== null])
    const expected = (milestones: boolean, checks: boolean) => ids.toSorted().map((id) => [id, milestones, checks])
    for (const [events, milestones, checks] of [
      [['link.changed'], false, false],
      [['scans.milestone'], true, false],
      [['scans.milestone', 'destination.failing'], true, true],
      [['destination.failing'], false, true],
    ] as const) {
      await set(db, 'one', [...events])
      assert.deepEqual((await stored()).toSorted(), expected(milestones, checks).toSorted(), events.join())
    }
  })

  each(
    'the webhook of many links is set and removed a hundred links at a time, so that others change them in between',
    async (db) => {
      await collect(db, 'one', await insertMany(db))
      let before = 0
      const transaction: Database['transaction'] = async (work) => {
        const result = await db.transaction(work)
        const after = (await watches(db)).filter(({ next_check_at: nextCheckAt }) => nextCheckAt !== null).length
        assert.ok(Math.abs(after - before) <= 100, `${after - before} links in one transaction`)
        before = after
        return result
      }
      await set({ ...db, transaction }, 'one')
      assert.equal(before, 201)
      await set({ ...db, transaction }, 'one', [])
      assert.equal(before, 0)
    },
  )

  each('a webhook whose setting was interrupted tells of nothing, and set again counts from then on', async (db) => {
    await collect(db, 'one', await insertMany(db))
    await set(db, 'one', ['link.changed'])
    await assert.rejects(set(interrupted(db, 2), 'one', EVENTS, { humans: 15 }), { message: 'interrupted' })
    const process = milestonesOf(db, 150)
    await process.load()
    await checkAll(process)
    assert.deepEqual(await waiting(db), [])
    await set(db, 'one', EVENTS, { humans: 150 })
    assert.deepEqual([...new Set((await watches(db)).map(({ milestone }) => milestone))], [100])
    await process.load()
    await checkAll(process)
    assert.deepEqual(await waiting(db), [])
    const later = milestonesOf(db, 1500)
    await later.load()
    await checkAll(later)
    assert.equal((await waiting(db)).length, 201)
  })

  each('what a webhook wants no longer it is not told, also of links that are still watched', async (db) => {
    await collect(db, 'one', await insertMany(db))
    await set(db, 'one')
    await set(interrupted(db, 1), 'one', ['link.changed'])
    assert.ok((await watches(db)).every(({ milestone }) => milestone !== null))
    const process = milestonesOf(db, 150)
    await process.load()
    await checkAll(process)
    assert.deepEqual(await waiting(db), [])
    await set(db, 'one', ['destination.failing'])
    assert.deepEqual(
      (await watches(db)).filter((row) => row.milestone !== null || row.next_check_at === null),
      [],
    )
  })

  each('a webhook that is set and removed at the same time is whole, or leaves nothing', async (db) => {
    await collect(db, 'one', await insertMany(db))
    for (const last of [EVENTS, []]) {
      await Promise.all([set(db, 'one'), set(db, 'one', []), set(db, 'one', ['scans.milestone']), set(db, 'one', last)])
      const row = await collections.findCollectionWebhook(db.read, 'one')
      const { events = '[]' } = row ?? {}
      const wrong = (await watches(db)).filter(
        ({ milestone, next_check_at: nextCheckAt }) =>
          (milestone !== null) !== events.includes('scans.milestone') ||
          (nextCheckAt !== null) !== events.includes('destination.failing'),
      )
      assert.deepEqual(wrong, [], events)
    }
  })

  each('each milestone is queued once for each collection, by whichever process finds it', async (db) => {
    const link = await insert(db, 'a')
    for (const id of ['one', 'two']) {
      await collect(db, id, [link])
      await set(db, id)
    }
    const processes = [milestonesOf(db, 123), milestonesOf(db, 123)]
    for (const each of processes) await each.load()
    await Promise.all(processes.map((each) => checkAll(each)))
    for (const each of processes) each.onFold(undefined)
    await Promise.all(processes.map((each) => checkAll(each)))
    const sent = (await waiting(db)).map(({ collection_id: id, body }) => {
      const { data } = JSON.parse(body) as { data: { code: string; milestone: number } }
      return [id, data.code, data.milestone]
    })
    const each = (id: string) => [10, 100].map((milestone) => [id, 'a', milestone])
    assert.deepEqual(sent.toSorted(), [...each('one'), ...each('two')].toSorted())
  })

  each('of two processes only one sends: each event arrives once', async (db, t) => {
    const receiver = await startReceiver(t)
    const scans = { totals: humansOf(0), latestTotals: humansOf(0), onFold() {} }
    const log = { error: (details: object) => assert.fail(JSON.stringify(details)) }
    const needs = { store: { db }, now: Date.now, monotonic: Date.now, scans, draining: createDraining(), log }
    const overrides = { pollMs: 5, timeoutMs: PATIENCE_MS, isAllowed: () => true }
    const link = await insert(db, 'a')
    const ids = Array.from({ length: 12 }, (_, at) => `collection${at}`)
    for (const id of ids) {
      await collect(db, id, [link])
      await set(db, id, ['link.changed'], { address: `http://127.0.0.1:${receiver.port}/${id}` })
    }
    await queue(db, createOutbox(), link, ids)
    for (let count = 0; count < 2; count++) {
      const opened = openWebhooks({ webhooks: true, baseUrl: undefined, dnsServers: undefined }, needs, overrides)
      undoLater(t, () => opened.close())
    }
    await poll(async () => (await waiting(db)).length === 0)
    assert.deepEqual(receiver.received.map(({ path }) => path).toSorted(), ids.map((id) => `/${id}`).toSorted())
  })
}

for (const driver of drivers) describe(`webhooks of collections on ${driver.name}`, () => storeTests(driver))
