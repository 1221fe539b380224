import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '../src/db/open.ts'
import { temporaryFolder, undoLater } from './support/cleanup.ts'
import { filesBelow } from './support/files.ts'
import { PATIENCE_MS, poll } from './support/poll.ts'
import { isOpen } from './support/ports.ts'
import { exitOf, patientStop, program, start } from './support/program.ts'
import { create, put, visit } from './support/server.ts'

/** A connection that sends the given text. */
async function rawConnection(
  t: TestContext,
  port: number,
): Promise<{ send: (text: string) => void; received: () => string; closed: Promise<unknown> }> {
  const socket = connect(port, '127.0.0.1')
  undoLater(t, () => void socket.destroy())
  await once(socket, 'connect')
  let text = ''
  socket.on('data', (data) => (text += String(data)))
  socket.on('error', () => {})
  return {
    send: (part) => socket.write(part),
    received: () => text,
    closed: once(socket, 'close'),
  }
}

test('the program prints one line with its address, serves, and exits 0 on SIGTERM', async (t) => {
  const service = await start(t)
  const link = await create(service, { target: 'https://example.com/' })
  assert.equal((await visit(link.short_url)).status, 302)
  assert.equal(link.short_url, `${service.url}/${link.code}`)
  service.process.kill('SIGTERM')
  assert.deepEqual(await exitOf(service), { code: 0, signal: null })
  assert.match(
    service.output(),
    /^quirl \d+\.\d+\.\d+ serves http:\/\/localhost:\d+ and keeps its data in \S+; BASE_URL is unset: .* \(docs\/first-day\.md\)\n$/,
  )
})

test('a program that listens on all interfaces prints every address that reaches it, or the configured one', async (t) => {
  const all = await start(t, undefined, ['--host=0.0.0.0'])
  const [, text = ''] = / serves (.*) and keeps /.exec(all.output()) ?? []
  const addresses = text.split(', ')
  const own = Object.values(networkInterfaces()).flatMap((each) => each ?? [])
  const expected = own.filter(({ family, internal }) => family === 'IPv4' && !internal).map(({ address }) => address)
  for (const host of ['localhost', ...expected]) assert.ok(addresses.includes(`http://${host}:${all.port}`), text)
  for (const address of addresses.slice(0, 1 + expected.length)) {
    const link = await create({ url: address }, { target: 'https://example.com/' })
    assert.equal(link.manage_url, `${address}/m/${link.token}`)
    assert.equal((await visit(link.short_url)).status, 302, address)
  }
  const named = spawn(process.execPath, [
    program,
    '--port=0',
    '--base-url=https://qr.example.com',
    `--data-dir=${temporaryFolder(t)}`,
  ])
  undoLater(t, () => void named.kill('SIGKILL'))
  assert.match(String(await once(named.stdout, 'data')), / serves https:\/\/qr\.example\.com and keeps /)
})

test('acknowledged changes are stored after a restart, and after kill -9', async (t) => {
  const first = await start(t)
  const link = await create(first, { target: 'https://example.com/1' })
  await put(`${first.url}/api/manage/${link.token}`, { target: 'https://example.com/2' })
  first.process.kill('SIGKILL')
  await exitOf(first)
  const second = await start(t, first.dataDir)
  assert.equal((await visit(`${second.url}/${link.code}`)).headers.get('location'), 'https://example.com/2')
  second.process.kill('SIGINT')
  assert.equal((await exitOf(second)).code, 0)
  const third = await start(t, first.dataDir)
  assert.equal((await visit(`${third.url}/${link.code}`)).status, 302)
})

test('only the user that runs the program can read its files', async (t) => {
  const service = await start(t, join(temporaryFolder(t), 'made'))
  const link = await create(service, { target: 'https://example.com/' })
  await visit(`${service.url}/${link.code}`)
  const kept = readdirSync(service.dataDir, { recursive: true, encoding: 'utf8' })
  assert.ok(kept.includes('links.db') && kept.length > 5)
  for (const file of ['', ...kept]) {
    const stats = statSync(join(service.dataDir, file), { throwIfNoEntry: false })
    assert.equal((stats?.mode ?? 0) & 0o077, 0, file)
  }
})

test('a stop finishes the current request, then refuses connections, and a second signal does not abort it', async (t) => {
  const service = await start(t, undefined, [], patientStop)
  const body = JSON.stringify({ target: 'https://example.com/' })
  const running = await rawConnection(t, service.port)
  const headers = `Host: x\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue`
  running.send(`POST /api/links HTTP/1.1\r\n${headers}\r\n\r\n${body.slice(0, 5)}`)
  // The service sends "100 Continue" when it has begun to process the request.
  const goOn = 'HTTP/1.1 100 Continue\r\n\r\n'
  await poll(() => running.received() === goOn)
  service.process.kill('SIGTERM')
  service.process.kill('SIGINT')
  await poll(async () => (await fetch(`${service.url}/readyz`)).status === 503)
  service.process.kill('SIGTERM')
  assert.equal((await fetch(`${service.url}/healthz`)).status, 200)
  assert.equal(service.process.exitCode, null)
  running.send(body.slice(5))
  await running.closed
  assert.match(running.received().slice(goOn.length), /^HTTP\/1\.1 201 /)
  assert.deepEqual(await exitOf(service), { code: 0, signal: null })
  await assert.rejects(fetch(`${service.url}/healthz`))
})

test('a stop does not wait for idle connections', async (t) => {
  const service = await start(t, undefined, [], patientStop)
  const idle = await rawConnection(t, service.port)
  idle.send('GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n')
  while (!idle.received().includes('"ok"')) await sleep(10)
  service.process.kill('SIGTERM')
  // The service closes it long before the deadline for running requests.
  const first = await Promise.race([idle.closed.then(() => 'closed'), sleep(PATIENCE_MS, 'late', { ref: false })])
  assert.equal(first, 'closed')
  assert.equal((await exitOf(service)).code, 0)
})

test('bytes that are not HTTP get a problem, and the connection is closed', async (t) => {
  const service = await start(t)
  for (const [text, status] of [
    ['NONSENSE\r\n\r\n', 400],
    ['GET / HTTP/1.1\r\n\r\n', 400],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 431],
  ] as const) {
    const connection = await rawConnection(t, service.port)
    connection.send(text)
    await connection.closed
    assert.ok(connection.received().startsWith(`HTTP/1.1 ${status} `), connection.received().slice(0, 100))
  }
})

test('a second process on the same folder prints one line and ends', async (t) => {
  const service = await start(t)
  const second = spawnSync(process.execPath, [program, '--port=0', `--data-dir=${service.dataDir}`], {
    encoding: 'utf8',
  })
  assert.equal(second.status, 1)
  assert.equal(
    second.stderr,
    `quirl: another quirl is using DATA_DIR=${service.dataDir}: stop it first, or give this one its own folder\n`,
  )
})

test('an invalid value, a port in use and an unknown flag each end the start with one line and status 1', async (t) => {
  const service = await start(t)
  const folder = temporaryFolder(t)
  const lines: [args: string[], line: RegExp][] = [
    [['--port=http'], /^quirl: PORT=http is not allowed: it must be a whole number from 0 to 65535 .*\n$/],
    [['--prot=1'], /^quirl: Unknown option '--prot'.*\n$/],
    [
      [`--port=${service.port}`, '--host=127.0.0.1', `--data-dir=${folder}`],
      /^quirl: cannot listen on HOST=127\.0\.0\.1 PORT=\d+: .*EADDRINUSE.*\n$/,
    ],
  ]
  for (const [args, line] of lines) {
    const result = spawnSync(process.execPath, [program, ...args], { cwd: folder, encoding: 'utf8' })
    assert.match(result.stderr, line)
    assert.equal(result.status, 1)
  }
})

test('damaged statistics end the start with one line', async (t) => {
  const folder = temporaryFolder(t)
  await (await openDatabase(folder, Date.now)).close()
  writeFileSync(join(folder, 'scans.db'), 'this is no database'.repeat(100))
  const result = spawnSync(process.execPath, [program, '--port=0', `--data-dir=${folder}`], {
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  })
  assert.equal(result.status, 1)
  assert.match(
    result.stderr.trim().split('\n').at(-1) ?? '',
    /^quirl: .*scans\.db cannot be used \(.*\): replace it with the scans\.db of a backup, or move it away/,
  )
})

test('--help and --version print and exit 0, and do not use the folder', (t) => {
  const cwd = temporaryFolder(t)
  const help = spawnSync(process.execPath, [program, '--help'], { cwd, encoding: 'utf8' })
  assert.match(help.stdout, /--port +PORT/)
  const version = spawnSync(process.execPath, [program, '--version'], { cwd, encoding: 'utf8' })
  assert.match(version.stdout, /^\d+\.\d+\.\d+\n$/)
  assert.deepEqual([help.status, version.status, readdirSync(cwd)], [0, 0, []])
})

test('neither the output nor the data folder contains an address, token, query or path of a visit', async (t) => {
  const service = await start(t)
  const agent = 'Tell-Tale-Agent/1.0'
  const link = await create(service, { target: 'https://example.com/', alias: 'private' })
  await visit(`${link.short_url}?qr=1&tell=tale`, {
    'user-agent': agent,
    referer: 'https://elsewhere.example/tell-tale?tell=tale',
  })
  await visit(`${service.url}/tell-tale-unknown?x=1`)
  await fetch(`${service.url}/m/${link.token}`)
  await fetch(`${service.url}/api/manage/${link.token}?tell=tale`, { method: 'DELETE' })
  service.process.kill('SIGTERM')
  await exitOf(service)
  const files = filesBelow(service.dataDir).map(({ bytes }) => bytes.toString('latin1'))
  const everything = [service.output(), ...files].join('\n')
  for (const secret of [link.token, '127.0.0.1', '::ffff:', agent, 'tell=tale', 'tell-tale']) {
    assert.equal(everything.includes(secret), false, secret)
  }
})

test('a signal to "npm start" stops the service and frees the port', async (t) => {
  const root = fileURLToPath(new URL('..', import.meta.url))
  const env = { ...process.env, PORT: '0', HOST: '127.0.0.1', DATA_DIR: temporaryFolder(t) }
  const npm = spawn('npm', ['start'], { cwd: root, env })
  const exited = once(npm, 'exit')
  undoLater(t, async () => {
    npm.kill('SIGTERM')
    await exited
  })
  let output = ''
  npm.stdout.on('data', (data) => (output += String(data)))
  await poll(() => /http:\/\/\S+:\d+ /.test(output))
  const port = Number(/http:\/\/\S+?:(\d+) /.exec(output)?.[1])
  npm.kill('SIGTERM')
  await exited
  await poll(async () => !(await isOpen(port)))
})
