import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { dimensionNames } from '../src/dimensions/dimensions.ts'
import { stopWhenFolded, UNLIMITED } from './support/workload.ts'
import { temporaryFolder, undoLater } from './support/cleanup.ts'
import { heavyDrawing } from './support/costly-logos.ts'
import { createOwner } from './support/owner.ts'
import { compareStored } from './support/owners.ts'
import { poll } from './support/poll.ts'
import { isOpen } from './support/ports.ts'
import { exitOf, start, stopsWithin, type Service } from './support/program.ts'
import { requireProgram } from './support/programs.ts'
import { seededRandom } from './support/random.ts'
import { create, post, visit } from './support/server.ts'

/** Docker kills after 10 seconds, systemd later. */
const KILLED_AFTER_MS = 10_000
/** Nearly all of that time is left to close what is open, however slow the machine is. */
const shortDrain = stopsWithin({ drainMs: 500, stopMs: KILLED_AFTER_MS - 500 })

/** Clients that create, change and visit links, and that read streams of totals, while the service stops. */
const OWNERS = 16
const STREAMS = 4

/** Sends a request and reads only the beginning of the response. */
async function unread(t: TestContext, { port }: Service, request: string): Promise<string> {
  const socket = connect(port, '127.0.0.1').on('error', () => {})
  undoLater(t, () => void socket.destroy())
  socket.write(request)
  const [first] = await once(socket, 'data')
  socket.pause()
  return String(first)
}

/** Gives the only link of a stopped service more scans than the buffers of a connection hold. */
function multiplyScans(dataDir: string): void {
  const db = new DatabaseSync(join(dataDir, 'scans.db'))
  const others = [...dimensionNames, 'first', 'bot'].join(', ')
  db.exec(`
    with recursive more (number) as (values (1000) union all select number + 1 from more where number < 300000)
    insert into scans (link_id, at, n, ${others})
    select link_id, at, number, ${others}
    from more, (select * from scans limit 1)`)
  db.close()
}

/** Sends a body that never ends, a byte at a time. */
async function slowUpload(t: TestContext, { port }: Service): Promise<void> {
  const upload = 'POST /api/links HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n'
  const slow = connect(port, '127.0.0.1').on('error', () => {})
  slow.write(`${upload}Content-Length: 1000\r\n\r\n`)
  await once(slow, 'data')
  const drip = setInterval(() => slow.write(' '), 100)
  undoLater(t, () => {
    clearInterval(drip)
    slow.destroy()
  })
}

/** Sends SIGTERM, and asserts that the service ends cleanly before an orchestrator would kill it. */
async function endsInTime(t: TestContext, service: Service): Promise<void> {
  const began = performance.now()
  service.process.kill('SIGTERM')
  const kill = setTimeout(() => service.process.kill('SIGKILL'), KILLED_AFTER_MS)
  undoLater(t, () => clearTimeout(kill))
  assert.deepEqual(await exitOf(service), { code: 0, signal: null })
  t.diagnostic(`it took ${Math.round(performance.now() - began)} ms`)
}

test('SIGTERM ends the service in time, whatever its clients do', async (t) => {
  const first = await start(t)
  const { code, token } = await create(first, { target: 'https://example.com/' })
  assert.equal((await visit(`${first.url}/${code}`)).status, 302)
  await (await fetch(`${first.url}/api/manage/${token}`)).text()
  first.process.kill('SIGTERM')
  assert.equal((await exitOf(first)).code, 0)
  multiplyScans(first.dataDir)

  const service = await start(t, first.dataDir, ['--limit-qr=0'], shortDrain)
  const stream = await fetch(`${service.url}/api/manage/${token}/stream`)
  assert.equal(stream.status, 200)
  const exporting = `GET /api/manage/${token}/scans.csv HTTP/1.1\r\nHost: x\r\n\r\n`
  assert.match(await unread(t, service, exporting), /^HTTP\/1\.1 200 /)
  await slowUpload(t, service)
  const drawn = Array.from({ length: 6 }, (_, at) =>
    post(`${service.url}/api/qr`, heavyDrawing(at)).catch(() => undefined),
  )
  await Promise.race(drawn)

  await endsInTime(t, service)
  await Promise.all(drawn)
})

test('SIGTERM under load ends the service in time, and all acknowledged changes and visits are stored', async (t) => {
  const random = seededRandom(t)
  const service = await start(t, undefined, [...UNLIMITED, '--limit-qr=0'], shortDrain)
  const owners = Array.from({ length: OWNERS }, (_, at) => createOwner(`o${at}`, random))
  const working = Promise.all(owners.map((owner) => owner.work(service.url)))
  const isAtWork = () => owners.every(({ links }) => links.some(({ answered }) => answered.size > 0))
  await Promise.race([working, poll(isAtWork)])
  for (const { links } of owners.slice(0, STREAMS)) {
    // A deleted link has no stream.
    await fetch(`${service.url}/api/manage/${links.at(-1)?.token}/stream`)
  }
  await slowUpload(t, service)
  const drawn = Array.from({ length: 6 }, (_, at) =>
    post(`${service.url}/api/qr`, heavyDrawing(at)).catch(() => undefined),
  )
  await Promise.race(drawn)
  await endsInTime(t, service)
  await Promise.all([working, ...drawn])

  const again = await start(t, service.dataDir, UNLIMITED)
  await Promise.all(owners.map((owner) => owner.repeat(again.url)))
  await stopWhenFolded(again)
  compareStored(service.dataDir, owners)
})

test('when one part fails to close, the service logs it, closes the others, and exits with status 1', async (t) => {
  const service = await start(t)
  await create(service, { target: 'https://example.com/' })
  const socket = join(service.dataDir, 'admin.sock')
  rmSync(socket)
  mkdirSync(socket)
  service.process.kill('SIGTERM')
  assert.deepEqual(await exitOf(service), { code: 1, signal: null })
  await poll(() => service.output().includes('could not stop cleanly'))
  assert.match(service.output(), /the socket for commands could not be closed/)
  // SQLite removes the write-ahead log when the last connection is closed.
  assert.deepEqual(
    readdirSync(service.dataDir).filter((name) => name.endsWith('-wal')),
    [],
  )
})

for (const [how, stop] of [
  ['fails', "throw new Error('the load has failed')"],
  ['is stopped', "process.kill(process.pid, 'SIGTERM')\nawait new Promise((resolve) => setTimeout(resolve, 60_000))"],
] as const) {
  test(`a bench that ${how} leaves no server behind`, async (t) => {
    if (!requireProgram(t, 'taskset', 'util-linux')) return
    const support = new URL('../bench/support.ts', import.meta.url).href
    const script = `
      const { serveQuirl } = await import(${JSON.stringify(support)})
      const served = await serveQuirl(${JSON.stringify(temporaryFolder(t))})
      console.log(served.url, served.process.pid)
      ${stop}`
    const bench = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const exited = once(bench, 'exit')
    let output = ''
    bench.stdout.on('data', (data) => (output += String(data)))
    const [status] = await exited
    assert.notEqual(status, 0)
    const [, port, pid] = /:(\d+) (\d+)/.exec(output) ?? []
    undoLater(t, () => {
      try {
        process.kill(Number(pid), 'SIGKILL')
      } catch {
        // It has ended, as expected.
      }
    })
    await poll(async () => !(await isOpen(Number(port))))
  })
}
