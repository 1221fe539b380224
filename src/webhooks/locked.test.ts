import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { undoLater } from '../../test/support/cleanup.ts'
import { drivers } from '../../test/support/drivers.ts'
import { poll } from '../../test/support/poll.ts'
import { insert } from '../../test/support/stored-links.ts'
import type { Transaction } from '#kysely'
import type { Database } from '../db/database.ts'
import { createLeases } from '../db/lease.ts'
import type { Tables } from '../db/schema.ts'
import type { Link, Totals } from '../links/link.ts'
import { createLinkWebhooks } from './changes.ts'
import { findNewlyQueued, putCollectionWebhook } from './collection-store.ts'
import { createEvent } from './event.ts'
import { checkDue, type DestinationsDeps } from './destinations.ts'
import { createMilestones } from './milestones.ts'
import { createOutbox } from './outbox.ts'
import { createReceivers } from './receivers.ts'
import { findWebhook } from './store.ts'
import { createTakeIn } from './take-in.ts'

const DAY_MS = 86_400_000
const totals = async () => ({ humans: 10 }) as Totals

async function set(db: Database, link: Link): Promise<void> {
  const shared = { db, random: () => 0, enabled: true, screen: () => undefined, totals }
  const webhooks = createLinkWebhooks({ ...shared, now: () => 1000, outbox: createOutbox() })
  const draft = {
    url: 'http://127.0.0.1:9/',
    events: ['scans.milestone' as const, 'destination.failing' as const],
    wantsNewSecret: false,
  }
  await db.transaction((transaction) => webhooks.save(transaction, link.id, { draft, milestone: 0 }))
}

/** Each is at a receiver of its own. */
const hostOf = ({ code }: Pick<Link, 'code'>) => `site-${code}.com`

async function insertAll(db: Database, codes: readonly string[]): Promise<Link[]> {
  const links: Link[] = []
  for (const code of codes) links.push(await insert(db, code))
  for (const link of links) {
    await db.write
      .updateTable('links')
      .set({ target: `https://${hostOf(link)}/` })
      .where('id', '=', link.id)
      .execute()
    await set(db, link)
  }
  return links
}

/** @returns what ends the transaction that a change has begun */
async function lockUntil(
  db: Database,
  change: (transaction: Transaction<Tables>) => Promise<unknown>,
): Promise<() => Promise<void>> {
  const [begun, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const changed = db.transaction(async (transaction) => {
    await change(transaction)
    begun.resolve()
    await ended.promise
  })
  await begun.promise
  return async () => {
    ended.resolve()
    await changed
  }
}

/** Locks the webhooks of links, as a change of many does. @returns what ends that */
const lock = (db: Database, links: Link[]) =>
  lockUntil(db, (transaction) =>
    transaction
      .updateTable('webhooks')
      .set((of) => ({ dropped: of.ref('dropped') }))
      .where(
        'link_id',
        'in',
        links.map(({ id }) => id),
      )
      .execute(),
  )

/** A collection that has a webhook. */
async function collect(db: Database, id: string): Promise<void> {
  await db.write
    .insertInto('collections')
    .values({ id, token_hash: `hash of ${id}`, created_at: 1 })
    .execute()
  const sent = { address: 'http://127.0.0.1:9/', host: '127.0.0.1', site: '127.0.0.1', lane: 'new' as const }
  const settings = {
    ...sent,
    events: '["link.changed"]',
    secret: 'x',
    updated_at: 1,
    next_attempt_at: null,
    last_status: null,
  }
  await db.transaction((transaction) => putCollectionWebhook(transaction, id, settings))
}

const told = async (db: Database) =>
  (await db.read.selectFrom('outbox').select('link_id').orderBy('link_id').execute()).map((row) => row.link_id)

const ids = (links: Link[]) => links.map(({ id }) => id)

function destinationsOf(db: Database, request: (host: string) => Promise<void>): DestinationsDeps {
  return {
    db,
    now: () => 2000,
    random: () => 0,
    receivers: createReceivers(() => 2000),
    screen: () => undefined,
    outbox: createOutbox(),
    request: async (url) => {
      await request(new URL(url).host)
      return { status: 404 }
    },
  }
}

const checksOf = async (db: Database, link: Link) => {
  const { next_check_at: at, check_failures: failures } = (await findWebhook(db.read, link.id)) ?? {}
  return [at, failures]
}

async function leaseOf(db: Database) {
  const lease = await createLeases(db, () => performance.now())('destination checks')
  assert.ok(lease !== undefined)
  return lease
}

for (const driver of drivers.filter(({ name }) => name.startsWith('PostgreSQL')))
  describe(`what a change has locked on ${driver.name}`, () => {
    test('milestones of others are told while a change has many webhooks locked, and each of those once it has ended', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const many = await insertAll(db, ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'])
      const others = await insertAll(db, ['i', 'j', 'k', 'l'])
      const stop = new AbortController()
      const deps = { db, now: () => 1000, outbox: createOutbox(), totals, stopping: stop.signal }
      const milestones = createMilestones(deps)
      await milestones.load()
      const unlock = await lock(db, many)
      const checked = milestones.check()
      undoLater(t, async () => {
        await unlock()
        await checked
        stop.abort()
        await milestones.ended()
      })
      await poll(async () => (await told(db)).length === others.length)
      assert.deepEqual(await told(db), ids(others))
      await unlock()
      await poll(async () => (await told(db)).length === others.length + many.length)
      await milestones.ended()
      milestones.onFold(undefined)
      await milestones.check()
      await milestones.ended()
      assert.deepEqual(await told(db), ids([...many, ...others]))
    })

    test('a destination is checked while a change has the webhooks of others locked, which stay due', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const links = await insertAll(db, ['a', 'b', 'c', 'd', 'e', 'f'])
      const [other] = links.splice(-1) as [Link]
      const stop = new AbortController()
      const checked: string[] = []
      const deps = destinationsOf(db, async (host) => void checked.push(host))
      const lease = await leaseOf(db)
      const unlock = await lock(db, links)
      const due = checkDue(deps, lease, { stopping: stop.signal, closing: stop.signal })
      undoLater(t, async () => {
        await unlock()
        await due
        await lease.release()
      })
      await poll(async () => (await checksOf(db, other))[1] === 1)
      await due
      assert.deepEqual(checked, [hostOf(other)])
      for (const link of links) assert.deepEqual(await checksOf(db, link), [1000, 0])
      await unlock()
      await checkDue(deps, lease, { stopping: stop.signal, closing: stop.signal })
      for (const link of links) assert.deepEqual(await checksOf(db, link), [2000 + DAY_MS, 1])
    })

    test('the result of a check whose webhook was locked meanwhile waits alone, and is recorded once', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const links = await insertAll(db, ['a', 'b', 'c', 'd', 'e', 'f'])
      const [other] = links.splice(-1) as [Link]
      const stop = new AbortController()
      const sent = new Set<string>()
      const { promise: areLocked, resolve: lockedNow } = Promise.withResolvers<void>()
      const deps = destinationsOf(db, async (host) => {
        sent.add(host)
        await areLocked
      })
      const lease = await leaseOf(db)
      const due = checkDue(deps, lease, { stopping: stop.signal, closing: stop.signal })
      await poll(async () => sent.size === 6)
      const unlock = await lock(db, links)
      lockedNow()
      undoLater(t, async () => {
        await unlock()
        await due
        await lease.release()
      })
      await poll(async () => (await checksOf(db, other))[1] === 1)
      for (const link of links) assert.deepEqual(await checksOf(db, link), [2000 + DAY_MS, 0])
      await unlock()
      await due
      for (const link of links) assert.deepEqual(await checksOf(db, link), [2000 + DAY_MS, 1])
    })

    test('events of others are taken in while the webhook of a collection is set, and its own once it is', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const link = await insert(db, 'a')
      for (const id of ['one', 'two']) await collect(db, id)
      const outbox = createOutbox()
      await db.transaction((transaction) =>
        outbox.addToCollections(transaction, link.id, ['one', 'two'], createEvent('link.changed', 1000, {})),
      )
      const lease = await leaseOf(db)
      const takeIn = createTakeIn({ db, now: () => 1000, outbox }, lease)
      const unlock = await lockUntil(db, (transaction) =>
        transaction
          .updateTable('collection_webhooks')
          .set({ events: '[]' })
          .where('collection_id', '=', 'one')
          .execute(),
      )
      const taken = takeIn()
      undoLater(t, async () => {
        await unlock()
        await taken
        await lease.release()
      })
      const waiting = async () => (await findNewlyQueued(db.read, 10)).join(' ')
      await poll(async () => (await waiting()) === 'one')
      await taken
      await unlock()
      await takeIn()
      assert.equal(await waiting(), '')
    })
  })
