import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { fc } from '../../test/support/fast-check.ts'
import { temporaryFolder, undoLater } from '../../test/support/cleanup.ts'
import { poll } from '../../test/support/poll.ts'
import type { Database } from './database.ts'
import { createDurable } from './durable.ts'
import { syncData, type Sync } from './session.ts'
import { openSqlite } from './sqlite.ts'
import { seedOf } from '../../test/support/random.ts'
import { isSqliteUnavailable } from './sqlite-errors.ts'

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

/** A store whose syncs can be seen, held and made to fail. */
async function openWatched(t: TestContext) {
  const file = join(temporaryFolder(t), 'links.db')
  const seen = { synced: Buffer.alloc(0), checkpoints: 0, reopened: 0 }
  let before: () => Promise<void> = async () => {}
  const sync: Sync = async (fd) => {
    const begun = readFileSync(`${file}-wal`)
    const { checkpoints } = seen
    await before()
    await syncData(fd)
    // A checkpoint meanwhile has synced more.
    if (seen.checkpoints === checkpoints) seen.synced = begun
  }
  const db = await openSqlite(file, Date.now, { sync, onReopened: () => seen.reopened++ })
  undoLater(t, () => db.close())
  return { db, file, seen, onSync: (next: () => Promise<void>) => (before = next) }
}

async function turns(count: number): Promise<void> {
  for (let at = 0; at < count; at++) await turn()
}

const take = (db: Database, codes: string[]) =>
  db.transaction((transaction) =>
    transaction
      .insertInto('codes')
      .values(codes.map((code) => ({ code_key: code })))
      .execute(),
  )

function codesIn(file: string): Set<string> {
  const db = new DatabaseSync(file)
  try {
    db.exec('pragma synchronous = off')
    assert.deepEqual({ ...db.prepare('pragma integrity_check').get() }, { integrity_check: 'ok' })
    return new Set(
      db
        .prepare('select code_key from codes')
        .all()
        .map((row) => String(row['code_key'])),
    )
  } finally {
    db.close()
  }
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

test('whatever power loss leaves of what was not synced, everything that was answered is there', async (t) => {
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

test('a sync serves all that was committed before it began, and nothing that came later', async () => {
  const syncs: PromiseWithResolvers<void>[] = []
  const durable = createDurable(
    () => {
      const sync = Promise.withResolvers<void>()
      syncs.push(sync)
      return sync.promise
    },
    () => assert.fail(),
  )
  const settled: string[] = []
  const change = (name: string) => {
    durable.committed()
    return durable.settled().then(() => settled.push(name))
  }
  const first = [change('a'), change('b')]
  await poll(async () => syncs.length === 1)
  const later = [change('c'), change('d')]
  const look = durable.settled().then(() => settled.push('look'))
  await turns(5)
  assert.deepEqual([syncs.length, settled], [1, []])
  syncs[0]?.resolve()
  await Promise.all(first)
  await poll(async () => syncs.length === 2)
  // What is seen now was committed before the first sync ended, but not before it began.
  const lateLook = durable.settled().then(() => settled.push('late look'))
  await turns(5)
  assert.deepEqual(settled, ['a', 'b'])
  syncs[1]?.resolve()
  await Promise.all([...later, look, lateLook])
  await durable.settled()
  assert.equal(syncs.length, 2)
})

test('a sync that fails fails all that wait, claims nothing, and the store is opened again', async (t) => {
  const { db, file, seen, onSync } = await openWatched(t)
  await take(db, ['before'])
  onSync(() => Promise.reject(Object.assign(new Error('EIO: i/o error, fdatasync'), { code: 'EIO' })))
  const refused = await Promise.allSettled([
    take(db, ['a']),
    take(db, ['b']),
    db.write.insertInto('codes').values({ code_key: 'c' }).execute(),
    // What is refused because of a change that is not durable is not answered either.
    take(db, ['a']),
    db.read.selectFrom('codes').selectAll().execute(),
  ])
  onSync(async () => {})
  // The read may have come before the commits; all the others saw them.
  for (const each of refused.slice(0, 4)) {
    assert.ok(each.status === 'rejected' && isSqliteUnavailable(each.reason), each.status)
  }
  await poll(async () => seen.reopened > 0)
  await take(db, ['after'])
  await db.close()
  const found = codesIn(file)
  for (const code of ['before', 'after']) assert.ok(found.has(code))
})

test('a look that promises waits for the sync of what it saw, and one that promises nothing does not', async (t) => {
  const { db, onSync } = await openWatched(t)
  const held = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  onSync(async () => {
    begun.resolve()
    await held.promise
  })
  const taking = take(db, ['new'])
  await begun.promise
  const settled: string[] = []
  const looks = Promise.all(
    (
      [
        ['read', db.read],
        ['write', db.write],
      ] as const
    ).map(async ([name, each]) => {
      const rows = await each.selectFrom('codes').selectAll().execute()
      settled.push(name)
      return rows.length
    }),
  )
  const lookUp = db.readAtOnce((kysely, key) => kysely.selectFrom('codes').selectAll().where('code_key', '=', key))
  const seen = lookUp('new')
  assert.ok(seen !== undefined && !(seen instanceof Promise))
  await turns(5)
  assert.deepEqual(settled, [])
  held.resolve()
  await taking
  assert.deepEqual(await looks, [1, 1])
})
