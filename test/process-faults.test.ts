// The program among other processes, signals and changes of the clock.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { startWorkload, UNLIMITED } from './support/workload.ts'
import { temporaryFolder, undoLater } from './support/cleanup.ts'
import { holdLock } from './support/holder.ts'
import { PATIENCE_MS, poll } from './support/poll.ts'
import { answering, freePort } from './support/ports.ts'
import { exitOf, program, start } from './support/program.ts'
import { skipUnlessCi } from './support/programs.ts'
import { seededRandom } from './support/random.ts'
import { create, visit } from './support/server.ts'
import { wallClock } from './support/wall-clock.ts'

test('while another process holds a lock, changes get 503, readiness has the reason, visits go on, and no scan is lost', async (t) => {
  const dataDir = temporaryFolder(t)
  const work = await startWorkload(t, seededRandom(t), dataDir)
  const reports = (reason: RegExp) => poll(async () => reason.test((await work.notReady()) ?? ''))
  await work.answers(200, 201, 302)
  const releaseLinks = await holdLock(t, join(dataDir, 'links.db'))
  await work.answers(503, 302)
  await reports(/the store is unavailable/)
  releaseLinks()
  await work.answers(200, 201, 302)
  const releaseScans = await holdLock(t, join(dataDir, 'scans.db'))
  await reports(/cannot be moved into the statistics/)
  await work.answers(200, 201, 302)
  releaseScans()
  await poll(async () => (await work.notReady()) === undefined)
  await work.end()
})

test('a process that is paused loses nothing, and no other can use its folder meanwhile', async (t) => {
  const dataDir = temporaryFolder(t)
  const work = await startWorkload(t, seededRandom(t), dataDir)
  await work.answers(200, 201, 302)
  work.service.process.kill('SIGSTOP')
  undoLater(t, () => void work.service.process.kill('SIGCONT'))
  const second = spawnSync(process.execPath, [program, '--port=0', `--data-dir=${dataDir}`], { encoding: 'utf8' })
  assert.match(second.stderr, /^quirl: another quirl is using DATA_DIR=.*\n$/)
  assert.equal(second.status, 1)
  work.service.process.kill('SIGCONT')
  await work.answers(200, 201, 302)
  assert.equal(await work.notReady(), undefined)
  await work.end()
})

test('while the clock is set over midnight and back, every visit is recorded and a visitor is counted once each time a day begins', async (t) => {
  const clock = wallClock(t, '2026-03-10T23:59:00Z')
  if (clock === undefined) return
  const service = await start(t, undefined, UNLIMITED, { env: clock.env })
  const link = await create(service, { target: 'https://example.com/' })
  const details = `${service.url}/api/manage/${link.token}`
  const times = [
    ['2026-03-10T23:59:00Z', 1],
    ['2026-03-11T00:01:00Z', 2],
    ['2026-03-11T12:00:00Z', 2],
    // The keys of the day before were destroyed: its visitor counts as new.
    ['2026-03-10T22:00:00Z', 3],
    ['2026-03-11T12:30:00Z', 3],
  ] as const
  for (const [at, [time, unique]] of times.entries()) {
    clock.set(time)
    for (const round of [1, 2]) {
      assert.equal((await visit(link.short_url)).status, 302)
      const { totals } = (await (await fetch(details)).json()) as { totals: Record<string, number> }
      assert.deepEqual([totals['scans'], totals['unique_visitors']], [2 * at + round, unique], time)
    }
    assert.equal((await fetch(`${service.url}/readyz`)).status, 200)
    await create(service, { target: 'https://example.com/' })
  }
  const csv = (await (await fetch(`${details}/scans.csv`)).text()).trimEnd().split('\r\n').slice(1)
  const days = csv.map((line) => line.slice(0, 10))
  assert.deepEqual(days, [
    ...Array.from({ length: 4 }, () => '2026-03-10'),
    ...Array.from({ length: 6 }, () => '2026-03-11'),
  ])
  service.process.kill('SIGTERM')
  assert.deepEqual(await exitOf(service), { code: 0, signal: null })
  assert.doesNotMatch(service.output(), /"level"/)
})

test('a log on a full disk loses lines and has no other effect', async (t) => {
  if (process.platform !== 'linux') return t.skip('/dev/full is Linux’s')
  const [port, dataDir] = [await freePort(), temporaryFolder(t)]
  const full = openSync('/dev/full', 'w')
  const args = [program, `--port=${port}`, '--host=127.0.0.1', `--data-dir=${dataDir}`]
  const child = spawn(process.execPath, args, { stdio: ['ignore', full, full] })
  closeSync(full)
  const exited = once(child, 'exit')
  undoLater(t, async () => {
    child.kill('SIGKILL')
    await exited
  })
  const url = `http://127.0.0.1:${port}`
  await answering(url, () => (child.exitCode === null ? undefined : `it ended with ${child.exitCode}`))
  const link = await create({ url }, { target: 'https://example.com/' })
  const db = new DatabaseSync(join(dataDir, 'links.db'), { timeout: 60_000 })
  db.exec("update links set payload = 'not json'")
  db.close()
  for (let fault = 0; fault < 100; fault++) assert.equal((await visit(link.short_url)).status, 500)
  assert.equal((await fetch(`${url}/readyz`)).status, 200)
  child.kill('SIGTERM')
  assert.deepEqual(await exited, [0, null])
})

/** The child of a process. */
function childOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim())
}

test('as the first process of a container the program ends on SIGTERM, also while it starts', async (t) => {
  if (spawnSync('unshare', ['--pid', '--fork', 'true']).status !== 0)
    return skipUnlessCi(t, 'creating a process namespace needs root here')
  for (const isStarted of [true, false]) {
    const dataDir = temporaryFolder(t)
    const port = await freePort()
    const args = [
      '--pid',
      '--fork',
      '--kill-child',
      process.execPath,
      program,
      `--port=${port}`,
      `--data-dir=${dataDir}`,
    ]
    const container = spawn('unshare', args, { stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(container, 'exit')
    undoLater(t, async () => {
      container.kill('SIGKILL')
      await exited
    })
    await poll(() => childOf(container.pid ?? 0) > 0)
    const first = childOf(container.pid ?? 0)
    if (isStarted) await once(container.stdout, 'data')
    else {
      // It has begun to open the data folder, and does not listen yet.
      await poll(() => spawnSync('ls', [dataDir], { encoding: 'utf8' }).stdout.includes('lock'))
    }
    process.kill(first, 'SIGTERM')
    const kill = setTimeout(() => container.kill('SIGKILL'), PATIENCE_MS)
    undoLater(t, () => clearTimeout(kill))
    assert.deepEqual(await exited, [0, null], isStarted ? 'started' : 'starting')
  }
})
