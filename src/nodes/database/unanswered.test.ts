import assert from 'node:assert/strict'
import { test } from 'node:test'
import { undoLater } from '../../../test/support/cleanup.ts'
import { poll } from '../../../test/support/poll.ts'
import { startPostgres, urlOf } from '../../../test/support/postgres.ts'
import { requireProgram } from '../../../test/support/programs.ts'
import { StoreUnavailable } from '../../db/unavailable.ts'
import { openPostgresSession } from './session.ts'

const MAX = 3
const times = { connectMs: 300, statementMs: 300 }
const TRIES = 20

const SETTING = 'synchronous_standby_names'

test('while a synchronous standby is away, a pool opens as many connections again at most, reads, and refuses changes', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const server = await startPostgres(t)
  const waitFor = async (standbys: string) => {
    await server.execute(`alter system set ${SETTING} = '${standbys}'`)
    await server.execute('select pg_reload_conf()')
    await poll(async () => (await server.execute(`show ${SETTING}`)).rows[0]?.[SETTING] === standbys)
  }
  // The server stops only when no commit waits.
  undoLater(t, () => waitFor(''))
  await server.execute('create table changes (made integer)')
  const session = openPostgresSession({ url: urlOf({ ...server, database: 'postgres' }), max: MAX, times })
  undoLater(t, () => session.close())
  const change = () => session.query('insert into changes values (1)')
  await waitFor('away')
  // Each connection reads the setting again by itself, in its own time.
  await poll(() =>
    change().then(
      () => false,
      () => true,
    ),
  )

  for (let tries = 0; tries < TRIES; tries++) await assert.rejects(change(), StoreUnavailable)
  const { rows } = await server.execute(`select 1 from pg_stat_activity where application_name = 'quirl'`)
  assert.ok(rows.length <= 2 * MAX, `${rows.length} connections`)
  assert.deepEqual(await session.query('select 1 as one'), [{ one: 1 }])

  await waitFor('')
  await poll(() =>
    change().then(
      () => true,
      () => false,
    ),
  )
})
