import assert from 'node:assert/strict'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { sql } from '#kysely'
import { temporaryFolder, undoLater } from '../../../test/support/cleanup.ts'
import type { Database, Executor } from '../database.ts'
import { type Writer, createGroups } from './group-commit.ts'
import { syncData, type Sync } from './writing-session.ts'
import { openSqlite } from './database.ts'
import { isSqliteUnavailable } from './errors.ts'

async function open(t: TestContext) {
  let syncs = 0
  const sync: Sync = (fd) => {
    syncs++
    return syncData(fd)
  }
  const file = join(temporaryFolder(t), 'links.db')
  const db = await openSqlite(file, Date.now, { sync })
  undoLater(t, () => db.close())
  return { db, file, syncs: () => syncs }
}

const insert = (db: Executor, code: string) => db.insertInto('codes').values({ code_key: code }).execute()

const take = (db: Database, code: string) => db.transaction((transaction) => insert(transaction, code))

async function codesOf(db: Database): Promise<string[]> {
  return (await db.read.selectFrom('codes').selectAll().orderBy('code_key').execute()).map((row) => row.code_key)
}

test('changes of one iteration of the event loop are one transaction of SQLite, and one sync', async () => {
  const done: string[] = []
  const writer: Writer = {
    begin: async () => void done.push('begin'),
    tryBegin: () => done.push('begin') > 0,
    exec: (command) => void done.push(command),
    isOpen: () => true,
    isTransaction: () => true,
    takeChanged: () => true,
  }
  const durable = {
    committed: () => {},
    synced: async () => void done.push('sync'),
    isDurable: () => true,
    end: async () => {},
  }
  const groups = createGroups(writer, durable, () => {})
  const change = async () => {
    const { savepoint, release } = await groups.acquire()
    await savepoint(async () => {})
    await release()
  }
  const parts = ['savepoint part', 'release part']
  await Promise.all([change(), change()])
  assert.deepEqual(done, ['begin', ...parts, ...parts, 'commit', 'sync'])
})

test('a change of one statement runs before the call returns, and resolves after the sync that it shares', async (t) => {
  const { db, syncs } = await open(t)
  const add = db.prepareChange((kysely) => kysely.insertInto('codes').values({ code_key: '' }))
  const before = syncs()
  const changes = [add(['a']), add(['b'])]
  const find = db.prepareRead((kysely, key) => kysely.selectFrom('codes').selectAll().where('code_key', '=', key))
  await Promise.race([Promise.all(changes), turn()])
  assert.deepEqual(find('b'), ['b'], 'it is committed')
  assert.equal(syncs() - before, 1)
  assert.deepEqual(await Promise.all(changes), [1, 1])
  assert.equal(syncs() - before, 1)
})

test('a change of one statement waits for the transactions that came first, and for none that fails', async (t) => {
  const { db } = await open(t)
  const add = db.prepareChange((kysely) => kysely.insertInto('codes').values({ code_key: '' }))
  const first = db.transaction(async (transaction) => {
    await insert(transaction, 'a')
    await turn()
    await insert(transaction, 'b')
    throw new Error('changed its mind')
  })
  const results = await Promise.allSettled([first, add(['b']), take(db, 'c'), add(['b']), add(['d'])])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['rejected', 'fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  )
  assert.deepEqual(await codesOf(db), ['b', 'c', 'd'])
})

test('a change of one statement waits for another process that holds the write lock', async (t) => {
  const { db, file } = await open(t)
  const add = db.prepareChange((kysely) => kysely.insertInto('codes').values({ code_key: '' }))
  const other = new DatabaseSync(file)
  undoLater(t, () => other.close())
  other.exec('begin immediate')
  const change = add(['a'])
  await turn()
  assert.deepEqual(await codesOf(db), [])
  other.exec('rollback')
  assert.equal(await change, 1)
})

test('a transaction that fails takes none of its group with it', async (t) => {
  const { db, syncs } = await open(t)
  const before = syncs()
  const fault = new Error('changed its mind')
  const results = await Promise.allSettled([
    take(db, 'a'),
    db.transaction(async (transaction) => {
      await insert(transaction, 'x')
      await insert(transaction, 'y')
      throw fault
    }),
    take(db, 'a'),
    db.write.insertInto('codes').values({ code_key: 'b' }).execute(),
    take(db, 'c'),
  ])
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'rejected', 'fulfilled', 'fulfilled'],
  )
  assert.equal((results[1] as PromiseRejectedResult).reason, fault)
  assert.deepEqual(await codesOf(db), ['a', 'b', 'c'])
  assert.equal(syncs(), before + 1)
})

test('when SQLite rolls a whole group back, all its changes reject, nothing of it is stored, and the next group commits', async (t) => {
  const { db } = await open(t)
  const bound = (pages: number) => sql.raw(`pragma max_page_count = ${pages}`).execute(db.write)
  // The smallest possible bound: the current size.
  await bound(1)
  const long = (code: string) => code.repeat(100_000)
  const results = await Promise.allSettled([
    take(db, 'a'),
    db.transaction(async (transaction) => {
      await insert(transaction, long('x')).catch(() => {})
      await insert(transaction, 'after')
    }),
    take(db, long('y')),
  ])
  for (const each of results) assert.ok(each.status === 'rejected' && isSqliteUnavailable(each.reason), each.status)
  await bound(1_000_000)
  assert.deepEqual(await codesOf(db), [])
  await take(db, 'b')
  assert.deepEqual(await codesOf(db), ['b'])
})

test('a transaction of several iterations of the event loop is atomic, and the next ones wait', async (t) => {
  const { db } = await open(t)
  const order: string[] = []
  await Promise.all([
    db
      .transaction(async (transaction) => {
        await insert(transaction, 'slow')
        for (let count = 0; count < 3; count++) await turn()
        assert.deepEqual(await codesOf(db), [])
        await insert(transaction, 'slower')
      })
      .then(() => order.push('slow')),
    take(db, 'quick').then(() => order.push('quick')),
  ])
  assert.deepEqual(order, ['slow', 'quick'])
  assert.deepEqual(await codesOf(db), ['quick', 'slow', 'slower'])
})

test('a transaction that has ended runs no more statements', async (t) => {
  const { db } = await open(t)
  let kept: Executor | undefined
  await db.transaction(async (transaction) => void (kept = transaction))
  assert.ok(kept !== undefined)
  await assert.rejects(insert(kept, 'late'), /after the end of its transaction/)
  assert.deepEqual(await codesOf(db), [])
})
