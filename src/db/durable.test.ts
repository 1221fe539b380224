import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { temporaryFolder } from '../../test/support/cleanup.ts'
import { seedOf } from '../../test/support/random.ts'
import { openWatched, take, codesIn } from '../../test/support/watched-store.ts'

const SECTOR = 512

const HEADER = 32

const RUNS = 15

/** Of those of a run. */
const MOMENTS = 8

/** What a disk holds for sure of a log, and what was written to it in all: after power loss each sector is one or other. */
interface Log {
  synced: Buffer
  written: Buffer
}

/**
 * Bytes of which each sector was written, is as it was, or is rubbish, as `fates` say where the two differ. What a write did
 * not touch stays: SQLite relies on that too (SQLITE_IOCAP_POWERSAFE_OVERWRITE), in whichever mode.
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

/** A log after power loss. SQLite itself syncs the header of one that begins anew, before anything follows. */
function lose({ synced, written }: Log, fates: number[], cut: number): Buffer {
  const length = synced.length + Math.floor(cut * Math.max(0, written.length - synced.length))
  const log = mix(synced, written.subarray(0, Math.max(length, synced.length)), fates)
  written.copy(log, 0, 0, Math.min(HEADER, written.length))
  return log
}

/** What power may be lost at, and what was answered by then. */
interface Moment {
  answered: string[]
  database: Buffer
  log: Log
}

/** Makes transactions of so many rows, one after the other in each lane, and looks at the disk at each sync and answer. */
async function watchLanes(t: TestContext, lanes: number[][], fates: number[]): Promise<Moment[]> {
  const { db, file, seen, onSync } = await openWatched(t)
  const answered: string[] = []
  const moments: Moment[] = []
  const remember = (database: Buffer, log: Log) => moments.push({ answered: [...answered], database, log })
  const look = () => remember(readFileSync(file), { synced: seen.synced, written: readFileSync(`${file}-wal`) })
  onSync(async () => void look())
  // oxlint-disable-next-line typescript/unbound-method -- called with `this` below
  const exec = DatabaseSync.prototype.exec
  const mocked = t.mock.method(DatabaseSync.prototype, 'exec', function (this: DatabaseSync, sql: string) {
    const before = readFileSync(file)
    exec.call(this, sql)
    if (!sql.includes('wal_checkpoint')) return
    // SQLite syncs the log, writes the database, and syncs that.
    seen.synced = readFileSync(`${file}-wal`)
    seen.checkpoints++
    remember(mix(before, readFileSync(file), fates), { synced: seen.synced, written: seen.synced })
  })
  let name = 0
  const lane = async (sizes: number[]) => {
    for (const size of sizes) {
      const codes = Array.from({ length: size }, () => `code${String(name++).padStart(40, '0')}`)
      await take(db, codes)
      answered.push(...codes)
      look()
    }
  }
  await Promise.all(lanes.map(lane))
  mocked.mock.restore()
  await db.close()
  return moments
}

test('after a power loss everything that was answered is there, whatever was not synced', async (t) => {
  const lane = fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 8 })
  const plan = {
    lanes: fc.array(lane, { minLength: 1, maxLength: 6 }),
    fates: fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 97 }),
    cut: fc.double({ min: 0, max: 1, noNaN: true }),
  }
  const seed = seedOf(t)
  const met = { moments: 0, unsynced: 0, anew: 0 }
  const property = fc.asyncProperty(plan.lanes, plan.fates, plan.cut, async (lanes, fates, cut) => {
    const moments = await watchLanes(t, lanes, fates)
    const stride = Math.ceil(moments.length / MOMENTS)
    for (const { answered, database, log } of moments.filter((_, at) => (at + 1) % stride === 0)) {
      const file = join(temporaryFolder(t), 'links.db')
      writeFileSync(file, database)
      writeFileSync(`${file}-wal`, lose(log, fates, cut))
      const found = codesIn(file)
      assert.deepEqual(
        answered.filter((code) => !found.has(code)),
        [],
      )
      met.moments++
      if (!log.written.equals(log.synced)) met.unsynced++
      if (!log.written.subarray(0, HEADER).equals(log.synced.subarray(0, HEADER))) met.anew++
    }
  })
  await fc.assert(property, { seed, numRuns: RUNS, endOnFailure: true })
  t.diagnostic(JSON.stringify(met))
  assert.ok(met.unsynced > 0)
})
