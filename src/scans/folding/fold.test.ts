import assert from 'node:assert/strict'
import { appendFileSync, existsSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/cleanup.ts'
import { openFold } from '../sqlite/fold.ts'
import { openJournalFile, readJournalFile } from '../journal/journal-file.ts'
import { openJournal } from '../journal/journal.ts'
import { openSqliteWarehouse } from '../sqlite/warehouse.ts'
import { NOW, HOUR, makeFolders, scan } from '../../../test/support/fold-folders.ts'

test('the lines before and after a damaged one are read; a truncated last line is not damage', (t) => {
  const file = join(temporaryFolder(t), 'x.scans')
  const writer = openJournalFile(file, true)
  writer.append([scan({ at: 1 }), scan({ at: 2 })])
  writer.append([scan({ at: 3 })])
  writer.close()
  const parts = () => [...readJournalFile(file, 0)]
  const read = () => parts().flatMap((part) => part.scans.map(({ at }) => at))
  const lost = () => parts().map((part) => part.lost)
  assert.deepEqual(read(), [1, 2, 3])
  const [{ end = 0 } = {}] = readJournalFile(file, 0)
  assert.deepEqual(
    [...readJournalFile(file, end)].flatMap((batch) => batch.scans.map(({ at }) => at)),
    [3],
  )
  const intact = readFileSync(file)
  appendFileSync(file, '0123abcd [[1')
  assert.deepEqual([read(), lost(), parts().some((part) => part.isDamaged)], [[1, 2, 3], [0, 0], false])
  appendFileSync(file, ',2],[3,4]]\n')
  appendFileSync(file, intact)
  assert.deepEqual(
    [read(), lost()],
    [
      [1, 2, 3, 1, 2, 3],
      [0, 0, 2, 0, 0],
    ],
  )
  // The checksum of no bytes, and no checksum at all: one damaged stretch.
  writeFileSync(file, Buffer.concat([Buffer.from('00000000\n00000000 \n\n'), intact]))
  assert.deepEqual(
    [read(), lost()],
    [
      [1, 2, 3],
      [1, 0, 0, 0, 0],
    ],
  )
})

test('batches longer than a read block are read whole', (t) => {
  const file = join(temporaryFolder(t), 'x.scans')
  const writer = openJournalFile(file, false)
  const scans = Array.from({ length: 30_000 }, (_, at) => scan({ at, city: `Zürich ${at}` }))
  writer.append(scans)
  writer.append([scan({ at: -1 })])
  writer.close()
  assert.deepEqual(
    [...readJournalFile(file, 0)].flatMap((batch) => batch.scans),
    [...scans, scan({ at: -1 })],
  )
})

test('a journal that cannot be written counts lost scans, calls back all the same, and recovers by itself', async (t) => {
  let now = NOW
  const folder = join(temporaryFolder(t), 'journal')
  const failures: number[] = []
  const onFailure = (_error: unknown, lost: number) => void failures.push(lost)
  const clock = () => now
  const calls = { onFailure, onUncounted: assert.ifError, onThrow: assert.ifError }
  const options = { folder, sync: false, now: clock, monotonic: clock, ...calls }
  const journal = openJournal(options)
  const record = () => new Promise<void>((resolve) => journal.record(scan(), resolve))
  await record()
  assert.equal(journal.rotate().closed.length, 1)
  // Not even root can create a file below a file.
  renameSync(folder, `${folder}.away`)
  writeFileSync(folder, '')
  await Promise.all([record(), record()])
  await record()
  assert.deepEqual(journal.status(), { failing: true, lost: 3, recorded: 1 })
  assert.deepEqual(failures, [2])
  rmSync(folder)
  renameSync(`${folder}.away`, folder)
  now += 1000
  await record()
  assert.deepEqual(journal.status(), { failing: false, lost: 3, recorded: 2 })
  assert.equal(journal.rotate().closed.length, 2)
  journal.close()
})

test('a journal recovers also when the clock is set back', async (t) => {
  const folder = join(temporaryFolder(t), 'journal')
  const clocks = { now: NOW, monotonic: 0 }
  const journal = openJournal({
    folder,
    sync: false,
    now: () => clocks.now,
    monotonic: () => clocks.monotonic,
    onThrow: assert.ifError,
    onUncounted: (error) => assert.fail(String(error)),
    onFailure: () => {},
  })
  const record = () => new Promise<void>((resolve) => journal.record(scan(), resolve))
  renameSync(folder, `${folder}.away`)
  writeFileSync(folder, '')
  await record()
  rmSync(folder)
  renameSync(`${folder}.away`, folder)
  clocks.now -= 3_600_000
  clocks.monotonic += 1000
  await record()
  assert.deepEqual(journal.status(), { failing: false, lost: 1, recorded: 1 })
  journal.close()
})

test('the next fold destroys the keys and salts of past days, also after a week without the service', async (t) => {
  const folders = makeFolders(t)
  const writer = openJournalFile(join(folders.journal, '1.scans'), false)
  writer.append([scan({ at: NOW - 7 * 24 * HOUR }), scan({ at: NOW })])
  writer.close()
  writeFileSync(join(folders.visitors, '2026-11-13.salt'), 'x'.repeat(64))
  const warehouse = openSqliteWarehouse(folders.warehouse)
  const fold = openFold(warehouse, folders)
  await fold.run(['1.scans'], NOW)
  assert.deepEqual(
    readdirSync(folders.visitors).filter((name) => name < '2026-11-20'),
    [],
  )
  assert.ok(existsSync(join(folders.visitors, '2026-11-20.keys')))
  fold.close()
  warehouse.close()
})

test('a fold lists each changed link once, across chunks and files, and none when there are too many', async (t) => {
  const folders = makeFolders(t)
  const write = (name: string, linkIds: number[]) => {
    const writer = openJournalFile(join(folders.journal, name), false)
    for (const linkId of linkIds) writer.append([scan({ linkId })])
    writer.close()
  }
  const warehouse = openSqliteWarehouse(folders.warehouse)
  const fold = openFold(warehouse, folders, undefined, () => 2)
  write('1.scans', [5, 3, 5, 5, 3])
  write('2.scans', [9, 5])
  const none = { onlyCounted: 0, damaged: [], lost: 0, failed: [] }
  assert.deepEqual(await fold.run(['1.scans', '2.scans'], NOW), {
    moved: 7,
    changed: [5, 3, 9],
    ...none,
  })
  assert.deepEqual(await fold.run([], NOW), { moved: 0, changed: [], ...none })
  const many = openJournalFile(join(folders.journal, '3.scans'), false)
  many.append(Array.from({ length: 10_001 }, (_, at) => scan({ linkId: at + 1 })))
  many.close()
  assert.deepEqual(await fold.run(['3.scans'], NOW), { moved: 10_001, changed: undefined, ...none })
  fold.close()
  warehouse.close()
})

test('a journal file that goes on because none can follow it is named as one that cannot be folded yet', async (t) => {
  const folders = makeFolders(t)
  const warehouse = openSqliteWarehouse(folders.warehouse)
  const fold = openFold(warehouse, folders)
  const { failed } = await fold.run([], NOW, [], '1.scans')
  assert.deepEqual(failed, [
    { file: '1.scans', reason: 'it goes on, because the file system has no room for another file' },
  ])
  fold.close()
  warehouse.close()
})
