// Standard output and standard error of the program.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, constants, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { test, type TestContext } from 'node:test'
import { temporaryFolder, undoLater } from './support/cleanup.ts'
import { poll } from './support/poll.ts'
import { answering, freePort } from './support/ports.ts'
import { program } from './support/program.ts'
import { create, visit } from './support/server.ts'

const NO_LIMITS = ['--limit-failures=0', '--limit-misses=0', '--limit-links=0']

/** Starts the program with its output redirected. */
async function startWith(
  t: TestContext,
  {
    stdio,
    dataDir = temporaryFolder(t),
    flags = [],
  }: { stdio: ('pipe' | number)[]; dataDir?: string; flags?: string[] },
) {
  const port = await freePort()
  const options = [`--port=${port}`, '--host=127.0.0.1', `--data-dir=${dataDir}`, ...NO_LIMITS]
  const child = spawn(process.execPath, [...flags, program, ...options], { stdio: ['ignore', ...stdio] })
  const exited = once(child, 'exit')
  undoLater(t, async () => {
    child.kill('SIGKILL')
    await exited
  })
  return { child, exited, dataDir, url: `http://127.0.0.1:${port}` }
}

/** A pipe whose reader starts to read on demand. */
function namedPipe(t: TestContext): { fd: number; read: () => string } {
  const path = join(temporaryFolder(t), 'pipe')
  assert.equal(spawnSync('mkfifo', [path]).status, 0)
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK)
  undoLater(t, () => closeSync(reader))
  const fd = openSync(path, constants.O_WRONLY)
  const buffer = Buffer.alloc(1 << 20)
  return {
    fd,
    read() {
      try {
        return buffer.toString('latin1', 0, readSync(reader, buffer))
      } catch {
        return ''
      }
    },
  }
}

test('a service continues when the reader of its standard output has gone', async (t) => {
  const { child, exited, url } = await startWith(t, { stdio: ['pipe', 'pipe'] })
  child.stdout?.destroy()
  await answering(url, () => (child.exitCode === null ? undefined : `it ended with ${child.exitCode}`))
  const link = await create({ url }, { target: 'https://example.com/' })
  assert.equal((await visit(`${url}/${link.code}`)).status, 302)
  child.kill('SIGTERM')
  assert.deepEqual(await exited, [0, null])
})

test('a service whose standard error is not read still responds, and later logs how many lines it dropped', async (t) => {
  const { fd, read } = namedPipe(t)
  const { child, exited, url, dataDir } = await startWith(t, { stdio: ['pipe', fd] })
  closeSync(fd)
  child.stdout?.resume()
  await answering(url, () => (child.exitCode === null ? undefined : `it ended with ${child.exitCode}`))
  const { code } = await create({ url }, { target: 'https://example.com/' })
  const db = new DatabaseSync(join(dataDir, 'links.db'), { timeout: 60_000 })
  db.exec("update links set payload = 'not json'")
  db.close()
  // A pipe holds 64 KiB and the service's buffer 256; a line has some 480 bytes.
  const FAULTS = 1000
  for (let fault = 0; fault < FAULTS; fault++) assert.equal((await visit(`${url}/${code}`)).status, 500)
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
  let log = ''
  await poll(
    () => {
      log += read()
      return log.includes('"dropped":')
    },
    () => `${log.length} ${log.slice(0, 3000)}`,
  )
  assert.equal((await visit(`${url}/${code}`)).status, 500)
  child.kill('SIGTERM')
  assert.deepEqual(await exited, [0, null])
  log += read()
  const lines = log
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { request_id?: string; dropped?: number })
  const dropped = lines.reduce((sum, line) => sum + (line.dropped ?? 0), 0)
  assert.ok(dropped > 0)
  assert.equal(lines.filter((line) => line.request_id !== undefined).length + dropped, FAULTS + 1)
  // The last line belongs to the request after the reader had started.
  assert.ok(lines.at(-1)?.request_id)
})

test('a service that crashes logs the reason', async (t) => {
  const { fd, read } = namedPipe(t)
  const crash = "process.once('SIGUSR2', () => { throw new Error('a fault of the test') })"
  const flags = ['--import', `data:text/javascript,${encodeURIComponent(crash)}`]
  const { child, exited, url } = await startWith(t, { stdio: ['pipe', fd], flags })
  closeSync(fd)
  child.stdout?.resume()
  await answering(url, () => (child.exitCode === null ? undefined : `it ended with ${child.exitCode}`))
  child.kill('SIGUSR2')
  assert.deepEqual(await exited, [1, null])
  const line = read()
    .split('\n')
    .find((each) => each.startsWith('{'))
  assert.match(line ?? '', /"level":60.*a fault of the test/)
})
