import assert from 'node:assert/strict'
import { createServer, type AddressInfo } from 'node:net'
import { test } from 'node:test'
import { undoLater } from '../../../test/support/cleanup.ts'
import { poll } from '../../../test/support/poll.ts'
import { startPostgres } from '../../../test/support/postgres.ts'
import { requireProgram } from '../../../test/support/programs.ts'
import { proxyFaults, startProxy } from '../../../test/support/tcp-proxy.ts'
import { StoreUnavailable } from '../../db/unavailable.ts'
import { BoundedClient } from './client.ts'
import { connectionOptions } from './pool.ts'
import { openPostgresSession } from './session.ts'

const MAX = 3

test('a proxy whose connections fail in any way sees one a pause, however many statements wait', async (t) => {
  if (!requireProgram(t, 'initdb', 'postgresql')) return
  const server = await startPostgres(t)
  const proxy = await startProxy(t, server.socket)
  const url = `postgres://${server.user}@127.0.0.1:${proxy.port}/postgres`
  let now = 0
  const times = { connectMs: 300, statementMs: 300 }
  const session = openPostgresSession({ url, max: MAX, times, monotonic: () => now })
  undoLater(t, () => session.close())
  /** Many at once, again and again. */
  const ask = async (rounds: number) => {
    for (let round = 0; round < rounds; round++) {
      const asked = Array.from({ length: 200 }, () => session.query('select 1'))
      for (const each of await Promise.allSettled(asked)) {
        if (each.status === 'rejected') assert.ok(each.reason instanceof StoreUnavailable, String(each.reason))
      }
    }
  }
  for (const fault of proxyFaults) {
    proxy.fail(fault)
    // Connections that are ready fail by their statements: each of those takes its time.
    if (fault === 'half-open') await ask(1)
    else {
      await ask(1)
      const first = proxy.accepted()
      await ask(5)
      assert.equal(proxy.accepted(), first, fault)
      for (let pauses = 1; pauses <= 3; pauses++) {
        now += 1000
        await ask(2)
        assert.equal(proxy.accepted(), first + pauses, fault)
      }
    }
    proxy.fail(undefined)
    await poll(() => {
      now += 1000
      return session.query('select 1').then(
        () => true,
        () => false,
      )
    })
    await ask(1)
    const { rows } = await server.execute(`select 1 from pg_stat_activity where application_name = 'quirl'`)
    assert.ok(rows.length <= MAX, fault)
  }
})

test('a connection ends also when nobody answers at its other side', async (t) => {
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  undoLater(t, () => void silent.close())
  const url = `postgres://quirl@127.0.0.1:${(silent.address() as AddressInfo).port}/quirl`
  const client = new BoundedClient(connectionOptions(url))
  void client.connect().catch(() => {})
  await client.end()
  assert.equal(client.connection.stream.destroyed, true)
})
