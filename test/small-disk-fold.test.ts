// What the fold takes of a small disk, and how a full one ends by itself.
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { createFullState } from '../src/disk/full-state.ts'
import { createDiskMemory, openDiskMemory } from '../src/disk/memory.ts'
import { openDisk } from '../src/disk/open.ts'
import { openJournalFile } from '../src/scans/journal/journal-file.ts'
import { openRawBound } from '../src/scans/folding/raw-bound.ts'
import { openFold } from '../src/scans/sqlite/fold.ts'
import { openSqliteWarehouse } from '../src/scans/sqlite/warehouse.ts'
import { undoLater } from './support/cleanup.ts'
import { poll } from './support/poll.ts'
import { NOW, scan } from './support/fold-folders.ts'
import { skipUnlessCi } from './support/programs.ts'
import { smallDisk, type SmallDisk } from './support/small-disk.ts'
import { mkdirSync } from 'node:fs'

const MIB = 2 ** 20
const RESERVE = 16 * MIB

function mounted(t: TestContext, bytes: number): Required<SmallDisk> | undefined {
  const disk = smallDisk(t, bytes)
  if (disk?.fillBut !== undefined) return { ...disk, fillBut: disk.fillBut }
  skipUnlessCi(t, 'this user may not mount a file system')
  return undefined
}

function spaceOf(folder: string) {
  const { bavail, blocks, bsize } = statfsSync(folder)
  return { free: bavail * bsize, size: blocks * bsize }
}

function openState(folder: string, clock: { now: number }) {
  const log = { warn: () => {}, error: () => {} }
  const state = createFullState({ dataDir: folder, hasStore: true, monotonic: () => clock.now, log, reserveAfterMs: 0 })
  const reserve = join(folder, 'reserve')
  const restore = async () => {
    await state.restore(spaceOf(folder))
    return { isFull: state.is(), reserve: existsSync(reserve) ? statSync(reserve).size : 0 }
  }
  return { state, restore }
}

test('a disk that has room for its reserve and a little more is full for a minute, and for half of one where a fold has room besides', async (t) => {
  const disk = mounted(t, 256 * MIB)
  if (disk === undefined) return
  const clock = { now: 1000 }
  const { state, restore } = openState(disk.folder, clock)
  assert.deepEqual(await restore(), { isFull: false, reserve: RESERVE })
  state.begin()
  disk.fillBut(RESERVE + 2 * MIB)
  clock.now += 3_600_000
  assert.deepEqual(await restore(), { isFull: true, reserve: 0 }, 'nothing but the reserve has given room')
  for (const [more, ms] of [
    [5, 60_000],
    [7, 30_000],
  ] as const) {
    disk.free()
    assert.deepEqual(await restore(), { isFull: false, reserve: RESERVE }, 'there is room for twice as much')
    state.begin()
    disk.fillBut(RESERVE + more * MIB)
    clock.now += ms - 1
    // So little is left that it is full again, if anything else is written.
    assert.deepEqual(await restore(), { isFull: true, reserve: 0 }, 'it does not come and go')
    clock.now += 1
    assert.deepEqual(await restore(), { isFull: false, reserve: RESERVE })
  }
})

test('a service that starts on a disk with room for its reserve and no second one writes it', async (t) => {
  const disk = mounted(t, 256 * MIB)
  if (disk === undefined) return
  const { restore } = openState(disk.folder, { now: 1 })
  disk.fillBut(RESERVE + 3 * MIB)
  assert.deepEqual(await restore(), { isFull: false, reserve: 0 })
  disk.free()
  disk.fillBut(RESERVE + 5 * MIB)
  assert.deepEqual(await restore(), { isFull: false, reserve: RESERVE })
})

/** A store on a disk, and a file of the journal with a visit of each of many links. */
function openStore(t: TestContext, folder: string, links: number, memory = createDiskMemory()) {
  const [journal, visitors] = [join(folder, 'journal'), join(folder, 'visitors')]
  for (const each of [journal, visitors]) mkdirSync(each)
  const warehouse = openSqliteWarehouse(join(folder, 'scans.db'), undefined, openRawBound({ disk: memory }))
  const writer = openJournalFile(join(journal, '1.scans'), false)
  for (let from = 0; from < links; from += 100)
    writer.append(Array.from({ length: 100 }, (_, at) => scan({ linkId: 1 + from + at, visitor: 64 * (from + at) })))
  writer.close()
  const added: number[] = []
  let onAdd = () => {}
  const add: typeof warehouse.add = (scans, mark) => {
    added.push(scans.length)
    onAdd()
    return warehouse.add(scans, mark)
  }
  const fold = openFold({ ...warehouse, add }, { journal, visitors })
  undoLater(t, async () => (await fold.close(), warehouse.close()))
  return { fold, added, disk: openDiskMemory(memory), journal, onAdd: (call: () => void) => (onAdd = call) }
}

test('a transaction of the fold takes an eighth of the floor of a small disk at most, so that it fills none by itself', async (t) => {
  const disk = mounted(t, 1024 * MIB)
  if (disk === undefined) return
  const { fold, added, onAdd } = openStore(t, disk.folder, 5000)
  const part = (1024 * MIB) / 20 / 8
  const free: number[] = []
  onAdd(() => free.push(spaceOf(disk.folder).free))
  disk.fillBut(48 * MIB)
  const { moved } = await fold.run(['1.scans'], NOW)
  free.push(spaceOf(disk.folder).free)
  assert.equal(moved, 5000)
  const taken = free.slice(1).map((after, at) => (free[at] ?? 0) - after)
  // The journal is read a piece at a time, of 100 here.
  assert.ok(Math.max(...added) <= part / 2 / 16_000 + 100, `${added.join()} links, each with pages of its own`)
  assert.ok(Math.max(...taken) <= part, `${Math.max(...taken)} bytes at once, with ${added.join()} scans`)
})

test('a fold ends before a transaction for which the disk has no room any more, and goes on when it has', async (t) => {
  const disk = mounted(t, 1024 * MIB)
  if (disk === undefined) return
  const { fold, added, disk: state, onAdd } = openStore(t, disk.folder, 5000)
  state.setFoldNeeds(14 * MIB)
  onAdd(() => disk.fillBut(13 * MIB))
  const { moved, failed } = await fold.run(['1.scans'], NOW)
  assert.deepEqual([added.length, moved], [1, added[0]])
  assert.match(failed[0]?.reason ?? '', /too little room for a fold: scans wait/)
  onAdd(() => {})
  disk.free()
  assert.equal((await fold.run([], NOW)).failed.length, 0)
  const rest = await fold.run(['1.scans'], NOW)
  assert.deepEqual([rest.moved, rest.failed], [5000 - moved, []])
})

test('the log of the fold counts as free, and who waits for room goes on as soon as there is some, file by file', async (t) => {
  const disk = mounted(t, 1024 * MIB)
  if (disk === undefined) return
  const { fold, disk: state, journal } = openStore(t, disk.folder, 5000)
  for (const name of ['2.scans', '3.scans']) copyFileSync(join(journal, '1.scans'), join(journal, name))
  const all = ['1.scans', '2.scans', '3.scans']
  state.setFoldNeeds(14 * MIB)
  disk.fillBut(13 * MIB)
  for (let run = 0; run < 5; run++) {
    const { moved, failed } = await fold.run(all, NOW)
    assert.deepEqual([moved, failed.map(({ file }) => file)], [0, ['1.scans']])
  }
  disk.free()
  // Less than a transaction more than the fold needs: without its log, it would not.
  disk.fillBut(22 * MIB)
  const { moved, failed } = await fold.run(all, NOW)
  assert.deepEqual([moved, failed], [15_000, []])
})

test('what waits in the journal is folded while the disk is full and has room for that, before the reserve takes it', async (t) => {
  const disk = mounted(t, 1024 * MIB)
  if (disk === undefined) return
  const clock = { now: 1000 }
  const log = { warn: () => {}, error: () => {} }
  const watched = openDisk({
    dataDir: disk.folder,
    hasStore: true,
    floor: 'auto',
    monotonic: () => clock.now,
    log,
    checkMs: 10,
  })
  const { fold, journal } = openStore(t, disk.folder, 15_000, watched.memory)
  undoLater(t, async () => watched.close())
  disk.fillBut(50 * MIB)
  watched.start()
  watched.release()
  const { moved, failed } = await fold.run(['1.scans'], NOW)
  assert.deepEqual([watched.isFull(), moved, failed], [true, 15_000, []])
  assert.equal(existsSync(join(journal, '1.scans')), false)
  clock.now += 60_000
  await poll(async () => !watched.isFull())
  await poll(async () => !watched.holdsFold())
})

test('where a fold has no room, readiness says what waits, and whether visits are counted', async (t) => {
  const disk = mounted(t, 1024 * MIB)
  if (disk === undefined) return
  disk.fillBut(7 * MIB)
  const needs = { dataDir: disk.folder, hasStore: true, log: { warn: () => {}, error: () => {} }, reserveBytes: 0 }
  const detailOf = (floor: 'auto' | 0) => {
    const watched = openDisk({ ...needs, floor, monotonic: () => 1, checkMs: 1e9 })
    undoLater(t, async () => watched.close())
    watched.start()
    assert.ok(watched.holdsFold())
    return watched.detail() ?? ''
  }
  assert.match(detailOf('auto'), /visits are not counted, and those that were recorded before wait for room$/)
  assert.match(detailOf(0), /visits are recorded, and wait for room to be counted$/)
})
