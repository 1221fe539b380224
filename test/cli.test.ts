import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { socketPath } from '../src/operator/socket.ts'
import { command, quirl } from './support/cli.ts'
import { temporaryFolder, undoLater } from './support/cleanup.ts'
import { exitOf, start } from './support/program.ts'
import { startServer } from './support/server.ts'

test('a command calls the service that runs on the same folder', async (t) => {
  const service = await start(t)
  const ran = await quirl(service.dataDir, 'status')
  assert.deepEqual({ ...ran, stdout: '' }, { status: 0, stdout: '', stderr: '' })
  assert.match(ran.stdout, /^quirl \d+\.\d+\.\d+ is ready\n$/)
})

test('a command without a running service prints one line and exits 1', async (t) => {
  const folder = temporaryFolder(t)
  const line = `quirl: no quirl is running on DATA_DIR=${folder}: start it, or pass its folder with --data-dir\n`
  assert.deepEqual(await quirl(folder, 'status'), { status: 1, stdout: '', stderr: line })
  assert.equal((await command(join(folder, 'missing'), 'status')).status, 1)
})

test('only the owner may use the socket, and the service removes it when it stops', async (t) => {
  const service = await start(t)
  const path = socketPath(service.dataDir)
  assert.equal(statSync(path).mode & 0o777, 0o600)
  service.process.kill('SIGTERM')
  assert.equal((await exitOf(service)).code, 0)
  assert.equal(existsSync(path), false)
})

test('a socket that kill -9 left behind does not count as a running service, and is replaced', async (t) => {
  const first = await start(t)
  first.process.kill('SIGKILL')
  await exitOf(first)
  assert.ok(existsSync(socketPath(first.dataDir)))
  assert.match((await command(first.dataDir, 'status')).stderr, /^quirl: no quirl is running on DATA_DIR=/)
  await start(t, first.dataDir)
  assert.equal((await command(first.dataDir, 'status')).status, 0)
})

test('commands work for a folder whose path is too long for a socket address', async (t) => {
  const folder = join(temporaryFolder(t), 'deep'.repeat(40))
  mkdirSync(folder)
  assert.ok(socketPath(folder).length > 108)
  await start(t, folder)
  assert.equal((await command(folder, 'status')).status, 0)
})

test('a folder without support for sockets does not prevent the start; the log says that commands cannot reach the service', async (t) => {
  const folder = temporaryFolder(t)
  mkdirSync(socketPath(folder))
  const service = await start(t, folder)
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
  assert.match(service.output(), /administrative commands cannot reach this service/)
})

test('an invalid response on the socket is reported in one line', async (t) => {
  const folder = temporaryFolder(t)
  const impostor = createServer((socket) => socket.on('error', () => {}).end('nonsense\r\n\r\n')).listen(
    socketPath(folder),
  )
  await once(impostor, 'listening')
  undoLater(t, () => void impostor.close())
  const ran = await command(folder, 'status')
  assert.equal(ran.status, 1)
  assert.match(ran.stderr, /^quirl: cannot reach the quirl that runs on DATA_DIR=\S+: .*\n$/)
})

test('an unknown operation, and a body that is not an object, are refused', async (t) => {
  const server = await startServer(t)
  const call = async (operation: string, body: string) => {
    const outgoing = request({ socketPath: socketPath(server.dataDir), path: `/${operation}`, method: 'POST' }).end(
      body,
    )
    const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
    return text(response)
  }
  assert.match(await call('constructor', '{}'), /"code":"not_found"/)
  assert.match(await call('status', '[]'), /"code":"invalid_request"/)
  assert.match(await call('status', '{'), /"code":"malformed_json"/)
})
