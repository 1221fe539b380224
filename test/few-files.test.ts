import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from './support/cleanup.ts'
import { poll } from './support/poll.ts'
import { start } from './support/program.ts'
import { create, visit } from './support/server.ts'

const CLIENTS = 200
const ROUNDS = 10

/** Visits repeatedly on one connection, and on a new one when that is closed; returns the number of redirects. */
async function visitOften(port: number, path: string): Promise<number> {
  let redirected = 0
  for (let round = 0; round < ROUNDS; round++) {
    const socket = connect(port, '127.0.0.1')
    redirected += await redirectsOn(socket, path)
    socket.destroy()
  }
  return redirected
}

async function redirectsOn(socket: Socket, path: string): Promise<number> {
  let received = ''
  socket.on('error', () => {})
  socket.on('data', (data) => {
    received += String(data)
    socket.end()
  })
  socket.write(`GET ${path} HTTP/1.1\r\nHost: quirl.example\r\n\r\n`)
  // The service may reset a connection that it refuses.
  await new Promise((resolve) => socket.once('close', resolve))
  return received.startsWith('HTTP/1.1 302 ') ? 1 : 0
}

test('with 64 files and 200 clients each acknowledged visit is recorded', async (t) => {
  if (process.platform === 'win32') return t.skip('there is no limit of files')
  const { url, port, output } = await start(t, undefined, [], { files: 64 })
  const { code, token } = await create({ url }, { target: 'https://example.com/' })
  // Before the crowd comes, so that some are acknowledged for certain.
  for (let at = 0; at < ROUNDS; at++) assert.equal((await visit(`${url}/${code}`)).status, 302)
  const answers = await Promise.all(Array.from({ length: CLIENTS }, () => visitOften(port, `/${code}`)))
  const redirected = answers.reduce((sum, each) => sum + each, 0)
  t.diagnostic(`${redirected} of ${CLIENTS * ROUNDS} visits were redirected`)
  assert.equal((await visit(`${url}/${code}`)).status, 302)
  const acknowledged = ROUNDS + redirected + 1
  const metrics = await (await fetch(`${url}/metrics`)).text()
  assert.match(metrics, /^quirl_scans_lost_total 0$/m)
  const recorded = Number(/^quirl_scans_recorded_total (\d+)$/m.exec(metrics)?.[1])
  assert.ok(recorded >= acknowledged, `${recorded} of ${acknowledged} were recorded`)
  await poll(async () => {
    const response = await fetch(`${url}/api/manage/${token}`)
    return ((await response.json()) as { totals: { scans: number } }).totals.scans === recorded
  })
  assert.doesNotMatch(output(), /EMFILE/)
})

test('with too few files for a start, the program says so in one line, and leaves no folder', async (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux tells how many files are open')
  // Below 22, Node itself ends without a word.
  for (const files of [24, 30, 40, 50]) {
    const dataDir = join(temporaryFolder(t), 'data')
    const error = await start(t, dataDir, [], { files }).then(
      () => assert.fail('it has started'),
      ({ message }: Error) => message,
    )
    assert.match(error, new RegExp(`^quirl: this process may have only ${files} files open \\(ulimit -n\\), .*\n$`))
    assert.equal(existsSync(dataDir), false)
  }
})
