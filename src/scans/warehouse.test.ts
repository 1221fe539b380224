import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder, undoLater } from '../../test/support/cleanup.ts'
import { readPage } from './export.ts'
import type { FoldedScan } from './scan.ts'
import { openWarehouse } from './warehouse.ts'

const scan = (at: number, referrer: string): FoldedScan => ({
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
  visitor: null,
  first: true,
})

test('a rollback on a full disk clears the cache of the dictionary: later scans get their own texts', (t) => {
  const warehouse = openWarehouse(join(temporaryFolder(t), 'scans.db'))
  undoLater(t, () => warehouse.close())
  const { db } = warehouse
  const mark = (position: number) => ({ journal: '0.scans', position, lost: 0, isDamaged: false })
  const { page_count: pages } = db.prepare('pragma page_count').get() as { page_count: number }
  db.exec(`pragma max_page_count = ${pages}`)
  const many = Array.from({ length: 1000 }, (_, at) => scan(at, `${at}.example.com`))
  assert.throws(() => warehouse.add(many, mark(1)), /full/)
  db.exec('pragma max_page_count = 1000000')
  warehouse.add([scan(5000, 'first.example.org'), scan(5001, 'second.example.org')], mark(1))
  warehouse.add(many, mark(2))
  const { csv } = readPage(warehouse, 1, { at: 0, n: 0 }, 2000)
  const referrers = csv
    .split('\r\n')
    .slice(0, -1)
    .map((line) => line.split(',')[7])
  assert.deepEqual(referrers, [...many.map(({ referrer }) => referrer), 'first.example.org', 'second.example.org'])
})
