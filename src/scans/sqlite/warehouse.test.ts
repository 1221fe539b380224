import assert from 'node:assert/strict'
import { join } from 'node:path'
import { once } from 'node:events'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { temporaryFolder, undoLater } from '../../../test/support/cleanup.ts'
import type { FoldedScan } from '../scan.ts'
import { findInconsistentLinks } from '../consistency.ts'
import { createStatisticsCalls } from '../statistics/calls.ts'
import { openRowQueries } from './row-queries.ts'
import { openSqliteWarehouse } from './warehouse.ts'
import { noValues } from '../../../test/support/no-values.ts'

const scan = (at: number, referrer: string): FoldedScan => ({
  ...noValues,
  linkId: 1,
  at,
  source: 'link',
  device: null,
  os: null,
  browser: null,
  country: null,
  city: null,
  referrer,
  bot: false,
  answer: null,
  visitor: null,
  first: true,
})

const mark = (position: number) => ({ journal: '0.scans', position, lost: 0, isDamaged: false })

test('opening waits for a program that has the file locked for a moment, and what comes later does not', async (t) => {
  const file = join(temporaryFolder(t), 'scans.db')
  openSqliteWarehouse(file).close()
  const code = `
    const { DatabaseSync } = require('node:sqlite')
    const { parentPort, workerData } = require('node:worker_threads')
    const db = new DatabaseSync(workerData)
    db.exec('pragma locking_mode = exclusive; begin exclusive')
    parentPort.postMessage('locked')
    setTimeout(() => db.close(), 200)`
  const locking = new Worker(code, { eval: true, workerData: file })
  await once(locking, 'message')
  const warehouse = openSqliteWarehouse(file)
  undoLater(t, () => warehouse.close())
  assert.deepEqual({ ...warehouse.db.prepare('pragma busy_timeout').get() }, { timeout: 0 })
})

test('a rollback on a full disk clears the cache of the dictionary: later scans get their own texts', async (t) => {
  const warehouse = openSqliteWarehouse(join(temporaryFolder(t), 'scans.db'))
  undoLater(t, () => warehouse.close())
  const { db } = warehouse
  const { page_count: pages } = db.prepare('pragma page_count').get() as { page_count: number }
  db.exec(`pragma max_page_count = ${pages}`)
  const many = Array.from({ length: 900 }, (_, at) => scan(at, `${at}.example.com`))
  assert.throws(() => warehouse.add(many, mark(1)), /full/)
  db.exec('pragma max_page_count = 1000000')
  warehouse.add([scan(5000, 'first.example.org'), scan(5001, 'second.example.org')], mark(1))
  warehouse.add(many, mark(2))
  const { text: csv } = await createStatisticsCalls(openRowQueries(warehouse)).exportPage(
    { name: 'scans', linkId: 1 },
    [],
    2000,
  )
  const referrers = csv
    .split('\r\n')
    .slice(0, -1)
    .map((line) => line.split(',')[7])
  assert.deepEqual(referrers, [...many.map(({ referrer }) => referrer), 'first.example.org', 'second.example.org'])
})

test('scans of a version without rules have been answered by their links', async (t) => {
  const file = join(temporaryFolder(t), 'scans.db')
  const warehouse = openSqliteWarehouse(file)
  warehouse.add([scan(1, 'a.example.com'), scan(2, 'a.example.com')], mark(1))
  warehouse.db.exec(
    'alter table scans drop column answer; alter table scans drop column placement; alter table totals drop column people_again; drop table raw_missing; drop table imported; drop table unused; pragma user_version = 4',
  )
  warehouse.close()

  const migrated = openSqliteWarehouse(file)
  undoLater(t, () => migrated.close())
  migrated.add([{ ...scan(3, 'a.example.com'), answer: 2 }], mark(2))
  const reading = createStatisticsCalls(openRowQueries(migrated))
  const { text: csv } = await reading.exportPage({ name: 'scans', linkId: 1 }, [], 10)
  const answers = csv.trim().split('\r\n')
  assert.deepEqual(
    answers.map((line) => line.split(',').at(-2)),
    ['link', 'link', '2'],
  )
  // Of a whole day, of whose scans the rollups count the answers, and of the edges of a window, which raw scans count.
  for (const timeZone of ['UTC', 'Asia/Kolkata']) {
    const { breakdowns } = await reading.stats(1, { days: 1, timeZone, audience: 'all' }, 3)
    assert.deepEqual(breakdowns.answer, [
      { value: 'link', scans: 2, unique_visitors: 2 },
      { value: '2', scans: 1, unique_visitors: 1 },
    ])
  }
  assert.deepEqual([...findInconsistentLinks(migrated.db)], [])
})
