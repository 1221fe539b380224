import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import type { Transaction } from '#kysely'
import { undoLater } from '../../../test/support/cleanup.ts'
import { createDatabase } from '../../../test/support/drivers.ts'
import { poll } from '../../../test/support/poll.ts'
import { urlOf } from '../../../test/support/postgres.ts'
import { requireProgram } from '../../../test/support/programs.ts'
import type { Database } from '../../db/database.ts'
import type { Tables } from '../../db/schema.ts'
import { StoreBusy, StoreUnavailable } from '../../db/unavailable.ts'
import { connectPostgres } from './database.ts'
import { runFirst } from './precedence.ts'

/** Two nodes on one database with one row, and two other clients of the database. */
async function openNodes(t: TestContext) {
  const address = await createDatabase()
  const open = () => {
    const db = connectPostgres({ url: urlOf(address), max: 10 })
    undoLater(t, () => db.close())
    return db
  }
  const [node, other] = [open(), open()]
  await node.transaction((transaction) => transaction.insertInto('instance').values({ id: 'one' }).execute())
  const connect = async () => {
    const client = new pg.Client({ ...address, application_name: 'psql' })
    await client.connect()
    undoLater(t, () => client.end())
    return client
  }
  // Within a transaction, PostgreSQL shows what others do as it was at the first look.
  return { node, other, client: await connect(), watching: await connect() }
}

const touch = (transaction: Transaction<Tables>) =>
  transaction.updateTable('instance').set({ id: 'one' }).where('id', '=', 'one').execute()

/** Has the row locked, in a transaction of statement after statement, until it fails or the test ends. */
function holdRow(t: TestContext, db: Database) {
  const held = Promise.withResolvers<void>()
  const end = new AbortController()
  const done = db.transaction(async (transaction) => {
    await touch(transaction)
    held.resolve()
    const next = transaction.selectFrom('instance').select((of) => of.fn('pg_sleep', [of.val(0.02)]).as('slept'))
    while (!end.signal.aborted) await next.execute()
  })
  undoLater(t, () => end.abort())
  return { held: held.promise, done }
}

const waiting = async (client: pg.Client) =>
  (
    await client.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database() and application_name like 'quirl%'`,
    )
  ).rows.length

test('what the operator does comes before a change that has its rows locked, and those that wait for them: these are rolled back', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const { node, other, watching } = await openNodes(t)
  for (const urgency of ['operator', 'suspension'] as const) {
    const change = holdRow(t, other)
    await change.held
    const queued = [node, other].map((each) => each.transaction(touch))
    const settled = Promise.allSettled([change.done, ...queued])
    await poll(async () => (await waiting(watching)) === 2)
    await node.urgent(urgency, touch)
    const ends = await settled
    assert.deepEqual(
      ends.map((end) => (end.status === 'rejected' ? end.reason instanceof StoreBusy : end.status)),
      [true, true, true],
      urgency,
    )
    // The connections of both nodes are as good as before.
    for (const each of [node, other]) await each.transaction(touch)
  }
})

test('what the operator does ends the transaction of a node that stands still, which goes on with other connections', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const { node, other } = await openNodes(t)
  const [begun, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  undoLater(t, () => go.resolve())
  const still = other.transaction(async (transaction) => {
    await touch(transaction)
    begun.resolve()
    await go.promise
    await touch(transaction)
  })
  await begun.promise
  const refused = assert.rejects(still, StoreUnavailable)
  await node.urgent('operator', touch)
  go.resolve()
  await refused
  await other.transaction(touch)
})

test('neither what is urgent by itself is ended for what the operator does, nor another program: that is waited for', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const { node, other, client, watching } = await openNodes(t)
  await client.query('begin')
  await client.query(`update instance set id = id`)
  const [first, second] = [node.urgent('operator', touch), other.urgent('suspension', touch)]
  await poll(async () => (await waiting(watching)) === 2)
  // Longer than until the first looks at who is in the way; whether there is one cannot be seen from here.
  await client.query('select pg_sleep(0.5)')
  await client.query('commit')
  await Promise.all([first, second])
})

test('what the operator does waits for longer than a statement may, until other programs have ended what they have locked', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const address = await createDatabase()
  const db = connectPostgres({ url: urlOf(address), max: 10, times: { connectMs: 3000, statementMs: 200 } })
  undoLater(t, () => db.close())
  await db.transaction((transaction) => transaction.insertInto('instance').values({ id: 'one' }).execute())
  const client = new pg.Client({ ...address, application_name: 'psql' })
  await client.connect()
  undoLater(t, () => client.end())
  await client.query('begin')
  await client.query(`update instance set id = id`)
  let tries = 0
  const done = db.urgent('operator', (transaction) => {
    tries++
    return touch(transaction)
  })
  await poll(() => tries >= 3)
  await client.query('commit')
  await done
  // Other changes have one try.
  await client.query('begin')
  await client.query(`update instance set id = id`)
  await assert.rejects(db.urgent('takedown', touch), StoreBusy)
  await client.query('commit')
})

test('what the operator does begins again when PostgreSQL was late, however long that took to be seen, and tells when it is late again', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const { node } = await openNodes(t)
  /** @param late how many attempts have no answer, for longer than a statement is waited for */
  const attempt = async (late: number) => {
    let [now, tries] = [0, 0]
    const transaction: typeof node.transaction = async (work) => {
      if (++tries > late) return node.transaction(work)
      now += 6000
      throw new StoreUnavailable('PostgreSQL: Query read timeout')
    }
    await runFirst(transaction, node.read, touch, () => now).catch((error: unknown) => {
      if (!(error instanceof StoreUnavailable) || late === 1) throw error
    })
    return tries
  }
  assert.deepEqual([await attempt(1), await attempt(Infinity)], [2, 2])
})
