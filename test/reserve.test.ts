// What a disk holds for when it is full, while it is being written.
import assert from 'node:assert/strict'
import { rmSync, statfsSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createFullState } from '../src/disk/full-state.ts'
import { openDisk } from '../src/disk/open.ts'
import { temporaryFolder, undoLater } from './support/cleanup.ts'
import { command } from './support/cli.ts'
import { valueOf } from './support/metrics.ts'
import { poll } from './support/poll.ts'
import { skipUnlessCi } from './support/programs.ts'
import { start } from './support/program.ts'
import { create, post, put, startServer } from './support/server.ts'
import { smallDisk } from './support/small-disk.ts'

const [MIB, GIB] = [2 ** 20, 2 ** 30]

test('a reserve whose writing was interrupted holds what it should after the next start, and not twice as much', async (t) => {
  const dataDir = temporaryFolder(t)
  writeFileSync(join(dataDir, 'reserve'), Buffer.alloc(1.5 * MIB))
  const disk = { checkMs: 100, reserveAfterMs: 0, reserveBytes: MIB }
  const { services } = await startServer(t, { DATA_DIR: dataDir }, undefined, { disk })
  await poll(() => valueOf(services.metrics, 'quirl_disk_reserve_bytes') === MIB)
})

test('a small disk has its reserve right after a first start, so that links can be paused, deleted and blocked when strangers fill it in the next seconds', async (t) => {
  const disk = smallDisk(t, 128 * MIB)
  if (disk?.fillBut === undefined) return skipUnlessCi(t, 'this user may not mount a file system')
  // Nobody looks at the disk after the start.
  const overrides = { disk: { checkMs: 1e9 } }
  const server = await startServer(t, { DATA_DIR: disk.folder, DISK_FLOOR: 'off' }, undefined, overrides)
  const createOne = () => create(server, { target: 'https://example.com/' })
  const [paused, deleted, blocked] = [await createOne(), await createOne(), await createOne()]
  await poll(() => valueOf(server.services.metrics, 'quirl_disk_reserve_bytes') === 8 * MIB)
  disk.fill()
  assert.equal((await post(`${server.url}/api/links`, { target: 'https://example.com/' })).status, 503)
  const manage = (token: string) => `${server.url}/api/manage/${token}`
  assert.equal((await put(manage(paused.token), { active: false })).status, 200)
  assert.equal((await fetch(manage(deleted.token), { method: 'DELETE' })).status, 200)
  assert.equal((await command(disk.folder, 'block', blocked.code)).status, 0)
})

test('a disk that nobody can fill in the meantime has no reserve until its service has run for a while', async (t) => {
  const dataDir = temporaryFolder(t)
  const log = { warn: () => {}, error: () => {} }
  let now = 0
  const state = createFullState({ dataDir, hasStore: true, monotonic: () => now, log, reserveBytes: MIB })
  const large = { free: 64 * GIB, size: 128 * GIB }
  state.start(now)
  await state.restore(large)
  assert.equal(state.reserved(), 0)
  await state.restore({ ...large, free: 4 * GIB })
  assert.equal(state.reserved(), MIB)
  rmSync(join(dataDir, 'reserve'))
  await state.restore(large)
  assert.equal(state.reserved(), 0)
  now = 60_000
  await state.restore(large)
  assert.equal(state.reserved(), MIB)
})

test('a service that ends while its reserve is being written leaves none, and the next one its own', async (t) => {
  const dataDir = temporaryFolder(t)
  const [file, log] = [join(dataDir, 'reserve'), { warn: () => {}, error: () => {} }]
  const state = createFullState({ dataDir, hasStore: true, monotonic: () => 1, log })
  const written = () => statSync(file, { throwIfNoEntry: false })?.size ?? 0
  const restored = state.restore({ free: GIB, size: 128 * GIB })
  while (written() < MIB) await nextTurn()
  state.stop()
  assert.equal(written(), 0)
  writeFileSync(file, 'of the next one')
  await assert.rejects(restored)
  assert.ok(written() > 0)
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
