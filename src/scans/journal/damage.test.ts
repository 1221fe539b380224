import assert from 'node:assert/strict'
import fs, { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from '../../../test/support/cleanup.ts'
import { openJournal } from './journal.ts'
import { openJournalFile } from './journal-file.ts'
import { NOW, scan, open, write, citiesOf } from '../../../test/support/fold-damaged.ts'

test('files that cannot be folded are listed and retried with backoff, and all others are folded', async (t) => {
  const { journal, visitors, warehouse, fold } = open(t)
  mkdirSync(join(journal, '0.scans'))
  writeFileSync(join(journal, '1.scans'), '00000000\n')
  write(journal, '2.scans', 1, [['a']])
  const folded = await fold.run(['0.scans', '1.scans', '2.scans'], NOW)
  assert.deepEqual(
    folded.failed.map(({ file }) => file),
    ['0.scans'],
  )
  assert.deepEqual([folded.moved, folded.damaged, folded.lost], [1, ['1.scans'], 1])
  assert.deepEqual(readdirSync(journal).sort(), ['0.scans', '1.scans.damaged'])
  fs.rmdirSync(join(journal, '0.scans'))
  write(journal, '0.scans', 1, [['b']])
  let passes = 0
  while (existsSync(join(journal, '0.scans'))) {
    assert.ok(passes++ < 3)
    await fold.run(['0.scans'], NOW)
  }
  assert.deepEqual((await citiesOf(warehouse, 1)).sort(), ['a', 'b'])
  assert.deepEqual((await fold.run([], NOW)).failed, [])
  assert.deepEqual(readdirSync(visitors), ['2026-11-20.keys'])
})

test('a large file of nothing but damage yields to other work, and counts as one damaged stretch', async (t) => {
  const { journal, fold } = open(t)
  const garbage = Buffer.alloc(40 << 20, `${'x'.repeat(1023)}\n`)
  writeFileSync(join(journal, '0.scans'), garbage)
  let turns = 0
  const count = () => void (turns++, (next = setImmediate(count)))
  let next = setImmediate(count)
  const { lost, failed } = await fold.run(['0.scans'], NOW)
  clearImmediate(next)
  assert.deepEqual([lost, failed], [1, []])
  assert.ok(turns >= 2, `the event loop had ${turns} turns`)
})

const SECTOR = 512
const PAGE = 4096

test('zeroed sectors are counted by the lines that they have taken, wherever they are', async (t) => {
  const { journal, warehouse, fold } = open(t)
  const content = write(
    journal,
    '0.scans',
    1,
    Array.from({ length: 300 }, (_, at) => [String(at).padStart(3, '0')]),
  )
  const starts = [0]
  for (let end = content.indexOf('\n'); end !== -1; end = content.indexOf('\n', end + 1)) starts.push(end + 1)
  const lineBytes = starts[1] ?? 0
  assert.ok(
    starts.every((start, at) => start === at * lineBytes),
    'all lines have the same length',
  )

  for (const [bytes, from] of [
    [SECTOR, 0],
    [SECTOR, 7 * SECTOR],
    [PAGE, 0],
    [PAGE, 2 * PAGE],
    [2 * PAGE, PAGE],
    // The end of the file, which has no line end then.
    [content.length % PAGE, content.length - (content.length % PAGE)],
  ] as const) {
    const damaged = Buffer.from(content).fill(0, from, from + bytes)
    const name = `${from}-${bytes}.scans`
    writeFileSync(join(journal, name), damaged)
    const hit = starts.filter(
      (start) => start < from + bytes && start + lineBytes > from && start < content.length,
    ).length
    const before = warehouse.lost()
    const { damaged: files, moved } = await fold.run([name], NOW)
    assert.deepEqual([moved, warehouse.lost() - before, files], [300 - hit, hit, [name]], `${bytes} at ${from}`)
  }

  // Nothing is left by which they could be measured.
  writeFileSync(join(journal, 'zeros.scans'), Buffer.alloc(PAGE))
  const before = warehouse.lost()
  await fold.run(['zeros.scans'], NOW)
  const lost = warehouse.lost() - before
  assert.ok(lost > 20 && lost < 100, String(lost))
})

test('a partly folded file that fails keeps its mark when its day is over: nothing is folded twice', async (t) => {
  let fails = true
  const { journal, warehouse, fold } = open(t)
  write(journal, '0.scans', 1, [['a', 'b', 'c', 'd', 'e'], ['f']])
  const { unlinkSync } = fs
  t.mock.method(fs, 'unlinkSync', (file: string) => {
    if (fails && file.endsWith('.scans')) throw new Error('read-only')
    unlinkSync(file)
  })
  syncBuiltinESMExports()
  try {
    assert.equal((await fold.run(['0.scans'], NOW)).failed.length, 1)
    await fold.run(['0.scans'], NOW + 24 * 3_600_000)
    fails = false
    for (let run = 0; run < 3; run++) await fold.run(existsSync(join(journal, '0.scans')) ? ['0.scans'] : [], NOW)
  } finally {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  }
  assert.deepEqual(readdirSync(journal), [])
  assert.deepEqual((await citiesOf(warehouse, 1)).sort(), ['a', 'b', 'c', 'd', 'e', 'f'])
})

test('a damaged file of keys is recreated and reported once, and the scans of its day are folded', async (t) => {
  const { journal, visitors, warehouse, fold } = open(t)
  const keys = '2026-11-20.keys'
  writeFileSync(join(visitors, keys), 'this is no database'.repeat(100))
  const writer = openJournalFile(join(journal, '0.scans'), false)
  writer.append([{ ...scan(1, 'a'), visitor: 7 }])
  writer.close()
  const folded = await fold.run(['0.scans'], NOW)
  assert.deepEqual([folded.moved, folded.damaged, folded.failed], [1, [keys], []])
  assert.deepEqual((await fold.run([], NOW)).damaged, [])
  // A file that cannot be recreated does not stop the other days.
  fold.close()
  fs.rmSync(join(visitors, keys))
  mkdirSync(join(visitors, keys))
  write(journal, '1.scans', 1, [['b']])
  const yesterday = openJournalFile(join(journal, '2.scans'), false)
  yesterday.append([{ ...scan(1, 'c'), at: NOW - 24 * 3_600_000 }])
  yesterday.close()
  const { failed } = await fold.run(['1.scans', '2.scans'], NOW)
  assert.deepEqual(
    failed.map(({ file }) => file),
    ['1.scans'],
  )
  assert.deepEqual((await citiesOf(warehouse, 1)).sort(), ['a', 'c'])
})

test('scans of deleted links are dropped, also when a file has no others', async (t) => {
  const { journal, warehouse, fold } = open(t)
  write(journal, '0.scans', 1, [['a']])
  write(journal, '1.scans', 2, [['b']])
  const { moved, changed } = await fold.run(['0.scans', '1.scans'], NOW, [1])
  assert.deepEqual([moved, changed, readdirSync(journal)], [1, [2], []])
  assert.deepEqual([await citiesOf(warehouse, 1), await citiesOf(warehouse, 2)], [[], ['b']])
})

test('a callback that throws does not stop the other callbacks of its turn', async (t) => {
  const thrown: unknown[] = []
  const journal = openJournal({
    folder: join(temporaryFolder(t), 'journal'),
    sync: false,
    now: () => NOW,
    monotonic: () => NOW,
    onUncounted: (error) => assert.fail(String(error)),
    onFailure: () => assert.fail(),
    onThrow: (error) => thrown.push((error as Error).message),
  })
  const called: number[] = []
  for (const number of [1, 2, 3]) {
    journal.record(scan(1, 'a'), () => {
      if (number === 2) throw new Error('the header is bad')
      called.push(number)
    })
  }
  journal.close()
  assert.deepEqual([called, thrown, journal.status().recorded], [[1, 3], ['the header is bad'], 3])
})

test('when scans must survive power loss, the folder of a new journal file is synced before the first scan', (t) => {
  const folder = temporaryFolder(t)
  const synced: string[] = []
  const { fsyncSync, fdatasyncSync } = fs
  t.mock.method(fs, 'fsyncSync', (descriptor: number) => {
    synced.push(fs.fstatSync(descriptor).isDirectory() ? 'folder' : 'file')
    fsyncSync(descriptor)
  })
  t.mock.method(fs, 'fdatasyncSync', (descriptor: number) => {
    synced.push('scans')
    fdatasyncSync(descriptor)
  })
  syncBuiltinESMExports()
  try {
    for (const sync of [true, false]) {
      const writer = openJournalFile(join(folder, `${sync}.scans`), sync)
      writer.append([scan(1, 'a')])
      writer.append([scan(1, 'b')])
      writer.close()
    }
  } finally {
    t.mock.restoreAll()
    syncBuiltinESMExports()
  }
  assert.deepEqual(synced, ['folder', 'scans', 'scans'])
})
