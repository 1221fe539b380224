// Two nodes, and a standby that takes the place of PostgreSQL.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startContendedLoad } from './support/contended-load.ts'
import { poll } from './support/poll.ts'
import { startPostgres } from './support/postgres.ts'
import { requireProgram } from './support/programs.ts'
import { create, post, startServer, visit } from './support/server.ts'
import { startProxy } from './support/tcp-proxy.ts'

const target = 'https://example.com/'
const times = { postgresTimes: { connectMs: 1000, statementMs: 2000 } }

for (const follows of ['its name moves', 'the URL has both'] as const) {
  test(`nothing acknowledged is lost when a synchronous standby is promoted, and ${follows}`, async (t) => {
    if (!requireProgram(t, 'initdb', 'postgresql')) return
    const primary = await startPostgres(t)
    const standby = await startPostgres(t, { standbyOf: primary })
    await primary.execute(`alter system set synchronous_standby_names = '*'`)
    await primary.execute('select pg_reload_conf()')
    const proxy = await startProxy(t, primary.socket)
    const hosts = [primary, standby].map(({ host }) => encodeURIComponent(host)).join(',')
    const urls = {
      'its name moves': `postgres://${primary.user}@127.0.0.1:${proxy.port}/postgres`,
      'the URL has both': `postgres:///postgres?user=${primary.user}&host=${hosts}`,
    }
    const env = { DATABASE_URL: urls[follows] }
    const [a, b] = [await startServer(t, env, Date.now, times), await startServer(t, env, Date.now, times)]
    await poll(async () => {
      const { rows } = await primary.execute('select sync_state from pg_stat_replication')
      return rows.some(({ sync_state: state }) => state === 'sync')
    })
    const link = await create(a, { target })
    const load = startContendedLoad([a, b], 'failover')
    await load.acknowledge(20)

    await primary.kill()
    proxy.pointTo(standby.socket)
    // Before it is promoted it answers reads, and refuses changes.
    await poll(async () => (await visit(`${b.url}/${link.code}`)).status === 302)
    for (const { url } of [a, b]) assert.equal((await post(`${url}/api/links`, { target })).status, 503)

    await standby.execute('select pg_promote()')
    await load.acknowledge(20)
    await load.end(standby, 'postgres')
    for (const { url } of [a, b]) {
      const connected = async () => (await (await fetch(`${url}/metrics`)).text()).includes('\nquirl_bus_connected 1')
      await poll(connected)
    }
  })
}
