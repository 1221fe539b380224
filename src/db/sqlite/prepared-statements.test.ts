import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder, undoLater } from '../../../test/support/cleanup.ts'
import { poll } from '../../../test/support/poll.ts'
import { createPrepareRead } from './prepared-statements.ts'
import type { Database } from '../database.ts'
import type { ReadingSession } from './reading-session.ts'
import { syncData, type Sync } from './writing-session.ts'
import { createKysely } from './dialect.ts'
import { isSqliteUnavailable } from './errors.ts'
import { openSqlite } from './database.ts'

const lookUpCodes = ({ prepareRead }: Pick<Database, 'prepareRead'>) =>
  prepareRead<[code: string]>((db, key) => db.selectFrom('codes').select('code_key').where('code_key', '=', key))

const take = (db: Database, codes: string[]) =>
  db.write
    .insertInto('codes')
    .values(codes.map((code) => ({ code_key: code })))
    .execute()

/** A Kysely on a connection that answers `rows`. */
const kyselyOf = (rows: object[]) =>
  createKysely({
    acquire: async () => ({
      executeQuery: async () => ({ rows: rows as never[] }),
      streamQuery: () => assert.fail('nothing is streamed'),
    }),
    release: async () => {},
  })

test('a look-up is prepared once for each opening of the store, and waits for a busy file', async () => {
  let prepared = 0
  const sessionOf = (answer: () => unknown[]) =>
    ({ lookups: { prepare: () => (prepared++, answer), endTransaction: () => {} } }) as unknown as ReadingSession
  let session = sessionOf(() => ['first'])
  const lookUp = lookUpCodes({
    prepareRead: createPrepareRead({ current: () => session }, kyselyOf([{ code: 'later' }])),
  })
  assert.equal(prepared, 0)
  for (let again = 0; again < 3; again++) assert.deepEqual(lookUp('key'), ['first'])
  assert.equal(prepared, 1)
  session = sessionOf(() => ['second'])
  for (let again = 0; again < 3; again++) assert.deepEqual(lookUp('key'), ['second'])
  assert.equal(prepared, 2)
  session = sessionOf(() => {
    throw Object.assign(new Error('database is locked'), { errcode: 5 })
  })
  const answer = lookUp('key')
  assert.ok(answer instanceof Promise)
  assert.deepEqual(await answer, ['later'])
})

test('a look-up sees each acknowledged change, and throws once the store is closed', async (t) => {
  const db = await openSqlite(join(temporaryFolder(t), 'links.db'), Date.now)
  const lookUp = lookUpCodes(db)
  for (let at = 0; at < 20; at++) {
    assert.equal(lookUp(`code-${at}`), undefined)
    await take(db, [`code-${at}`])
    assert.deepEqual(lookUp(`code-${at}`), [`code-${at}`])
  }
  await db.close()
  assert.throws(() => lookUp('code-1'), isSqliteUnavailable)
})

test('a look-up goes on while a log that failed is opened again, and reads that may have seen what is not durable wait for that', async (t) => {
  let failing = false
  let reopened = 0
  const sync: Sync = (fd) => (failing ? Promise.reject(new Error('EIO: i/o error, fdatasync')) : syncData(fd))
  const onReopened = () => void reopened++
  const db = await openSqlite(join(temporaryFolder(t), 'links.db'), Date.now, { sync, onReopened })
  undoLater(t, () => db.close())
  const lookUp = lookUpCodes(db)
  await take(db, ['kept'])
  assert.deepEqual(lookUp('kept'), ['kept'])
  failing = true
  await assert.rejects(take(db, ['lost']), isSqliteUnavailable)
  assert.deepEqual(lookUp('kept'), ['kept'])
  await assert.rejects(db.read.selectFrom('codes').selectAll().execute(), isSqliteUnavailable)
  await assert.rejects(db.check(), isSqliteUnavailable)
  failing = false
  await poll(async () => reopened === 1)
  assert.equal((await db.read.selectFrom('codes').selectAll().execute()).length, 2)
  await take(db, ['new'])
  assert.deepEqual(lookUp('new'), ['new'])
})

test('look-ups in every turn do not keep the log from being written back', async (t) => {
  const file = join(temporaryFolder(t), 'links.db')
  const db = await openSqlite(file, Date.now)
  undoLater(t, () => db.close())
  const lookUp = lookUpCodes(db)
  const sizes: number[] = []
  for (let at = 0; at < 40; at++) {
    const taken = take(
      db,
      Array.from({ length: 300 }, (_, of) => `code-${at}-${of}`),
    )
    const state = { busy: true }
    void taken.finally(() => (state.busy = false))
    while (state.busy) {
      lookUp('code')
      await new Promise((resolve) => setImmediate(resolve))
    }
    sizes.push(statSync(`${file}-wal`).size)
  }
  assert.ok(Number(sizes.at(-1)) <= 2 * Math.max(...sizes.slice(0, 10)), sizes.join(' '))
})
