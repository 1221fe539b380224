// Visits that cannot be recorded: the service says so while it lasts, and for ever.
import assert from 'node:assert/strict'
import { renameSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { quirl } from './support/cli.ts'
import { createDatabase } from './support/drivers.ts'
import { scrape } from './support/metrics.ts'
import { poll } from './support/poll.ts'
import { urlOf } from './support/postgres.ts'
import { exitOf, start, type Service } from './support/program.ts'
import { requireProgram } from './support/programs.ts'
import { create, visit } from './support/server.ts'
import { diskOfFewFiles, failingDisk } from './support/failing-disk.ts'
import { smallDisk } from './support/small-disk.ts'
import { UNLIMITED } from './support/workload.ts'

const TARGET = 'https://example.com/'
const VISITS = 20
const SMALL_DISK_BYTES = 16 << 20

const valueOf = async ({ url }: Service, name: string) => (await scrape(url)).values.get(name)
const lostBy = (service: Service) => valueOf(service, 'quirl_scans_lost_total')

async function kill(service: Service): Promise<void> {
  service.process.kill('SIGKILL')
  await exitOf(service)
}

/** Visits a link until a visit was lost, and then as often as given. @returns how many were lost */
async function loseVisits(service: Service, url: string): Promise<number> {
  await poll(async () => {
    assert.equal((await visit(url)).status, 302)
    return (await lostBy(service)) !== 0
  })
  const before = (await lostBy(service)) ?? 0
  for (let at = 0; at < VISITS; at++) assert.equal((await visit(url)).status, 302)
  const lost = await lostBy(service)
  assert.equal(lost, before + VISITS)
  return lost
}

/** What the metrics, `quirl status` and `quirl doctor` say of lost visits. */
async function assertSaid(service: Service, lost: number): Promise<void> {
  assert.equal(await lostBy(service), lost)
  const { stdout } = await quirl(service.dataDir, 'status')
  assert.match(stdout, new RegExp(`^${lost} visits were answered and never counted`, 'm'))
  const doctor = await quirl(service.dataDir, 'doctor')
  assert.match(doctor.stdout + doctor.stderr, new RegExp(`${lost} visits were not counted`))
}

for (const store of ['sqlite', 'postgresql'] as const) {
  test(`while the folder of the journal is away, metrics, health and commands say what is lost, and still do after a kill (${store})`, async (t) => {
    if (store === 'postgresql' && !requireProgram(t, 'initdb', 'postgresql')) return
    const env: Record<string, string> = store === 'sqlite' ? {} : { DATABASE_URL: urlOf(await createDatabase()) }
    const service = await start(t, undefined, UNLIMITED, { env })
    const journal = join(service.dataDir, 'journal')
    const { code } = await create(service, { target: TARGET })
    await visit(`${service.url}/${code}`)

    renameSync(journal, `${journal}-away`)
    const lost = await loseVisits(service, `${service.url}/${code}`)
    const { values, text } = await scrape(service.url)
    assert.ok((values.get('quirl_metrics_failed') ?? 0) > 0, text)
    assert.equal(values.get('quirl_journal_backlog_bytes'), undefined)
    assert.equal(values.get('quirl_ready'), 0)
    assert.match(service.output(), /"metrics":\["quirl_journal_backlog_bytes"\]/)
    const health = await fetch(`${service.url}/readyz`)
    assert.deepEqual(
      [health.status, ((await health.json()) as { detail: string }).detail],
      [503, 'scans cannot be recorded'],
    )
    const { stdout } = await quirl(service.dataDir, 'status')
    assert.match(stdout, /is not ready: scans cannot be recorded/)
    await kill(service)

    renameSync(`${journal}-away`, journal)
    const again = await start(t, service.dataDir, UNLIMITED, { env })
    await assertSaid(again, lost)
    assert.equal(await valueOf(again, 'quirl_metrics_failed'), 0)
    await visit(`${again.url}/${code}`)
    await kill(again)
    await assertSaid(await start(t, service.dataDir, UNLIMITED, { env }), lost)
  })
}

test('visits that a full disk has lost are still counted after a kill', async (t) => {
  const disk = smallDisk(t, SMALL_DISK_BYTES)
  if (disk === undefined) return
  const service = await startOn(t, disk)
  const { code } = await create(service, { target: TARGET })
  await visit(`${service.url}/${code}`)
  disk.fill()
  const lost = await loseVisits(service, `${service.url}/${code}`)
  await kill(service)
  disk.free()
  await assertSaid(await startOn(t, disk), lost)
})

const startOn = (t: TestContext, { folder, env }: { folder: string; env: Record<string, string> }) =>
  start(t, folder, UNLIMITED, { env })

test('on a disk without room for another file, no visit is lost, and statistics go on once there is room', async (t) => {
  const disk = diskOfFewFiles(t)
  if (disk === undefined) return
  const service = await startOn(t, disk)
  const { code, token } = await create(service, { target: TARGET })
  let visits = 0
  const visitOften = async (times: number) => {
    for (let at = 0; at < times; at++, visits++) assert.equal((await visit(`${service.url}/${code}`)).status, 302)
  }
  await visitOften(1)
  // Each file that the service frees is taken, so that the current one of the journal has no successor in the end.
  await poll(async () => {
    disk.fill()
    await visitOften(VISITS)
    return (await valueOf(service, 'quirl_fold_failing')) === 1
  })
  await visitOften(VISITS)
  assert.equal(await lostBy(service), 0)
  // The first reason of a minute: the file that goes on, or a closed one whose fold found no room for files of its own.
  assert.match(
    service.output(),
    /(it goes on, because the file system has no room for another file|unable to open database file)".*files cannot be folded; the fold continues with the others/,
  )
  disk.free()
  const totals = async () => {
    const details = await (await fetch(`${service.url}/api/manage/${token}`)).json()
    return (details as { totals: { scans: number } }).totals.scans
  }
  await poll(async () => (await totals()) === visits)
  await poll(async () => (await fetch(`${service.url}/readyz`)).status === 200)
  await kill(service)
  assert.equal(await lostBy(await startOn(t, disk)), 0)
})

test('where even the number of lost visits cannot be stored, metrics have it and the log says that it is not kept', async (t) => {
  const disk = failingDisk(t)
  if (disk === undefined) return
  const service = await startOn(t, disk)
  const { code } = await create(service, { target: TARGET })
  await visit(`${service.url}/${code}`)
  disk.fail()
  const lost = await loseVisits(service, `${service.url}/${code}`)
  assert.ok(lost > 0)
  const { stdout } = await quirl(service.dataDir, 'status')
  assert.match(stdout, /is not ready: scans cannot be recorded\n/)
  assert.match(service.output(), /the number of scans that were not recorded is not stored: it ends with this process/)
})
