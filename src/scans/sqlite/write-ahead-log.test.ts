import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { undoLater } from '../../../test/support/cleanup.ts'
import { HOUR, makeFolders, NOW, scan } from '../../../test/support/fold-folders.ts'
import { openJournalFile } from '../journal/journal-file.ts'
import { openFold, type Folders } from './fold.ts'
import { createLongReading } from './long-reading.ts'
import { prune, purgeLinks } from './purge.ts'
import { openSqliteWarehouse, type SqliteWarehouse } from './warehouse.ts'
import { openWriteAheadLog } from './write-ahead-log.ts'

const MIB = 2 ** 20
/** What the log has when it is to be written back. */
const LONG = 65
/** A day that began at noon, UTC: the scans of its first hours, and of those before it, are counted one by one. */
const query = { days: 2, timeZone: 'Pacific/Auckland', audience: 'all' } as const

const sizeOf = (file: string) => statSync(`${file}-wal`).size

function fill({ db }: Pick<SqliteWarehouse, 'db'>): void {
  db.exec(`create table if not exists filler (x)`)
  for (let mib = 0; mib < LONG; mib++) db.exec(`insert into filler values (zeroblob(${MIB}))`)
}

async function foldOne(warehouse: SqliteWarehouse, folders: Folders, journals: string[]): Promise<void> {
  for (const name of journals) {
    const writer = openJournalFile(join(folders.journal, name), false)
    writer.append([scan({ at: NOW })])
    writer.close()
  }
  const fold = openFold(warehouse, folders)
  await fold.run(journals, NOW)
  await fold.close()
}

const works: Record<string, (warehouse: SqliteWarehouse, folders: Folders) => Promise<unknown>> = {
  'scans are folded': (warehouse, folders) => foldOne(warehouse, folders, ['1.scans']),
  'nothing can be folded': (warehouse, folders) => foldOne(warehouse, folders, []),
  'a link is deleted': (warehouse) => purgeLinks(warehouse, [2]),
  'old scans are removed': (warehouse) => prune(warehouse, NOW - 1000 * HOUR),
}

for (const [name, work] of Object.entries(works)) {
  test(`a log that is long is written back although statistics read it, which end before: when ${name}`, async (t) => {
    const folders = makeFolders(t)
    const warehouse = openSqliteWarehouse(folders.warehouse)
    const long = createLongReading(folders.warehouse, warehouse.log)
    undoLater(t, () => (long.close(), warehouse.close()))
    const scans = Array.from({ length: 25_000 }, (_, at) => ({
      ...scan({ at: NOW - 60 * HOUR + 8000 * at }),
      first: false,
    }))
    warehouse.add(scans, { journal: 'x', position: 1, lost: 0, isDamaged: false })
    warehouse.add([{ ...scan({ linkId: 2 }), first: false }], { journal: 'x', position: 2, lost: 0, isDamaged: false })
    const pending = long.stats(1, query, NOW)
    await turn()
    fill(warehouse)
    assert.ok(sizeOf(folders.warehouse) > LONG * MIB)
    await work(warehouse, folders)
    assert.ok(sizeOf(folders.warehouse) < MIB, `${sizeOf(folders.warehouse)} bytes`)
    assert.ok((await pending).totals.scans > 0)
  })
}

test('a log that has more than a quarter of what is free on the disk is written back', async (t) => {
  const { warehouse: file } = makeFolders(t)
  const warehouse = openSqliteWarehouse(file)
  undoLater(t, () => warehouse.close())
  warehouse.add([{ ...scan(), first: false }], { journal: 'x', position: 1, lost: 0, isDamaged: false })
  const size = sizeOf(file)
  const shortenWith = (free: number) => openWriteAheadLog(warehouse.db, file, { free: () => free }).shorten()
  await shortenWith(4 * size)
  assert.equal(sizeOf(file), size)
  await shortenWith(4 * size - 1)
  assert.equal(sizeOf(file), 0)
})

test('who reads a long log for so long that the wait has an end gives way, and nobody who reads a short one', async (t) => {
  const { warehouse: file } = makeFolders(t)
  const warehouse = openSqliteWarehouse(file)
  undoLater(t, () => warehouse.close())
  warehouse.add([{ ...scan(), first: false }], { journal: 'x', position: 1, lost: 0, isDamaged: false })
  const shortenBeside = async (mostBytes: number) => {
    const log = openWriteAheadLog(warehouse.db, file, { mostBytes, patienceMs: 1 })
    const end = Promise.withResolvers<string>()
    const read = log.reading(
      () => end.promise,
      () => end.resolve('gave way'),
    )
    await log.shorten()
    end.resolve('ended by itself')
    return read
  }
  assert.equal(await shortenBeside(sizeOf(file)), 'ended by itself')
  assert.equal(await shortenBeside(sizeOf(file) - 1), 'gave way')
  assert.equal(sizeOf(file), 0)
})
