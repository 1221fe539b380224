import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { sql } from '#kysely'
import { undoLater } from '../../../test/support/cleanup.ts'
import { createDatabase } from '../../../test/support/drivers.ts'
import { poll } from '../../../test/support/poll.ts'
import { urlOf } from '../../../test/support/postgres.ts'
import { requireProgram } from '../../../test/support/programs.ts'
import { connectPostgres } from '../database/database.ts'
import { StartError } from '../../lib/start-error.ts'
import { openPostgresBus } from './postgres.ts'

const needs = { monotonic: () => performance.now(), log: { warn() {} } }

/** A bus that records what it hears. */
async function open(t: TestContext, url: string) {
  const bus = await openPostgresBus({ ...needs, url })
  undoLater(t, () => bus.close())
  const heard: string[] = []
  for (const topic of ['links', 'domains'] as const) {
    bus.subscribe(topic, (keys) => heard.push(...keys.map((key) => `${topic} ${key}`)))
  }
  bus.onGap(() => heard.push('gap'))
  return { bus, heard }
}

test('nodes hear each other, each key once, and not themselves', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const url = urlOf(await createDatabase())
  const [a, b] = [await open(t, url), await open(t, url)]
  for (const key of ['one', 'two', 'one']) a.bus.publish('links', key)
  a.bus.publish('domains', 'a.example.com')
  await poll(() => b.heard.length === 3)
  assert.deepEqual(b.heard, ['links one', 'links two', 'domains a.example.com'])
  b.bus.publish('links', 'back')
  await poll(() => a.heard.length > 0)
  assert.deepEqual(a.heard, ['links back'])
})

test('many keys at once all arrive', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const url = urlOf(await createDatabase())
  const [a, b] = [await open(t, url), await open(t, url)]
  const keys = Array.from({ length: 5000 }, (_, at) => `code-${at}`)
  for (const key of keys) a.bus.publish('links', key)
  await poll(() => b.heard.length === keys.length)
  assert.deepEqual(
    b.heard,
    keys.map((key) => `links ${key}`),
  )
})

test('a connection that was cut is a gap, after which messages arrive again', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const url = urlOf(await createDatabase())
  const db = connectPostgres({ url, max: 2 })
  undoLater(t, () => db.close())
  const [a, b] = [await open(t, url), await open(t, url)]
  // The connection that was opened first is that of the first node.
  await sql`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'quirl listener' and datname = current_database() order by backend_start limit 1`.execute(
    db.read,
  )
  await poll(() => a.bus.metrics.find(({ name }) => name === 'quirl_bus_gaps_total')?.read() === 1)
  assert.deepEqual(a.heard, ['gap'])
  a.bus.publish('links', 'again')
  await poll(() => b.heard.includes('links again'))
  b.bus.publish('links', 'back')
  await poll(() => a.heard.includes('links back'))
})

test('a bus that cannot be opened is an error for the operator', async () => {
  await assert.rejects(openPostgresBus({ ...needs, url: 'postgres://u:hidden@127.0.0.1:1/x' }), (error: unknown) => {
    assert.ok(error instanceof StartError)
    assert.doesNotMatch(error.message, /hidden/)
    return true
  })
})
