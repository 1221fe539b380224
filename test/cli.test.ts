import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { socketPath } from '../src/admin/socket.ts'
import { command, quirl } from './support/cli.ts'
import { temporaryFolder, undoLater } from './support/cleanup.ts'
import { exitOf, start } from './support/program.ts'
import { startServer } from './support/server.ts'

test('a command asks the service that runs on the same folder', async (t) => {
  const service = await start(t)
  const asked = await quirl(service.dataDir, 'status')
  assert.deepEqual({ ...asked, stdout: '' }, { status: 0, stdout: '', stderr: '' })
  assert.match(asked.stdout, /^quirl \d+\.\d+\.\d+ is ready\n$/)
})

test('without a running service a command says so and exits 1', async (t) => {
  const folder = temporaryFolder(t)
  const line = `quirl: no quirl is running on DATA_DIR=${folder}: start it, or name its folder with --data-dir\n`
  assert.deepEqual(await quirl(folder, 'status'), { status: 1, stdout: '', stderr: line })
  assert.equal((await command(join(folder, 'missing'), 'status')).status, 1)
})

test('the socket is for the owner alone, and goes with the service', async (t) => {
  const service = await start(t)
  const path = socketPath(service.dataDir)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  service.process.kill('SIGTERM')
  assert.equal((await exitOf(service)).code, 0)
  assert.equal(existsSync(path), false)
})

test('a socket that kill -9 has left behind is told from a running service, and replaced', async (t) => {
  const first = await start(t)
  first.process.kill('SIGKILL')
  await exitOf(first)
  assert.ok(existsSync(socketPath(first.dataDir)))
  assert.match((await command(first.dataDir, 'status')).stderr, /^quirl: no quirl is running on DATA_DIR=/)
  await start(t, first.dataDir)
  assert.equal((await command(first.dataDir, 'status')).status, 0)
})

test('a folder whose path no socket address can hold works all the same', async (t) => {
  const folder = join(temporaryFolder(t), 'deep'.repeat(40))
  mkdirSync(folder)
  assert.ok(socketPath(folder).length > 108)
  await start(t, folder)
  assert.equal((await command(folder, 'status')).status, 0)
})

test('a folder that takes no socket does not keep the service from serving; the log says what is missing', async (t) => {
  const folder = temporaryFolder(t)
  mkdirSync(socketPath(folder))
  const service = await start(t, folder)
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
  assert.match(service.output(), /administrative commands cannot reach this service/)
})

test('what answers nonsense on the socket is reported in one line', async (t) => {
  const folder = temporaryFolder(t)
  const liar = createServer((socket) => socket.on('error', () => {}).end('nonsense\r\n\r\n')).listen(socketPath(folder))
  await once(liar, 'listening')
  undoLater(t, () => void liar.close())
  const asked = await command(folder, 'status')
  assert.equal(asked.status, 1)
  assert.match(asked.stderr, /^quirl: the quirl that runs on DATA_DIR=\S+ cannot be asked: .*\n$/)
})

test('an unknown operation, and a body that is no object, are refused', async (t) => {
  const server = await startServer(t)
  const ask = async (operation: string, body: string) => {
    const asking = request({ socketPath: socketPath(server.dataDir), path: `/${operation}`, method: 'POST' }).end(body)
    const [response] = (await once(asking, 'response')) as [IncomingMessage]
    return text(response)
  }
  assert.match(await ask('constructor', '{}'), /"code":"not_found"/)
  assert.match(await ask('status', '[]'), /"code":"invalid_request"/)
  assert.match(await ask('status', '{'), /"code":"malformed_json"/)
})
