import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { undoLater } from '../../test/support/cleanup.ts'
import { drivers, type StoreDriver } from '../../test/support/drivers.ts'
import { PATIENCE_MS, poll } from '../../test/support/poll.ts'
import { startReceiver } from '../../test/support/receiver.ts'
import { insert, remove } from '../../test/support/stored-links.ts'
import type { Database } from '../db/database.ts'
import { createDraining } from '../lib/draining.ts'
import type { Link, Totals } from '../links/link.ts'
import type { WebhookEventType } from '../links/webhook.ts'
import { asHolder, type Holder } from '../lib/holder.ts'
import { createLinkWebhooks } from './changes.ts'
import { createEvent } from './event.ts'
import { createMilestones, reachedMilestone, type Milestones } from './milestones.ts'
import { openWebhooks } from './open.ts'
import * as outbox from './outbox-store.ts'
import { createOutbox } from './outbox.ts'
import * as store from './store.ts'

const EVENTS: WebhookEventType[] = ['link.changed', 'scans.milestone']
const url = 'http://127.0.0.1:9/'

const humansOf = (humans: number) => async () => ({ humans }) as Totals

function webhooksOf(db: Database) {
  const shared = { db, random: Math.random, enabled: true, screen: () => undefined, totals: humansOf(0) }
  return createLinkWebhooks({ ...shared, now: () => 1000, outbox: createOutbox() })
}

async function set(db: Database, link: Link, address = url, milestone = 0): Promise<store.WebhookRow> {
  const draft = { url: address, events: EVENTS, wantsNewSecret: false }
  await db.transaction((transaction) => webhooksOf(db).save(transaction, link.id, { draft, milestone }))
  return (await store.findWebhook(db.read, link.id)) as store.WebhookRow
}

const queue = (db: Database, { id }: Link, name = 'x') =>
  db.transaction((transaction) => outbox.insertEvent(transaction, id, createEvent('link.changed', 1000, { name })))

const waiting = async (db: Database) => db.read.selectFrom('outbox').select(['link_id', 'body']).orderBy('id').execute()

const dueFilter: outbox.DueFilter = { now: 1000, lane: 'new', limit: 10, busyHosts: [], busySites: [] }

async function dueOf(db: Database, { id }: Link): Promise<outbox.Due> {
  const due = (await outbox.findDue(db.read, dueFilter)).find(({ owner }) => owner.id === id)
  assert.ok(due !== undefined)
  return due
}

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

  each('a webhook is saved, keeps its secret, and goes with its link and its events', async (db) => {
    const link = await insert(db, 'a')
    const first = await set(db, link)
    const again = await set(db, link)
    assert.deepEqual({ ...again }, { ...first, updated_at: first.updated_at + 1 })
    assert.notEqual((await set(db, link, 'http://127.0.0.1:10/')).secret, first.secret)
    await queue(db, link)
    assert.equal((await waiting(db)).length, 1)
    assert.equal(await remove(db, link), true)
    assert.equal(await store.findWebhook(db.read, link.id), undefined)
    assert.deepEqual(await waiting(db), [])
  })

  each('what is due is of the network of the oldest event that waits, of which no address is stored', async (db) => {
    const link = await insert(db, 'a')
    await set(db, link)
    const webhooks = webhooksOf(db)
    const change = (title: string, holder?: Holder) =>
      db.transaction((transaction) => webhooks.onChange(transaction, link, { ...link, title }, { holder }))
    await change('One')
    // What nobody's request has caused is of those that were set in the same hour.
    assert.match((await dueOf(db, link)).network, /^set in hour \d+$/)
    await db.write.deleteFrom('outbox').execute()
    await change('Two', asHolder('198.51.100.7'))
    await change('Three', asHolder('203.0.113.7'))
    const rows = await db.read.selectFrom('outbox').select('network').orderBy('id').execute()
    assert.equal(new Set(rows.map(({ network }) => network)).size, 2)
    for (const { network } of rows) assert.match(network ?? '', /^[0-9a-f]{12}$/)
    assert.equal((await dueOf(db, link)).network, rows[0]?.network)
  })

  each('an event whose transaction fails is not sent', async (db) => {
    const link = await insert(db, 'a')
    await set(db, link)
    const failing = db.transaction(async (transaction) => {
      await outbox.insertEvent(transaction, link.id, createEvent('link.changed', 1000, {}))
      throw new Error('the change failed')
    })
    await assert.rejects(failing, /the change failed/)
    assert.deepEqual(await waiting(db), [])
    assert.equal((await store.findWebhook(db.read, link.id))?.next_attempt_at, null)
  })

  each(
    'only what is due in a lane is found, and not of busy hosts and receivers; what failed is in another lane',
    async (db) => {
      const links = [await insert(db, 'a'), await insert(db, 'b'), await insert(db, 'c')] as const
      for (const [at, link] of links.entries()) await set(db, link, `http://host.example${at + 1}.com:8080/`)
      await queue(db, links[0])
      await queue(db, links[1])
      const find = async (filter: Partial<outbox.DueFilter>) =>
        (await outbox.findDue(db.read, { ...dueFilter, ...filter })).map(({ owner }) => owner.id)
      assert.deepEqual(await find({}), [links[0].id, links[1].id])
      assert.deepEqual(await find({ limit: 1 }), [links[0].id])
      assert.deepEqual(await find({ now: 999 }), [])
      assert.deepEqual(await find({ busyHosts: ['host.example1.com:8080'] }), [links[1].id])
      assert.deepEqual(await find({ busySites: ['example1.com'] }), [links[1].id])
      const failure = { status: 500, error: 'x', at: 1000, nextAt: 1000 }
      await outbox.recordFailure(db.write, await dueOf(db, links[0]), failure)
      assert.deepEqual([await find({}), await find({ lane: 'slow' })], [[links[1].id], [links[0].id]])
    },
  )

  if (driver.name.startsWith('PostgreSQL'))
    each(
      'what a change of other links has locked stays due, and what else is to wait or is recorded waits for nothing',
      async (db) => {
        const links = [await insert(db, 'a'), await insert(db, 'b')] as const
        for (const link of links) {
          await set(db, link)
          await queue(db, link)
        }
        const [locked, free] = [await dueOf(db, links[0]), await dueOf(db, links[1])]
        const isLocked = ({ owner }: outbox.Due) =>
          db.transaction((transaction) => outbox.isLocked(transaction, db.unlocked, owner))
        const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
        const change = db.transaction(async (transaction) => {
          await outbox.insertEvent(transaction, links[0].id, createEvent('link.changed', 1000, {}))
          begun.resolve()
          await ended.promise
        })
        await begun.promise
        const rows = [locked, free].map((due) => ({ ...due, until: 9000 }))
        const left = await db.transaction((transaction) => outbox.postpone(transaction, db.unlocked, rows))
        assert.deepEqual(left, [rows[0]])
        assert.deepEqual(
          (await outbox.findDue(db.read, dueFilter)).map(({ owner }) => owner.id),
          [links[0].id],
        )
        assert.deepEqual([await isLocked(locked), await isLocked(free)], [true, false])
        ended.resolve()
        await change
        assert.deepEqual([await isLocked(locked), await isLocked(free)], [false, false])
      },
    )

  each('a row of a former version is found without its receiver, and gets it', async (db) => {
    const link = await insert(db, 'a')
    await set(db, link, 'http://host.example1.com:8080/')
    await queue(db, link)
    await db.write.updateTable('webhooks').set({ site: '' }).execute()
    const due = await dueOf(db, link)
    assert.deepEqual([due.site, due.isMisplaced], ['example1.com', true])
    await outbox.setSites(db.write, [due])
    assert.equal((await dueOf(db, link)).isMisplaced, false)
    assert.deepEqual(await outbox.findDue(db.read, { ...dueFilter, busySites: ['example1.com'] }), [])
  })

  each('a delivery makes room for the next event, and the last one ends the waiting', async (db) => {
    const link = await insert(db, 'a')
    await set(db, link)
    await queue(db, link, 'first')
    await queue(db, link, 'second')
    for (const [name, next] of [
      ['first', 2000],
      ['second', null],
    ] as const) {
      const owner = { kind: 'link' as const, id: link.id }
      const event = await outbox.findOldest(db.read, owner)
      assert.ok(event?.body.includes(name) === true)
      const delivery = { status: 204, at: 1500, nextAt: 2000, lane: 'quick' as const }
      await db.transaction((transaction) => outbox.recordDelivery(transaction, { owner }, event, delivery))
      const row = await store.findWebhook(db.read, link.id)
      assert.deepEqual([row?.next_attempt_at, row?.last_delivery_at, row?.last_status], [next, 1500, 204])
    }
    assert.deepEqual(await waiting(db), [])
    await queue(db, link, 'third')
    const { next_attempt_at: next } = (await store.findWebhook(db.read, link.id)) ?? {}
    assert.equal(next, 1500 + outbox.PAUSE_MS, 'a second after the last one')
  })

  each('an attempt at an address that the owner has replaced changes nothing', async (db) => {
    const link = await insert(db, 'a')
    await set(db, link)
    await queue(db, link)
    const due = await dueOf(db, link)
    const moved = await set(db, link, 'http://127.0.0.1:10/')
    await outbox.recordFailure(db.write, due, { status: 410, error: 'x', at: 1000, nextAt: null })
    assert.deepEqual(await store.findWebhook(db.read, link.id), moved)
    assert.equal((await waiting(db)).length, 1)
  })

  each('what is given up drops its events and takes none', async (db) => {
    const link = await insert(db, 'a')
    await set(db, link)
    await queue(db, link)
    await outbox.recordFailure(db.write, await dueOf(db, link), { status: 410, error: 'x', at: 1000, nextAt: null })
    assert.equal(await queue(db, link), undefined)
    assert.deepEqual(await waiting(db), [])
    const { givenUp, outbox: rows } = await store.countAll(db.read)
    assert.deepEqual([givenUp, [...rows]], [1, []])
  })

  each('when too many events wait, a link has one, and each link still has its own', async (db) => {
    const links = [await insert(db, 'a'), await insert(db, 'b')] as const
    for (const link of links) await set(db, link)
    const { add, rows, dropped } = createOutbox(3)
    const queued = ({ id }: Link, name: string) =>
      db.transaction((transaction) => add(transaction, id, createEvent('link.changed', 1000, { name })))
    for (const name of ['a1', 'a2', 'a3']) await queued(links[0], name)
    await queued(links[1], 'b1')
    await queued(links[0], 'a4')
    const names = (await waiting(db)).map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name)
    assert.deepEqual([names, rows(), dropped()], [['b1', 'a4'], 2, 3])
    assert.equal((await store.findWebhook(db.read, links[0].id))?.dropped, 3)
  })

  each('when too many events wait, only those of the network that has most give way', async (db) => {
    const links = [await insert(db, 'a'), await insert(db, 'b'), await insert(db, 'c')] as const
    for (const link of links) await set(db, link)
    const many = createOutbox(6)
    const [large, small] = ['large', 'small']
    const queued = ({ id }: Link, name: string, network: string) =>
      db.transaction((transaction) =>
        many.add(transaction, id, { ...createEvent('link.changed', 1000, { name }), network }),
      )
    const refresh = async () => many.counted((await store.countAll(db.read)).outbox)
    const names = async () =>
      (await waiting(db)).map(({ body }) => (JSON.parse(body) as { data: { name: string } }).data.name)
    for (const name of ['a1', 'a2', 'a3']) await queued(links[0], name, large)
    for (const name of ['c1', 'c2', 'c3']) await queued(links[2], name, large)
    await queued(links[1], 'b1', small)
    await queued(links[1], 'b2', small)
    await refresh()
    assert.equal(many.rows(), 8)
    await queued(links[1], 'b3', small)
    assert.deepEqual(await names(), ['a1', 'a2', 'a3', 'c1', 'c2', 'c3', 'b1', 'b2', 'b3'])
    await queued(links[0], 'a4', large)
    assert.deepEqual(await names(), ['c1', 'c2', 'c3', 'b1', 'b2', 'b3', 'a4'])
    await queued(links[2], 'c4', large)
    assert.deepEqual([await names(), many.dropped()], [['b1', 'b2', 'b3', 'a4', 'c4'], 6])
  })

  each('each milestone is queued once, by whichever process finds it', async (db) => {
    const link = await insert(db, 'a')
    await set(db, link)
    const { signal: stopping } = new AbortController()
    const deps = { db, now: () => 1000, outbox: createOutbox(), totals: humansOf(1234), stopping }
    const processes = [createMilestones(deps), createMilestones(deps)]
    for (const each of processes) await each.load()
    await Promise.all(processes.map((each) => checkAll(each)))
    for (const each of processes) each.onFold(undefined)
    await Promise.all(processes.map((each) => checkAll(each)))
    const sent = (await waiting(db)).map(({ body }) => (JSON.parse(body) as { data: object }).data)
    assert.deepEqual(
      sent,
      [10, 100, 1000].map((milestone) => ({ code: 'a', milestone })),
    )
  })

  each('milestones of many links are stored a few at a time, so that others find the store free', async (db) => {
    const links = await Promise.all(Array.from({ length: 40 }, (_, at) => insert(db, `m${at}`)))
    for (const link of links) await set(db, link)
    let [now, most] = [0, 0]
    const transaction: Database['transaction'] = async (work) => {
      most = Math.max(most, ++now)
      try {
        return await db.transaction(work)
      } finally {
        now--
      }
    }
    const { signal: stopping } = new AbortController()
    const counted = { ...db, transaction }
    const deps = { db: counted, now: () => 1000, outbox: createOutbox(), totals: humansOf(10), stopping }
    const milestones = createMilestones(deps)
    await milestones.load()
    await checkAll(milestones)
    assert.equal((await waiting(db)).length, links.length)
    assert.ok(most <= 4, `${most} at a time`)
  })

  each('webhooks that want milestones are listed page by page', async (db) => {
    const links = [await insert(db, 'a'), await insert(db, 'b'), await insert(db, 'c')]
    for (const link of links) await set(db, link, url, 10)
    const found: number[] = []
    let last = { updatedAt: 0, linkId: -1 }
    for (let page = await store.findMilestones(db.read, last, 2); page.length > 0;) {
      found.push(...page.map(({ linkId }) => linkId))
      last = page.at(-1) ?? last
      page = await store.findMilestones(db.read, last, 2)
    }
    assert.deepEqual(
      found,
      links.map(({ id }) => id),
    )
  })

  each('of two processes only one sends: each event arrives once', async (db, t) => {
    const receiver = await startReceiver(t)
    const scans = { totals: humansOf(0), latestTotals: humansOf(0), onFold() {} }
    const log = { error: (details: object) => assert.fail(JSON.stringify(details)) }
    const needs = { store: { db }, now: Date.now, monotonic: Date.now, scans, draining: createDraining(), log }
    const overrides = { pollMs: 5, timeoutMs: PATIENCE_MS, isAllowed: () => true }
    const codes = Array.from({ length: 12 }, (_, at) => `code${at}`)
    for (const code of codes) {
      const link = await insert(db, code)
      await set(db, link, `http://127.0.0.1:${receiver.port}/${code}`)
      await queue(db, link)
    }
    for (let count = 0; count < 2; count++) {
      const opened = openWebhooks({ webhooks: true, baseUrl: undefined, dnsServers: undefined }, needs, overrides)
      undoLater(t, () => opened.close())
    }
    await poll(async () => (await waiting(db)).length === 0)
    assert.deepEqual(receiver.received.map(({ path }) => path).sort(), codes.map((code) => `/${code}`).sort())
  })
}

for (const driver of drivers) describe(`webhooks on ${driver.name}`, () => storeTests(driver))

test('milestones are the powers of ten from 10', () => {
  const cases = [0, 9, 10, 99, 100, 101, 999_999, 1_000_000]
  assert.deepEqual(cases.map(reachedMilestone), [0, 0, 10, 10, 100, 100, 100_000, 1_000_000])
})
