// What a disk holds for when it is full, while it is being written.
import assert from 'node:assert/strict'
import { statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createFullState } from '../src/disk/full-state.ts'
import { openDisk } from '../src/disk/open.ts'
import { temporaryFolder, undoLater } from './support/cleanup.ts'
import { valueOf } from './support/metrics.ts'
import { poll } from './support/poll.ts'
import { skipUnlessCi } from './support/programs.ts'
import { start } from './support/program.ts'
import { post, startServer } from './support/server.ts'
import { smallDisk } from './support/small-disk.ts'

const MIB = 2 ** 20

test('a reserve whose writing was interrupted holds what it should after the next start, and not twice as much', async (t) => {
  const dataDir = temporaryFolder(t)
  writeFileSync(join(dataDir, 'reserve'), Buffer.alloc(1.5 * MIB))
  const disk = { checkMs: 100, reserveAfterMs: 0, reserveBytes: MIB }
  const { services } = await startServer(t, { DATA_DIR: dataDir }, undefined, { disk })
  await poll(() => valueOf(services.metrics, 'quirl_disk_reserve_bytes') === MIB)
})

test('a disk that becomes full while its reserve is being written has the room of that at once, and counts as full', async (t) => {
  const disk = smallDisk(t, 128 * MIB)
  if (disk?.fillBut === undefined) return skipUnlessCi(t, 'this user may not mount a file system')
  const log = { warn: () => {}, error: () => {} }
  const state = createFullState({ dataDir: disk.folder, hasStore: true, monotonic: () => 1, log, reserveAfterMs: 0 })
  const free = () => {
    const { bavail, bsize } = statfsSync(disk.folder)
    return bavail * bsize
  }
  const written = () => statSync(join(disk.folder, 'reserve'), { throwIfNoEntry: false })?.size ?? 0
  const restored = state.restore({ free: 128 * MIB, size: 1024 * MIB })
  while (written() < 16 * MIB) await nextTurn()
  disk.fill()
  state.begin()
  // A part of it may be under way.
  assert.ok(free() > 12 * MIB, `${free()} bytes are free`)
  await assert.rejects(restored)
  assert.deepEqual([state.is(), state.reserved(), written()], [true, 0, 0])
})

test('free space that was read before the reserve was released is not taken for what is left of it', async (t) => {
  const disk = smallDisk(t, 64 * MIB)
  if (disk?.fillBut === undefined) return skipUnlessCi(t, 'this user may not mount a file system')
  writeFileSync(join(disk.folder, 'reserve'), Buffer.alloc(4 * MIB))
  const log = { warn: () => {}, error: () => {} }
  const watched = openDisk({
    dataDir: disk.folder,
    hasStore: true,
    floor: 0,
    monotonic: () => 1,
    log,
    checkMs: 1e9,
    reserveAfterMs: 0,
    reserveBytes: 4 * MIB,
  })
  watched.start()
  undoLater(t, watched.close)
  disk.fill()
  // A check begins, and ends on another thread while this one is busy.
  watched.note(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }))
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50)
  watched.release()
  for (let turn = 0; turn < 20; turn++) {
    assert.equal(watched.isSpent('takedown'), false)
    await nextTurn()
  }
})

test('where the reserve is missing, as after a restart on a full disk, what is free takes its place', async (t) => {
  const disk = smallDisk(t, 128 * MIB)
  if (disk?.fillBut === undefined) return skipUnlessCi(t, 'this user may not mount a file system')
  const needs = { dataDir: disk.folder, hasStore: true, log: { warn: () => {}, error: () => {} } }
  const watched = openDisk({ ...needs, floor: 0, monotonic: () => 1, checkMs: 1e9, reserveAfterMs: 1e9 })
  undoLater(t, async () => watched.close())
  watched.start()
  assert.equal(watched.isFull(), false)
  disk.fillBut(8 * MIB)
  const { isFull, start, isSpent, close } = openDisk({ ...needs, floor: 0, monotonic: () => 1, checkMs: 1e9 })
  undoLater(t, async () => close())
  start()
  assert.deepEqual([isFull(), isSpent('pause')], [true, false], 'owners can pause with what the reserve would have')
})

test('a file system that counts no blocks is not full: links are created there', async (t) => {
  // In memory, without a bound.
  const disk = smallDisk(t, 0)
  if (disk?.fillBut === undefined) return skipUnlessCi(t, 'this user may not mount a file system')
  assert.equal(statfsSync(disk.folder).blocks, 0)
  const overrides = { disk: { checkMs: 10, reserveAfterMs: 0, reserveBytes: MIB } }
  const { url, services } = await startServer(t, { DATA_DIR: disk.folder }, undefined, overrides)
  await poll(() => valueOf(services.metrics, 'quirl_disk_reserve_bytes') === MIB)
  assert.equal((await post(`${url}/api/links`, { target: 'https://example.com/' })).status, 201)
  assert.deepEqual(await (await fetch(`${url}/readyz`)).json(), { status: 'ok' })
})

test('a first start on a full disk ends with one line that says so', async (t) => {
  const disk = smallDisk(t, 4 * MIB)
  if (disk?.fillBut === undefined) return skipUnlessCi(t, 'this user may not mount a file system')
  disk.fillBut(800 * 1024)
  const failure: unknown = await start(t, join(disk.folder, 'data')).catch((error: unknown) => error)
  assert.ok(failure instanceof Error)
  const lines = failure.message
    .trim()
    .split('\n')
    .filter((line) => !line.startsWith('{"level":50'))
  assert.deepEqual(lines, [
    `quirl: the disk of DATA_DIR=${disk.folder}/data is full: make room, or choose a larger disk`,
  ])
})
