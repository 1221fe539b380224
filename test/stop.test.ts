import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { temporaryFolder, undoLater } from './support/cleanup.ts'
import { heavyDrawing } from './support/costly-logos.ts'
import { poll } from './support/poll.ts'
import { isOpen } from './support/ports.ts'
import { exitOf, start, type Service } from './support/program.ts'
import { requireProgram } from './support/programs.ts'
import { create, post, visit } from './support/server.ts'

/** Docker kills after 10 seconds, systemd later. */
const KILLED_AFTER_MS = 8_000

/** Sends a request and reads of its response no more than the beginning. */
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
  db.exec(`
    with recursive more (number) as (values (1000) union all select number + 1 from more where number < 300000)
    insert into scans
    select link_id, at, number, source, device, os, browser, country, city, referrer, first, bot
    from more, (select * from scans limit 1)`)
  db.close()
}

test('the signal to stop ends the service before it would be killed, whatever its clients do', async (t) => {
  const first = await start(t)
  const { code, token } = await create(first, { target: 'https://example.com/' })
  assert.equal((await visit(`${first.url}/${code}`)).status, 302)
  await (await fetch(`${first.url}/api/manage/${token}`)).text()
  first.process.kill('SIGTERM')
  assert.equal((await exitOf(first)).code, 0)
  multiplyScans(first.dataDir)

  const service = await start(t, first.dataDir, ['--limit-qr=0'])
  const stream = await fetch(`${service.url}/api/manage/${token}/stream`)
  assert.equal(stream.status, 200)
  const exporting = `GET /api/manage/${token}/scans.csv HTTP/1.1\r\nHost: x\r\n\r\n`
  assert.match(await unread(t, service, exporting), /^HTTP\/1\.1 200 /)
  const upload = 'POST /api/links HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\n'
  const slow = connect(service.port, '127.0.0.1').on('error', () => {})
  slow.write(`${upload}Content-Length: 1000\r\n\r\n`)
  await once(slow, 'data')
  const drip = setInterval(() => slow.write(' '), 100)
  undoLater(t, () => {
    clearInterval(drip)
    slow.destroy()
  })
  const drawn = Array.from({ length: 6 }, (_, at) =>
    post(`${service.url}/api/qr`, heavyDrawing(at)).catch(() => undefined),
  )
  await Promise.race(drawn)

  const began = performance.now()
  service.process.kill('SIGTERM')
  const kill = setTimeout(() => service.process.kill('SIGKILL'), KILLED_AFTER_MS)
  undoLater(t, () => clearTimeout(kill))
  assert.deepEqual(await exitOf(service), { code: 0, signal: null })
  t.diagnostic(`it took ${Math.round(performance.now() - began)} ms`)
  await Promise.all(drawn)
})

test('a part that cannot be closed is logged, the others are closed all the same, and the exit status tells', async (t) => {
  const service = await start(t)
  await create(service, { target: 'https://example.com/' })
  const socket = join(service.dataDir, 'admin.sock')
  rmSync(socket)
  mkdirSync(socket)
  service.process.kill('SIGTERM')
  assert.deepEqual(await exitOf(service), { code: 1, signal: null })
  await poll(() => service.output().includes('could not stop cleanly'))
  assert.match(service.output(), /the socket for commands could not be closed/)
  // SQLite removes it when the last connection is closed.
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
        // It has ended, as it should.
      }
    })
    await poll(async () => !(await isOpen(Number(port))))
  })
}
