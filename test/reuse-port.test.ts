// Several nodes on one machine that share a port.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:http'
import { createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { undoLater } from './support/cleanup.ts'
import { createDatabase } from './support/drivers.ts'
import { poll } from './support/poll.ts'
import { urlOf } from './support/postgres.ts'
import { exitOf, start } from './support/program.ts'
import { requireProgram } from './support/programs.ts'
import { create } from './support/server.ts'
import { UNLIMITED } from './support/workload.ts'

const target = 'https://example.com/'

/** Visits on a connection of its own. @returns the status, or the code of the error */
function visitOnce(url: string): Promise<number | string> {
  return new Promise((resolve) => {
    request(url, { agent: false }, (response) => resolve(response.resume().statusCode ?? 0))
      .once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? ''))
      .end()
  })
}

test('two nodes share a port, and the stop of one loses no visit that it has accepted', async (t) => {
  if (process.platform !== 'linux') return t.skip('only Linux spreads connections over sockets')
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const env = { DATABASE_URL: urlOf(await createDatabase()), REUSE_PORT: 'on' }
  const first = await start(t, undefined, UNLIMITED, { env })
  const second = await start(t, undefined, [...UNLIMITED, `--port=${first.port}`], { env })
  assert.equal(second.port, first.port)
  const link = await create(first, { target })
  const url = `${first.url}/${link.code}`
  const recorded = async () => {
    const text = await (await fetch(`${first.url}/metrics`, { headers: { connection: 'close' } })).text()
    return Number(/^quirl_scans_recorded_total (\d+)$/m.exec(text)?.[1])
  }
  const visits = await Promise.all(Array.from({ length: 201 }, () => visitOnce(url)))
  assert.deepEqual([...new Set(visits)], [302])
  // Connections are spread over both: each has recorded some, and not as many as the other.
  const counts = new Set<number>()
  await poll(async () => counts.add(await recorded()).size === 2)
  const [some = 0, others = 0] = counts
  assert.equal(some + others, visits.length)

  // Under load, and with a request that it has accepted: what it has accepted it answers.
  const answers: (number | string)[] = []
  const over = new AbortController()
  const load = Array.from({ length: 8 }, async () => {
    while (!over.signal.aborted) {
      answers.push(await visitOnce(url))
      await sleep(2)
    }
  })
  await poll(() => answers.length > 50)
  first.process.kill('SIGTERM')
  assert.deepEqual(await exitOf(first), { code: 0, signal: null })
  const before = answers.length
  await poll(() => answers.length > before + 50)
  over.abort()
  await Promise.all(load)
  // Only what the kernel had not handed over yet may be reset.
  const lost = answers.filter((answer) => answer !== 302)
  assert.ok(lost.every((answer) => answer === 'ECONNRESET') && lost.length <= 8, lost.join())
  t.diagnostic(`${lost.length} of ${answers.length} connections were reset`)
  assert.deepEqual(new Set(answers.slice(before + 8)), new Set([302]))
})

test('a port on which another program listens is refused', async (t) => {
  const other = createServer().listen(0, '127.0.0.1')
  await once(other, 'listening')
  undoLater(t, () => void other.close())
  const { port } = other.address() as AddressInfo
  for (const reuse of ['on', 'off'])
    await assert.rejects(start(t, undefined, [`--port=${port}`, `--reuse-port=${reuse}`]), /cannot listen .*EADDRINUSE/)
})
