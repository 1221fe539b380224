import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { temporaryFolder } from '../../../test/support/cleanup.ts'
import { seedOf } from '../../../test/support/random.ts'
import { openWatched, take, codesIn } from '../../../test/support/watched-store.ts'

const SECTOR = 512

const HEADER = 32

const RUNS = 15

/** How many moments of a run are checked. */
const MOMENTS = 8

/** The content of a log that was synced, and all that was written: after a power loss each sector has one or the other. */
interface Log {
  synced: Buffer
  written: Buffer
}

/**
 * Mixes two versions of a file: `fates` says which sectors that differ are new, old or garbage. Bytes that are the same
 * in both stay, which SQLite relies on too (SQLITE_IOCAP_POWERSAFE_OVERWRITE), in every mode.
 */
function mix(before: Buffer, after: Buffer, fates: number[]): Buffer {
  const mixed = Buffer.alloc(after.length)
  before.copy(mixed)
  for (let at = 0; at < after.length; at += SECTOR) {
    const now = after.subarray(at, at + SECTOR)
    const fate = fates[(at / SECTOR) % fates.length]
    if (now.equals(mixed.subarray(at, at + now.length)) || fate === 0) continue
    if (fate === 1) now.copy(mixed, at)
    else
      mixed.set(
        now.map((byte, index) => (byte === mixed[at + index] ? byte : byte ^ 0xa5)),
        at,
      )
  }
  return mixed
}

/** A log after a power loss. SQLite syncs the header of a log that restarts before it writes more. */
function lose({ synced, written }: Log, fates: number[], cut: number): Buffer {
  const length = synced.length + Math.floor(cut * Math.max(0, written.length - synced.length))
  const log = mix(synced, written.subarray(0, Math.max(length, synced.length)), fates)
  written.copy(log, 0, 0, Math.min(HEADER, written.length))
  return log
}

/** A moment at which power may be lost, and the codes that were acknowledged by then. */
interface Moment {
  acknowledged: string[]
  database: Buffer
  log: Log
}

/** Runs transactions of the given numbers of rows, one after the other in each lane, and records the disk at each sync and result. */
async function watchLanes(t: TestContext, lanes: number[][], fates: number[]): Promise<Moment[]> {
  const { db, file, seen, onSync } = await openWatched(t)
  const acknowledged: string[] = []
  const moments: Moment[] = []
  const record = (database: Buffer, log: Log) => moments.push({ acknowledged: [...acknowledged], database, log })
  const recordDisk = () => record(readFileSync(file), { synced: seen.synced, written: readFileSync(`${file}-wal`) })
  onSync(async () => void recordDisk())
  // oxlint-disable-next-line typescript/unbound-method -- called with `this` below
  const exec = DatabaseSync.prototype.exec
  const mocked = t.mock.method(DatabaseSync.prototype, 'exec', function (this: DatabaseSync, sql: string) {
    const before = readFileSync(file)
    exec.call(this, sql)
    if (!sql.includes('wal_checkpoint')) return
    // SQLite syncs the log, writes the database, and syncs that.
    seen.synced = readFileSync(`${file}-wal`)
    seen.checkpoints++
    record(mix(before, readFileSync(file), fates), { synced: seen.synced, written: seen.synced })
  })
  let name = 0
  const lane = async (sizes: number[]) => {
    for (const size of sizes) {
      const codes = Array.from({ length: size }, () => `code${String(name++).padStart(40, '0')}`)
      await take(db, codes)
      acknowledged.push(...codes)
      recordDisk()
    }
  }
  await Promise.all(lanes.map(lane))
  mocked.mock.restore()
  await db.close()
  return moments
}

test('after a power loss all acknowledged transactions are stored, whatever was not synced', async (t) => {
  const lane = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 8 })
  const plan = {
    lanes: fc.array(lane, { minLength: 1, maxLength: 6 }),
    fates: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 97 }),
    cut: fc.double({ min: 0, max: 1, noNaN: true }),
  }
  const seed = seedOf(t)
  const counts = { moments: 0, unsynced: 0, restarted: 0 }
  const property = fc.asyncProperty(plan.lanes, plan.fates, plan.cut, async (lanes, fates, cut) => {
    const moments = await watchLanes(t, lanes, fates)
    const stride = Math.ceil(moments.length / MOMENTS)
    for (const { acknowledged, database, log } of moments.filter((_, at) => (at + 1) % stride === 0)) {
      const file = join(temporaryFolder(t), 'links.db')
      writeFileSync(file, database)
      writeFileSync(`${file}-wal`, lose(log, fates, cut))
      const found = codesIn(file)
      assert.deepEqual(
        acknowledged.filter((code) => !found.has(code)),
        [],
      )
      counts.moments++
      if (!log.written.equals(log.synced)) counts.unsynced++
      if (!log.written.subarray(0, HEADER).equals(log.synced.subarray(0, HEADER))) counts.restarted++
    }
  })
  await fc.assert(property, { seed, numRuns: RUNS, endOnFailure: true })
  t.diagnostic(JSON.stringify(counts))
  assert.ok(counts.unsynced > 0)
})
