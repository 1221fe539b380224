import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { sql } from '#kysely'
import pg from 'pg'
import { undoLater } from '../../../test/support/cleanup.ts'
import { createDatabase, createEmptyDatabase } from '../../../test/support/drivers.ts'
import { poll } from '../../../test/support/poll.ts'
import { urlOf } from '../../../test/support/postgres.ts'
import { startProxy } from '../../../test/support/tcp-proxy.ts'
import { requireProgram } from '../../../test/support/programs.ts'
import { StartError } from '../../lib/start-error.ts'
import { migrations } from '../../db/migrate.ts'
import { isStoreUnavailable } from '../../db/open.ts'
import { createLosses } from './losses.ts'
import { openPostgresSession } from './session.ts'
import { connectPostgres, openPostgres } from './database.ts'
import { StoreUnavailable } from '../../db/unavailable.ts'

async function open(t: TestContext, max = 4) {
  const db = connectPostgres({ url: urlOf(await createDatabase()), max })
  undoLater(t, () => db.close())
  return db
}

const instances = (values: string[]) => values.map((id) => ({ id }))

/** Resolves for both callers when both have called. */
function createMeeting(): () => Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let arrived = 0
  return () => {
    if (++arrived === 2) resolve()
    return promise
  }
}

test('processes that start at the same time on an empty database migrate it once', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const url = await createEmptyDatabase(t, 'empty')
  const nodes = await Promise.all([0, 1, 2].map(() => openPostgres({ url, max: 2 }, Date.now)))
  for (const each of nodes) undoLater(t, () => each.close())
  const applied = await nodes[0]?.read.selectFrom('migrations').select('name').orderBy('number').execute()
  assert.deepEqual(
    applied?.map(({ name }) => name),
    migrations.map(({ name }) => name),
  )
})

test('a start waits for the migration of another process, also beyond the time limit of the role', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const { host, user, database } = await createDatabase()
  const other = new pg.Client({ host, user, database })
  await other.connect()
  undoLater(t, () => other.end())
  await other.query(`alter database ${database} set statement_timeout = '50ms'`)
  await other.query('begin')
  await other.query(`select pg_advisory_xact_lock(hashtextextended('quirl migrations', 0))`)
  const opening = openPostgres({ url: urlOf({ host, user, database }), max: 2 }, Date.now)
  await poll(async () => (await other.query('select from pg_locks where not granted')).rows.length > 0)
  await other.query('select pg_sleep(0.2)')
  await other.query('commit')
  await (await opening).close()
})

test('a server that cannot be used is an error for the operator, without the password', async () => {
  for (const url of ['postgres://u:hidden@127.0.0.1:1/x', 'postgres:///x?host=/nonexistent&password=hidden&user=u']) {
    await assert.rejects(openPostgres({ url, max: 2 }, Date.now), (error: unknown) => {
      assert.ok(error instanceof StartError)
      assert.match(error.message, /^the PostgreSQL of DATABASE_URL cannot be used: .+/)
      assert.doesNotMatch(error.message, /hidden/)
      return true
    })
  }
})

test('PostgreSQL as a store', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const db = await open(t)

  await t.test('returns 64-bit integers as numbers', async () => {
    const { rows } = await sql<{ at: number }>`select 1795394416812::bigint as at`.execute(db.read)
    assert.deepEqual(rows, [{ at: 1795394416812 }])
  })

  await t.test('runs both of two transactions that wait for each other', async () => {
    await db.write
      .insertInto('instance')
      .values(instances(['a', 'b']))
      .execute()
    const meet = createMeeting()
    let runs = 0
    const lockBoth = (first: string, second: string) =>
      db.transaction(async (transaction) => {
        runs++
        const touch = (id: string) => transaction.updateTable('instance').set({ id }).where('id', '=', id).execute()
        await touch(first)
        await meet()
        await touch(second)
      })
    await Promise.all([lockBoth('a', 'b'), lockBoth('b', 'a')])
    // One was rolled back at least; on a busy machine its second run can meet the other before that goes on.
    assert.ok(runs >= 3, `${runs} runs`)
  })

  await t.test('locks a name for one transaction at a time, and different names for each', async () => {
    let holders = 0
    const hold = (name: string) =>
      db.transaction(async (transaction) => {
        await db.lock(transaction, name)
        assert.equal(++holders, 1)
        await db.read.selectFrom('instance').select('id').execute()
        holders--
      })
    await Promise.all([hold('one'), hold('one'), hold('one')])
    const meet = createMeeting()
    const both = ['one', 'two'].map((name) =>
      db.transaction(async (transaction) => {
        await db.lock(transaction, name)
        await meet()
      }),
    )
    await Promise.all(both)
  })

  await t.test('is unavailable when a connection is cut, and has another for the next statement', async () => {
    const cut = db.transaction(async (transaction) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction)
      await sql`select pg_terminate_backend(${rows[0]?.pid})`.execute(db.read)
      await transaction
        .insertInto('instance')
        .values(instances(['lost']))
        .execute()
    })
    await assert.rejects(cut, (error) => isStoreUnavailable(error))
    const rows = await db.read.selectFrom('instance').selectAll().where('id', '=', 'lost').execute()
    assert.deepEqual(rows, [])
  })

  await t.test('throws errors of statements as they are', async () => {
    const again = db.write
      .insertInto('instance')
      .values(instances(['a']))
      .execute()
    await assert.rejects(again, (error) => !isStoreUnavailable(error) && /duplicate key/.test(String(error)))
  })

  await t.test('gives up a long statement when another connection finds that the network is cut', async (t) => {
    const address = await createDatabase()
    const proxy = await startProxy(t, join(address.host, '.s.PGSQL.5432'))
    const url = `postgres://${address.user}@127.0.0.1:${proxy.port}/${address.database}`
    const losses = createLosses(100)
    const sessionOf = (statementMs: number) =>
      openPostgresSession({ url, max: 1, times: { connectMs: 3000, statementMs }, losses })
    const [short, long] = [sessionOf(200), sessionOf(60_000)]
    for (const each of [short, long]) undoLater(t, () => each.close())
    await short.query('select 1')
    const sleeping = long.query('select pg_sleep(60)')
    const rejected = assert.rejects(
      sleeping,
      (error) => isStoreUnavailable(error) && /no answer since/.test(String(error)),
    )
    await poll(async () => {
      const active = `select from pg_stat_activity where query = 'select pg_sleep(60)'`
      return (await short.query(active)).length > 0
    })
    proxy.cut()
    await assert.rejects(short.query('select 1'), (error) => isStoreUnavailable(error))
    await rejected
    proxy.restore()
    assert.deepEqual(await long.query('select 1 as one'), [{ one: 1 }])
  })

  await t.test('is unavailable when all connections are in use for seconds', async (t) => {
    const small = await open(t, 1)
    await small.transaction(async () => {
      await assert.rejects(small.read.selectFrom('instance').selectAll().execute(), StoreUnavailable)
    })
    assert.equal((await small.read.selectFrom('instance').selectAll().execute()).length, 1)
  })
})
