import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { command } from './support/cli.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { startDns } from './support/dns.ts'
import { poll } from './support/poll.ts'
import { create, post, startServer } from './support/server.ts'

// A stranger has the service's own host listed by making phishing links on it.

const HOST = 'go.bakery.shop'
const CUSTOM = 'qr.example.com'
const TARGET = 'https://example.org/'

test('links that name the service itself are blocked by no list: not its own host, nor a custom domain from when it leads here until it leads elsewhere', async (t) => {
  const dns = await startDns(t, { [HOST]: { a: ['192.0.2.1'] } })
  const file = join(temporaryFolder(t), 'list.txt')
  writeFileSync(file, 'bad.example\n')
  let now = Date.UTC(2026, 5, 21)
  const env = { BASE_URL: `https://${HOST}`, DNS_SERVERS: dns.address, ABUSE_FEEDS: file }
  const server = await startServer(t, env, () => now)
  const links = {
    own: await create(server, { target: TARGET, title: `see ${HOST}/menu` }),
    custom: await create(server, { target: TARGET, title: `see https://${CUSTOM}/menu` }),
    other: await create(server, { target: TARGET, title: 'see bad.example.net' }),
  }
  const visits = async () => {
    const answers = Object.values(links).map(({ code }) => fetch(`${server.url}/${code}`, { redirect: 'manual' }))
    return (await Promise.all(answers)).map(({ status }) => status).join()
  }
  const look = () => command(server.dataDir, 'lists', '--refresh')
  const turn = async (answer: string) => {
    await look()
    await poll(async () => (await visits()) === answer)
  }

  writeFileSync(file, `bad.example\n${HOST}\n${CUSTOM}\nbad.example.net\n`)
  await turn('302,410,410')
  assert.match((await look()).stdout, /list\.txt names go\.bakery\.shop, which is this service: no link is blocked/)
  assert.equal((await post(`${server.url}/api/links`, { target: TARGET, title: `see ${HOST}/menu` })).status, 201)
  const refused = { target: TARGET, title: `see ${CUSTOM}/menu` }
  assert.equal((await post(`${server.url}/api/links`, refused)).status, 422)
  const own = await command(server.dataDir, 'unblock', HOST)
  assert.match(own.stderr, /go\.bakery\.shop is this service itself: .* the list .*list\.txt names it/)

  // What was blocked for a name comes back when that is one of the service, and only that.
  dns.zones[CUSTOM] = { cname: HOST }
  await post(`${server.url}/api/domains`, { domain: CUSTOM })
  await poll(() => server.services.domains.leadsHere(CUSTOM))
  await turn('302,302,410')
  assert.equal((await post(`${server.url}/api/links`, refused)).status, 201)
  // A stranger may have a listed name lead here for a while.
  dns.zones[CUSTOM] = { a: ['192.0.2.9'] }
  now += 3_600_000 + 60_000
  await server.services.domains.sweep()
  await poll(() => !server.services.domains.leadsHere(CUSTOM))
  await turn('302,410,410')
})
