import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drivers } from '../../test/support/drivers.ts'
import { insert } from '../../test/support/stored-links.ts'
import type { Database } from '../db/database.ts'
import type { Lane } from '../db/schema-webhooks.ts'
import { endWaitsAhead } from './ahead-store.ts'
import { takeIn } from './collection-store.ts'
import { createEvent } from './event.ts'
import { insertEvent } from './outbox-store.ts'

const NOW = 1_700_000_000_000
const [DAY_MS, YEAR_MS] = [86_400_000, 365 * 86_400_000]

interface Waiting {
  lane?: Lane
  attempt: number | null
  check?: number | null
  delivery?: number | null
}

const row = ({ lane = 'quick', attempt, delivery = null }: Waiting) => ({
  address: 'http://host.example.com/',
  host: 'host.example.com',
  site: 'example.com',
  lane,
  events: '["link.changed"]',
  secret: 'whsec_',
  updated_at: 1,
  next_attempt_at: attempt,
  last_delivery_at: delivery,
})

/** A link that is in a collection, both with a webhook that waits so long. */
async function insertWaiting(db: Database, code: string, waiting: Waiting): Promise<number> {
  const { id } = await insert(db, code)
  const { check = null } = waiting
  await db.write
    .insertInto('webhooks')
    .values({ ...row(waiting), link_id: id, milestone: null, next_check_at: check })
    .execute()
  await db.write
    .insertInto('collections')
    .values({ id: code, token_hash: `hash of ${code}`, created_at: 1 })
    .execute()
  await db.write
    .insertInto('memberships')
    .values({ collection_id: code, link_id: id, joined_at: 1, next_check_at: check })
    .execute()
  await db.write
    .insertInto('collection_webhooks')
    .values({ ...row(waiting), collection_id: code })
    .execute()
  return id
}

const attempts = async ({ read }: Database) =>
  Promise.all(
    (['webhooks', 'collection_webhooks'] as const).map(async (table) =>
      (await read.selectFrom(table).select('next_attempt_at').execute()).map((each) => each.next_attempt_at).toSorted(),
    ),
  )

const checks = async ({ read }: Database) =>
  Promise.all(
    (['webhooks', 'memberships'] as const).map(async (table) =>
      (await read.selectFrom(table).select('next_check_at').execute()).map((each) => each.next_check_at).toSorted(),
    ),
  )

for (const driver of drivers) {
  describe(driver.name, () => {
    test('waits that are as long as one may be stay, and those that began while the clock was ahead end', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const day = NOW + DAY_MS
      await insertWaiting(db, 'a', { attempt: day, check: day })
      await insertWaiting(db, 'b', { attempt: NOW + YEAR_MS, check: NOW + YEAR_MS })
      await insertWaiting(db, 'c', { lane: 'slow', attempt: NOW + YEAR_MS })
      await insertWaiting(db, 'd', { lane: 'new', attempt: null })
      await endWaitsAhead(db, NOW)
      const [attempted, checked] = [
        [NOW, NOW, day, null],
        [NOW, day, null, null],
      ]
      assert.deepEqual(await attempts(db), [attempted, attempted])
      assert.deepEqual(await checks(db), [checked, checked])
    })

    test('an event waits for the pause after a delivery, and for none that was recorded while the clock was ahead', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const next = async (code: string, delivery: number) => {
        const id = await insertWaiting(db, code, { attempt: null, delivery })
        await db.transaction(async (transaction) => {
          await insertEvent(transaction, id, createEvent('link.changed', NOW, {}))
          await takeIn(transaction, code, NOW)
        })
        const { next_attempt_at: own } = await db.read
          .selectFrom('webhooks')
          .select('next_attempt_at')
          .where('link_id', '=', id)
          .executeTakeFirstOrThrow()
        const { next_attempt_at: ofCollection } = await db.read
          .selectFrom('collection_webhooks')
          .select('next_attempt_at')
          .where('collection_id', '=', code)
          .executeTakeFirstOrThrow()
        return [own, ofCollection]
      }
      assert.deepEqual(await next('a', NOW - 400), [NOW + 600, NOW + 600])
      assert.deepEqual(await next('b', NOW + YEAR_MS), [NOW, NOW])
    })
  })
}
