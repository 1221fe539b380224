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

test('links that name the service itself are blocked by no list; those that name a custom domain are, wherever that leads, unless the operator allows it', async (t) => {
  const dns = await startDns(t, { [HOST]: { a: ['192.0.2.1'] }, [CUSTOM]: { cname: HOST } })
  const file = join(temporaryFolder(t), 'list.txt')
  writeFileSync(file, 'bad.example\n')
  const server = await startServer(t, { BASE_URL: `https://${HOST}`, DNS_SERVERS: dns.address, ABUSE_FEEDS: file })
  // A stranger may have a listed name lead here, and visitors elsewhere.
  await post(`${server.url}/api/domains`, { domain: CUSTOM })
  await poll(() => server.services.domains.leadsHere(CUSTOM))
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
  await command(server.dataDir, 'unblock', CUSTOM)
  assert.equal((await post(`${server.url}/api/links`, refused)).status, 201)
})

test('what was blocked for naming the service before is reinstated by the sweep', async (t) => {
  const dns = await startDns(t, { 'old.bakery.shop': { a: ['192.0.2.1'] }, [HOST]: { a: ['192.0.2.1'] } })
  const dataDir = temporaryFolder(t)
  const file = join(temporaryFolder(t), 'list.txt')
  writeFileSync(file, `${HOST}\n`)
  const env = { DNS_SERVERS: dns.address, ABUSE_FEEDS: file, DATA_DIR: dataDir }
  const before = await startServer(t, { ...env, BASE_URL: 'https://old.bakery.shop', ABUSE_FEEDS: '' })
  const { code } = await create(before, { target: TARGET, title: `see ${HOST}/menu` })
  await before.stop()
  const status = async (server: { url: string }) =>
    (await fetch(`${server.url}/${code}`, { redirect: 'manual' })).status
  const foreign = await startServer(t, { ...env, BASE_URL: 'https://old.bakery.shop' })
  await poll(async () => (await status(foreign)) === 410)
  await foreign.stop()
  const own = await startServer(t, { ...env, BASE_URL: `https://${HOST}` })
  await poll(async () => (await status(own)) === 302)
})
