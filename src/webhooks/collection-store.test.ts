import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { undoLater } from '../../test/support/cleanup.ts'
import { drivers, type StoreDriver } from '../../test/support/drivers.ts'
import { PATIENCE_MS, poll } from '../../test/support/poll.ts'
import { startReceiver } from '../../test/support/receiver.ts'
import { insert } from '../../test/support/stored-links.ts'
import type { Database } from '../db/database.ts'
import { createDraining } from '../lib/draining.ts'
import type { Link, Totals } from '../links/link.ts'
import type { WebhookEventType } from '../links/webhook.ts'
import { createCollectionWebhooks } from './collections.ts'
import * as collections from './collection-store.ts'
import { createEvent } from './event.ts'
import { createMilestones } from './milestones.ts'
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

async function set(db: Database, id: string, events = EVENTS, address = url): Promise<void> {
  const totals = humansOf(0)
  const shared = { db, now: () => 1000, random: Math.random, enabled: true, screen: () => undefined }
  const webhooks = createCollectionWebhooks({ ...shared, totals, latestTotals: totals })
  const draft = { url: address, events, wantsNewSecret: false }
  await db.transaction((transaction) => webhooks.save(transaction, id, draft, new Map()))
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
      await set(db, id, EVENTS, `http://host.example${at}.com/`)
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

  each('each milestone is queued once for each collection, by whichever process finds it', async (db) => {
    const link = await insert(db, 'a')
    for (const id of ['one', 'two']) {
      await collect(db, id, [link])
      await set(db, id)
    }
    const { signal: stopping } = new AbortController()
    const deps = { db, now: () => 1000, outbox: createOutbox(), totals: humansOf(123), stopping }
    const processes = [createMilestones(deps), createMilestones(deps)]
    for (const each of processes) await each.load()
    await Promise.all(processes.map((each) => each.check()))
    for (const each of processes) each.onFold(undefined)
    await Promise.all(processes.map((each) => each.check()))
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
      await set(db, id, ['link.changed'], `http://127.0.0.1:${receiver.port}/${id}`)
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
