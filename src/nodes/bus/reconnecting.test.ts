// A connection that listens, and what becomes of it when it fails in whatever way.
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test, type TestContext } from 'node:test'
import { setImmediate as iteration } from 'node:timers/promises'
import { undoLater } from '../../../test/support/cleanup.ts'
import { fc, runs } from '../../../test/support/fast-check.ts'
import { poll } from '../../../test/support/poll.ts'
import { addressOf, startPostgres, urlOf, type PostgresServer } from '../../../test/support/postgres.ts'
import { requireProgram } from '../../../test/support/programs.ts'
import { proxyFaults, startProxy } from '../../../test/support/tcp-proxy.ts'
import type { Bus } from '../../bus/bus.ts'
import type { ListeningClient } from './listener.ts'
import { openPostgresBus } from './postgres.ts'

const log = { warn() {} }

/** What a connection does while it is opened, and once it is: in which order, and in which turn of the event loop. */
type Act = 'error' | 'end' | 'answer' | 'refuse'
type Turn = 'now' | 'tick' | 'microtask' | 'iteration'
type Life = { act: Act; turn: Turn }[]

const turns: Record<Turn, (run: () => void) => void> = {
  now: (run) => run(),
  tick: (run) => process.nextTick(run),
  microtask: (run) => queueMicrotask(run),
  iteration: (run) => setImmediate(run),
}

/** Connections whose lives are given, and good ones after those. */
function createClients(lives: Life[]) {
  const open = new Set<object>()
  let created = 0
  let most = 0

  function createClient(): ListeningClient {
    const life = lives[created++]
    const events = new EventEmitter()
    const on: ListeningClient['on'] = (name, listener) => events.on(name, listener)
    open.add(events)
    most = Math.max(most, open.size)
    const connect = () =>
      new Promise<void>((resolve, reject) => {
        if (life === undefined) return resolve()
        const acts: Record<Act, () => void> = {
          error: () => events.emit('error', new Error('reset')),
          end: () => events.emit('end'),
          answer: resolve,
          refuse: () => reject(new Error('refused')),
        }
        for (const { act, turn } of life) turns[turn](acts[act])
      })
    const end = async () => void open.delete(events)
    return { on, connect, query: async () => {}, end }
  }
  return { createClient, open, created: () => created, most: () => most }
}

const act = fc.constantFrom<Act>('error', 'end', 'answer', 'refuse')
const turn = fc.constantFrom<Turn>('now', 'tick', 'microtask', 'iteration')
/** One that tells neither that it is open nor that it is over would be waited for: `pg` gives it up after a while. */
const life = fc
  .array(fc.record({ act, turn }), { minLength: 1, maxLength: 5 })
  .map((acts) => [...acts, { act: 'end' as const, turn: 'iteration' as const }])

test('whatever connections emit, there is one at a time, and a pause before each', async () => {
  const property = fc.asyncProperty(fc.array(life, { maxLength: 8 }), async (lives) => {
    const clients = createClients([[{ act: 'answer', turn: 'now' }, ...(lives[0] ?? [])], ...lives.slice(1)])
    let pauses = 0
    const pause = async () => {
      pauses++
      await iteration()
    }
    const needs = { url: '', log, monotonic: () => 0, createClient: clients.createClient, pause }
    const bus = await openPostgresBus(needs).catch(() => undefined)
    if (bus === undefined) {
      // The start gives up at the first failure.
      assert.deepEqual([clients.created(), clients.open.size], [1, 0])
      return
    }
    for (let more = 0; more < 10 * lives.length + 10; more++) await iteration()
    assert.equal(clients.most(), 1)
    assert.equal(clients.open.size, 1)
    assert.equal(clients.created(), 1 + pauses)
    assert.equal(clients.created(), Math.max(1, lives.length) + (lives.length > 0 ? 1 : 0))
    assert.equal(bus.metrics.find(({ name }) => name === 'quirl_bus_connected')?.read(), 1)
    await bus.close()
    assert.equal(clients.open.size, 0)
  })
  await fc.assert(property, { numRuns: runs(200) })
})

/** Two buses, one of them behind a proxy, that counts its pauses. */
async function openTwo(t: TestContext, server: PostgresServer) {
  const proxy = await startProxy(t, server.socket)
  let pauses = 0
  const pause = async () => {
    pauses++
    await iteration()
  }
  const needs = { log, monotonic: () => performance.now() }
  const direct = await openPostgresBus({ ...needs, url: urlOf(addressOf(server, 'postgres')) })
  undoLater(t, () => direct.close())
  const url = `postgres://${server.user}@127.0.0.1:${proxy.port}/postgres`
  const times = { connectMs: 100, statementMs: 100 }
  let behind: Bus | undefined
  // A busy machine may need longer for the first connection, which is not tried again.
  await poll(async () => {
    behind = await openPostgresBus({ ...needs, url, times, pause }).catch(() => undefined)
    return behind !== undefined
  })
  assert.ok(behind !== undefined)
  const { close } = behind
  undoLater(t, () => close())
  const first = proxy.accepted()
  return { proxy, direct, behind, reconnected: () => proxy.accepted() - first, pauses: () => pauses }
}

test('a proxy whose connections fail in any way is knocked at once a pause, and all is well when it is', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const server = await startPostgres(t)
  const { proxy, direct, behind, reconnected, pauses } = await openTwo(t, server)
  let heard = 0
  behind.subscribe('links', (keys) => (heard += keys.length))
  const listeners = async () =>
    (await server.execute(`select 1 from pg_stat_activity where application_name = 'quirl listener'`)).rows.length
  for (const fault of proxyFaults) {
    const before = pauses()
    proxy.fail(fault)
    await poll(() => pauses() >= before + 5)
    assert.ok(reconnected() <= pauses(), `${fault}: ${reconnected()} connections after ${pauses()} pauses`)
    proxy.fail(undefined)
    heard = 0
    await poll(() => {
      direct.publish('links', 'a')
      return heard > 0
    })
    await poll(async () => (await listeners()) === 2)
  }
})
