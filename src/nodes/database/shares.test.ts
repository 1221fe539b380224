import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import pg from 'pg'
import { undoLater } from '../../../test/support/cleanup.ts'
import { createDatabase } from '../../../test/support/drivers.ts'
import { poll } from '../../../test/support/poll.ts'
import { urlOf } from '../../../test/support/postgres.ts'
import { requireProgram } from '../../../test/support/programs.ts'
import type { Database } from '../../db/database.ts'
import { StoreBusy } from '../../db/unavailable.ts'
import { asHolder } from '../../lib/holder.ts'
import { serveNetwork } from '../../lib/served-network.ts'
import { connectPostgres } from './database.ts'

const MAX = 10
/** Of ten connections two are for visits; of the others a network has half. */
const SHARE = 4

/** A store, and another client of its database, who has one row locked. */
async function openLocked(t: TestContext) {
  const address = await createDatabase()
  const db = connectPostgres({ url: urlOf(address), max: MAX })
  undoLater(t, () => db.close())
  await insert(db, 'locked')
  const connect = async () => {
    const client = new pg.Client(address)
    await client.connect()
    undoLater(t, () => client.end())
    return client
  }
  const [client, watching] = [await connect(), await connect()]
  await client.query('begin')
  await client.query(`update instance set id = id where id = 'locked'`)
  const waiting = async () => {
    const { rows } = await watching.query(
      `select from pg_stat_activity where wait_event_type = 'Lock' and datname = current_database()`,
    )
    return rows.length
  }
  return { db, waiting, unlock: () => client.query('rollback') }
}

const insert = (db: Database, id: string) =>
  db.transaction((transaction) => transaction.insertInto('instance').values({ id }).execute())

const touchLocked = (db: Database) =>
  db.transaction((transaction) =>
    transaction.updateTable('instance').set({ id: 'locked' }).where('id', '=', 'locked').execute(),
  )

test('changes of one network that wait for each other keep no other network out, no visit and no health check', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const { db, waiting, unlock } = await openLocked(t)
  const changes = serveNetwork(asHolder('10.0.0.1'), () => Array.from({ length: 30 }, () => touchLocked(db)))
  const settled = Promise.allSettled(changes)
  await poll(async () => (await waiting()) === SHARE)
  for (const [at, address] of ['10.0.1.1', '10.0.2.1', '10.0.3.1'].entries())
    await serveNetwork(asHolder(address), async () => {
      await insert(db, `other ${at}`)
      assert.equal(
        (await db.read.selectFrom('instance').selectAll().where('id', '=', `other ${at}`).execute()).length,
        1,
      )
    })
  // What no request has caused.
  await insert(db, 'own')
  const lookUp = db.prepareRead((kysely, key) =>
    kysely.selectFrom('codes').select('code_key').where('code_key', '=', key),
  )
  assert.equal(await lookUp('unknown'), undefined)
  await db.check()
  assert.equal(await db.leases.take('lease', 'holder', 1000), true)
  assert.equal(await waiting(), SHARE)
  await unlock()
  for (const each of await settled)
    if (each.status === 'rejected') assert.ok(each.reason instanceof StoreBusy, String(each.reason))
})

test('who has a connection gets a second one at once, so that no two wait for each other', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const db = connectPostgres({ url: urlOf(await createDatabase()), max: MAX })
  undoLater(t, () => db.close())
  await serveNetwork(asHolder('10.0.0.1'), () =>
    Promise.all(
      Array.from({ length: 3 * SHARE }, () =>
        db.transaction(async (transaction) => {
          await transaction.selectFrom('instance').selectAll().execute()
          await db.read.selectFrom('instance').selectAll().execute()
        }),
      ),
    ),
  )
})
