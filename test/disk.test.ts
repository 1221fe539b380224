// The program on disks that are full, or fail for one file.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startWorkload, type Workload } from './support/workload.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { buildFaults, type Fault } from './support/faults.ts'
import { poll } from './support/poll.ts'
import { seededRandom } from './support/random.ts'
import { smallDisk } from './support/small-disk.ts'

const SMALL_DISK_BYTES = 128 << 20

/** `npm run test:faults` makes every operation on every file fail. */
const isAll = process.env['FAULTS'] === 'all'

/** Waits until the service reports a fault. */
const reports = (work: Workload, reason: RegExp) =>
  poll(
    async () => reason.test((await work.notReady()) ?? ''),
    () => `${reason} in /readyz: ${work.service.output().slice(-500)}`,
  )

async function isWellAgain(work: Workload): Promise<void> {
  let reason: string | undefined
  await poll(
    async () => (reason = await work.notReady()) === undefined,
    () => `${reason}: ${work.service.output().slice(-2000)}`,
  )
}

test('on a full disk the service refuses changes and counts lost scans; it recovers by itself when there is space', async (t) => {
  const random = seededRandom(t)
  const disk = smallDisk(t, SMALL_DISK_BYTES)
  if (disk === undefined) return
  const work = await startWorkload(t, random, disk.folder, disk.env)
  for (let time = 0; time < (isAll ? 3 : 1); time++) {
    await work.answers(200, 201, 302)
    const lost = await work.metric('quirl_scans_lost_total')
    disk.fill()
    await work.answers(503, 302)
    await reports(work, /./)
    await poll(async () => (await work.metric('quirl_scans_lost_total')) > lost)
    disk.free()
    await work.answers(200, 201, 302)
    if (isAll) await isWellAgain(work)
  }
  assert.match(
    work.service.output(),
    /the disk of this service is full, and nothing was changed|the store cannot be reached/,
  )
  assert.match(work.service.output(), /scans cannot be recorded; visits are answered all the same/)
  await work.end()
})

/** An operation on a file that fails, and the check of its effect. */
interface Case extends Omit<Fault, 'error'> {
  shows: (work: Workload) => Promise<void>
  /** Whether `npm test` covers it too. */
  always?: boolean
}

const refusesChanges = async (work: Workload) => {
  await work.answers(503, 302)
  await reports(work, /the store is unavailable/)
}
const refusesAnswers = async (work: Workload) => {
  await work.answers(503)
  await reports(work, /cannot be read/)
}
const countsLost = async (work: Workload) => {
  const lost = await work.metric('quirl_scans_lost_total')
  await work.answers(200, 201, 302)
  await reports(work, /scans cannot be recorded/)
  assert.ok((await work.metric('quirl_scans_lost_total')) > lost)
}
const foldsLater = async (work: Workload) => {
  await reports(work, /cannot be moved into the statistics/)
  await work.answers(200, 201, 302)
  assert.equal(await work.metric('quirl_fold_failing'), 1)
}
const recreatesKeys = (work: Workload) => poll(() => /\.keys.*damaged files/.test(work.service.output()))
/** The write-ahead log has the data that could not be written, and the memory the data that could not be read. */
const costsNothing = (work: Workload) => work.answers(200, 201, 302)

const cases: Case[] = [
  { operation: 'write', files: '*/links.db-wal', shows: refusesChanges },
  { operation: 'sync', files: '*/links.db-wal', shows: refusesChanges, always: true },
  { operation: 'write', files: '*/links.db', shows: costsNothing },
  { operation: 'sync', files: '*/links.db', shows: costsNothing },
  { operation: 'read', files: '*/links.db-wal', shows: refusesAnswers },
  { operation: 'read', files: '*/links.db*', shows: refusesAnswers, always: true },
  { operation: 'write', files: '*/journal/*', shows: countsLost, always: true },
  { operation: 'open', files: '*/journal/*', shows: countsLost },
  { operation: 'read', files: '*/journal/*', shows: foldsLater },
  { operation: 'write', files: '*/scans.db-wal', shows: foldsLater },
  { operation: 'sync', files: '*/scans.db-wal', shows: foldsLater },
  { operation: 'write', files: '*/scans.db', shows: costsNothing },
  { operation: 'sync', files: '*/scans.db', shows: costsNothing },
  { operation: 'read', files: '*/scans.db*', shows: costsNothing },
  { operation: 'write', files: '*.keys*', shows: foldsLater },
  { operation: 'sync', files: '*.keys*', shows: foldsLater },
  { operation: 'read', files: '*.keys', shows: recreatesKeys, always: true },
]

test('an input or output error of any file has only the effects in the handbook, and the service recovers by itself', async (t) => {
  const random = seededRandom(t)
  const faults = buildFaults(t)
  if (faults === undefined) return
  const work = await startWorkload(t, random, temporaryFolder(t), faults.env)
  for (const { operation, files, shows } of cases.filter(({ always }) => isAll || always)) {
    t.diagnostic(`${operation} ${files}`)
    await work.answers(200, 201, 302)
    await work.visitOften()
    faults.set({ operation, error: 'EIO', files })
    await shows(work)
    faults.clear()
    await work.answers(200, 201, 302)
    if (shows === foldsLater) await isWellAgain(work)
  }
  if (isAll) await isWellAgain(work)
  await work.end({ newAgain: true })
})
