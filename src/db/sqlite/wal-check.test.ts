import assert from 'node:assert/strict'
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { temporaryFolder, undoLater } from '../../../test/support/cleanup.ts'
import { seedOf } from '../../../test/support/random.ts'
import { countUnreadTransactions } from './wal-check.ts'

const TRANSACTIONS = 12

test('a bit flipped anywhere in a log that is in use is reported, unless SQLite still reads every transaction', (t) => {
  const seed = seedOf(t)
  const folder = temporaryFolder(t)
  const file = join(folder, 'a.db')
  const db = new DatabaseSync(file)
  undoLater(t, () => db.close())
  db.exec('pragma journal_mode = wal; pragma wal_autocheckpoint = 0; create table texts (text)')
  const insert = (text: string) => db.prepare('insert into texts values (?)').run(text.repeat(500))
  for (let at = 0; at < 20; at++) insert('before')
  // From here on the log restarts: frames behind its new end are obsolete.
  db.exec('pragma wal_checkpoint(restart)')
  for (let at = 0; at < TRANSACTIONS; at++) insert(`row ${at}`)
  const log = readFileSync(`${file}-wal`)
  const frames = [...log.keys()].filter((at) => at % (4096 + 24) === 32)
  const used = frames.findLast((at) => log.subarray(at + 8, at + 16).equals(log.subarray(16, 24))) ?? 0
  assert.ok(used < (frames.at(-1) ?? 0))
  const copy = join(folder, 'copy.db')
  const place = (bytes: Buffer) => {
    copyFileSync(file, copy)
    writeFileSync(`${copy}-wal`, bytes)
    writeFileSync(`${copy}-shm`, '')
  }
  place(log)
  assert.equal(countUnreadTransactions(copy), 0)
  fc.assert(
    fc.property(fc.nat(used + 24 + 4096 - 1), fc.nat(7), (at, bit) => {
      const damaged = Buffer.from(log)
      damaged[at] = (damaged[at] ?? 0) ^ (1 << bit)
      place(damaged)
      const reported = countUnreadTransactions(copy)
      const opened = new DatabaseSync(copy)
      const { rows } = opened.prepare("select count(*) as rows from texts where text like 'row%'").get() as {
        rows: number
      }
      opened.close()
      // A field of a frame says whether it ends a transaction, and the flip may have changed it.
      const isEndField = at >= 32 && [4, 5, 6, 7].includes((at - 32) % (4096 + 24))
      if (!isEndField)
        assert.equal(reported > 0, rows < TRANSACTIONS, `${rows} rows, ${reported} transactions reported`)
      if (at >= 32)
        assert.ok(
          Math.abs(rows + reported - TRANSACTIONS) <= (isEndField ? 1 : 0),
          `${rows} rows, ${reported} reported`,
        )
    }),
    { seed, numRuns: 200 },
  )
})

test('a truncated log is not reported, because its last transaction was never acknowledged', (t) => {
  const file = join(temporaryFolder(t), 'a.db')
  const db = new DatabaseSync(file)
  undoLater(t, () => db.close())
  db.exec('pragma journal_mode = wal; create table texts (text); insert into texts values (zeroblob(20000))')
  const log = readFileSync(`${file}-wal`)
  const copy = `${file}.copy`
  for (let length = 0; length <= log.length; length += 500) {
    writeFileSync(`${copy}-wal`, log.subarray(0, length))
    assert.equal(countUnreadTransactions(copy), 0)
  }
})
