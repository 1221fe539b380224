import assert from 'node:assert/strict'
import fs, { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { fc, runs } from '../../test/support/fast-check.ts'
import { temporaryFolder, undoLater } from '../../test/support/cleanup.ts'
import { readPage } from './export.ts'
import { openFold, type Fold, type Folders } from './fold.ts'
import { openJournal } from './journal.ts'
import { openJournalFile } from './journal-file.ts'
import type { Scan } from './scan.ts'
import { seedOf } from '../../test/support/random.ts'
import { openWarehouse, type Warehouse } from './warehouse.ts'

const NOW = Date.UTC(2026, 10, 20, 12)

/** A scan that its city tells from all others. */
const scan = (linkId: number, city: string): Scan => ({
  linkId,
  at: NOW,
  source: 'qr',
  device: 'mobile',
  os: 'iOS',
  browser: 'Safari',
  country: 'DE',
  city,
  referrer: 'direct',
  bot: false,
  visitor: null,
})

interface Opened extends Folders {
  warehouse: Warehouse
  fold: Fold
}

function open(t: TestContext, wrap: (warehouse: Warehouse) => Warehouse = (warehouse) => warehouse): Opened {
  const root = temporaryFolder(t)
  const folders = { journal: join(root, 'journal'), visitors: join(root, 'visitors') }
  mkdirSync(folders.journal)
  mkdirSync(folders.visitors)
  const warehouse = openWarehouse(join(root, 'scans.db'))
  // Chunks of a few scans, so that damage stands before, in and behind their borders.
  const fold = openFold(wrap(warehouse), folders, undefined, () => 5)
  undoLater(t, () => {
    fold.close()
    warehouse.close()
  })
  return { ...folders, warehouse, fold }
}

/** Writes a journal file of one line for each batch of cities. */
function write(folder: string, name: string, linkId: number, batches: string[][]): Buffer {
  const writer = openJournalFile(join(folder, name), false)
  for (const cities of batches) writer.append(cities.map((city) => scan(linkId, city)))
  writer.close()
  return readFileSync(join(folder, name))
}

function citiesOf(warehouse: Warehouse, linkId: number): string[] {
  const { csv } = readPage(warehouse, linkId, { at: 0, n: 0 }, 1000)
  return csv
    .split('\r\n')
    .slice(0, -1)
    .map((line) => line.split(',')[6] ?? '')
}

/** Where each line begins, and where the last ends. */
function bordersOf(content: Buffer): number[] {
  const borders = [0]
  for (let end = content.indexOf('\n'); end !== -1; end = content.indexOf('\n', end + 1)) borders.push(end + 1)
  return borders
}

/** What is left of batches when a bit of the file is flipped or its end is cut off, by what was written alone. */
function modelOf(content: Buffer, batches: string[][], position: number, bit: number) {
  const borders = bordersOf(content)
  const hit = borders.findIndex((border) => border > position) - 1
  const isEnd = borders[hit + 1] === position + 1
  if (bit === 8) {
    const damaged = content.subarray(0, position)
    return { damaged, left: batches.slice(0, isEnd ? hit + 1 : hit).flat(), lost: 0, isKept: false }
  }
  const damaged = Buffer.from(content)
  damaged[position] = (damaged[position] ?? 0) ^ (1 << bit)
  const left = isEnd ? batches : batches.toSpliced(hit, 1)
  return { damaged, left: left.flat(), lost: isEnd ? 0 : (batches[hit]?.length ?? 0), isKept: true }
}

test('a bit flipped or an end cut off anywhere costs the scans of its line and no others, which are counted', async (t) => {
  const seed = seedOf(t)
  let dies = false
  const { journal, warehouse, fold } = open(t, (sound) => ({
    ...sound,
    add(...args) {
      sound.add(...args)
      if (!dies) return
      dies = false
      throw new Error('died')
    },
  }))
  let linkId = 0
  const sizes = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 6 })
  // Bit 8 cuts. Every fourth position is one of a line's end, which one in a hundred would be by chance.
  const place = fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), onEnd: fc.nat(3) })
  await fc.assert(
    fc.asyncProperty(sizes, place, fc.integer({ min: 0, max: 8 }), fc.boolean(), async (lines, where, bit, death) => {
      linkId++
      const batches = lines.map((size, line) => Array.from({ length: size }, (_, at) => `${linkId}-${line}-${at}`))
      const name = `${String(linkId).padStart(6, '0')}.scans`
      const content = write(journal, name, linkId, batches)
      const ends = bordersOf(content)
        .slice(1)
        .map((end) => end - 1)
      const byChance = Math.floor(where.at * content.length)
      const position = where.onEnd === 0 ? (ends[Math.floor(where.at * ends.length)] ?? 0) : byChance
      const { damaged, left, lost, isKept } = modelOf(content, batches, position, bit)
      writeFileSync(join(journal, name), damaged)
      write(journal, `${name}-next.scans`, linkId, [['next']])

      const before = warehouse.lost()
      dies = death
      let folded = await fold.run(readdirSync(journal).sort(), NOW).catch(() => undefined)
      const names = readdirSync(journal).filter((each) => each.endsWith('.scans'))
      folded ??= await fold.run(names.sort(), NOW)

      assert.deepEqual(citiesOf(warehouse, linkId).sort(), [...left, 'next'].sort())
      const counted = warehouse.lost() - before
      assert.ok(counted >= Math.min(lost, 1) && Math.abs(counted - lost) <= 1, `${counted} of ${lost} were counted`)
      if (lost === 0) assert.equal(counted, 0)
      assert.deepEqual(folded.failed, [])
      assert.deepEqual(readdirSync(journal), isKept ? [`${name}.damaged`] : [])
      if (!isKept) return
      assert.deepEqual(readFileSync(join(journal, `${name}.damaged`)), damaged)
      fs.unlinkSync(join(journal, `${name}.damaged`))
    }),
    { numRuns: runs(200), seed, endOnFailure: true },
  )
})

test('files that cannot be folded are named and tried again more and more rarely, and all others are folded', async (t) => {
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
  assert.deepEqual(citiesOf(warehouse, 1).sort(), ['a', 'b'])
  assert.deepEqual((await fold.run([], NOW)).failed, [])
  assert.deepEqual(readdirSync(visitors), ['2026-11-20.keys'])
})

test('a large file of nothing but damage lets others have their turn, and is one damaged place', async (t) => {
  const { journal, fold } = open(t)
  const garbage = Buffer.alloc(40 << 20, `${'x'.repeat(1023)}\n`)
  writeFileSync(join(journal, '0.scans'), garbage)
  let turns = 0
  const count = () => void (turns++, (next = setImmediate(count)))
  let next = setImmediate(count)
  const { lost, failed } = await fold.run(['0.scans'], NOW)
  clearImmediate(next)
  assert.deepEqual([lost, failed], [1, []])
  assert.ok(turns >= 2, `others had ${turns} turns`)
})

test('a file that is folded in part and fails keeps its place when its day is over: nothing is folded twice', async (t) => {
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
  assert.deepEqual(citiesOf(warehouse, 1).sort(), ['a', 'b', 'c', 'd', 'e', 'f'])
})

test('damaged keys of a day are begun anew, which is told once, and the scans of the day are folded', async (t) => {
  const { journal, visitors, warehouse, fold } = open(t)
  const keys = '2026-11-20.keys'
  writeFileSync(join(visitors, keys), 'this is no database'.repeat(100))
  const writer = openJournalFile(join(journal, '0.scans'), false)
  writer.append([{ ...scan(1, 'a'), visitor: 7 }])
  writer.close()
  const folded = await fold.run(['0.scans'], NOW)
  assert.deepEqual([folded.moved, folded.damaged, folded.failed], [1, [keys], []])
  assert.deepEqual((await fold.run([], NOW)).damaged, [])
  // What cannot be begun anew does not stop the other days.
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
  assert.deepEqual(citiesOf(warehouse, 1).sort(), ['a', 'c'])
})

test('scans of deleted links are dropped, also where a whole file holds nothing else', async (t) => {
  const { journal, warehouse, fold } = open(t)
  write(journal, '0.scans', 1, [['a']])
  write(journal, '1.scans', 2, [['b']])
  const { moved, changed } = await fold.run(['0.scans', '1.scans'], NOW, [1])
  assert.deepEqual([moved, changed, readdirSync(journal)], [1, [2], []])
  assert.deepEqual([citiesOf(warehouse, 1), citiesOf(warehouse, 2)], [[], ['b']])
})

test('what one answer throws does not keep the others of its tick from being given', async (t) => {
  const thrown: unknown[] = []
  const journal = openJournal({
    folder: join(temporaryFolder(t), 'journal'),
    sync: false,
    now: () => NOW,
    monotonic: () => NOW,
    onFailure: () => assert.fail(),
    onThrow: (error) => thrown.push((error as Error).message),
  })
  const given: number[] = []
  for (const number of [1, 2, 3]) {
    journal.record(scan(1, 'a'), () => {
      if (number === 2) throw new Error('the header is bad')
      given.push(number)
    })
  }
  journal.close()
  assert.deepEqual([given, thrown, journal.status().recorded], [[1, 3], ['the header is bad'], 3])
})

test('where scans survive power loss, the folder that names a new journal file is synced before its first scan', (t) => {
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
