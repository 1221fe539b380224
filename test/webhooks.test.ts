import assert from 'node:assert/strict'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { test } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { insertEvent } from '../src/webhooks/outbox-store.ts'
import { createEvent } from '../src/webhooks/event.ts'
import { createLeases } from '../src/db/lease.ts'
import { reinstateLink, suspendLink } from '../src/abuse/suspension.ts'
import type { WebhookDetails } from '../src/links/webhook.ts'
import { temporaryFolder } from './support/cleanup.ts'
import { startDns } from './support/dns.ts'
import { PATIENCE_MS, poll } from './support/poll.ts'
import { exitOf, start as startProgram } from './support/program.ts'
import { startReceiver, type Receiver } from './support/receiver.ts'
import {
  createWithWebhook,
  detailsOf,
  EVENTS,
  loopbackOnly,
  manage,
  receive,
  startWithWebhooks as start,
  webhookOf,
  type CreatedWithWebhook,
} from './support/webhooks.ts'
import {
  create,
  post,
  put,
  skipUnlessOneNode,
  startServer,
  visit,
  type Created,
  type TestServer,
} from './support/server.ts'

const SECOND_MS = 1_000
const DAY_MS = 86_400_000
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }

test('a link without a webhook has null in its details, and sends nothing', async (t) => {
  const { server, receiver } = await start(t)
  const link = await create(server, { target: 'https://example.com/' })
  assert.equal('webhook' in link, false)
  const { webhook } = await detailsOf(put(manage(server, link), { title: 'New' }))
  assert.equal(webhook, null)
  assert.deepEqual(await server.services.db.read.selectFrom('outbox').selectAll().execute(), [])
  assert.equal(receiver.received.length, 0)
})

test('a creation tells the secret once, with which the library verifies what is sent', async (t) => {
  const setting = await start(t)
  const { server, receiver, url } = setting
  const link = await createWithWebhook(server, url, ['link.removed', 'link.changed'])
  const { secret, ...sent } = link.webhook
  assert.deepEqual(sent, { url, events: ['link.changed', 'link.removed'] })
  const untouched = await webhookOf(server, link)
  assert.deepEqual(untouched, {
    url,
    events: ['link.changed', 'link.removed'],
    state: 'active',
    last_delivery_at: null,
    last_status: null,
    last_error: null,
    next_attempt_at: null,
    dropped: 0,
    destination_failing_since: null,
  })

  const { title, webhook } = await detailsOf(put(manage(server, link), { title: 'secret plan', utm: { a: 'b' } }))
  assert.deepEqual([title, webhook?.secret], ['secret plan', undefined])
  await receive(setting, 1)
  const [{ method, path, headers, body, event }] = receiver.received as [Receiver['received'][0]]
  assert.deepEqual([method, path, headers['content-type']], ['POST', '/hook', 'application/json'])
  assert.deepEqual(new Webhook(secret).verify(body, headers as Record<string, string>), event)
  assert.equal(event.type, 'link.changed')
  assert.deepEqual(event.data, { code: link.code, revision: 2, changed: ['title', 'utm'] })
  assert.equal(body.includes('secret plan') || body.includes(link.token), false)
  const after = await webhookOf(server, link)
  assert.deepEqual([after.state, after.last_status, after.next_attempt_at], ['active', 204, null])
  assert.ok(after.last_delivery_at !== null)
})

test('a change sets, changes and removes a webhook; a new address or "new" gets a new secret', async (t) => {
  const { server, url } = await start(t)
  const link = await create(server, { target: 'https://example.com/' })
  const path = manage(server, link)
  const change = async (webhook: unknown) => detailsOf(put(path, { webhook }))

  const first = await change({ url, events: ['link.changed'] })
  assert.match(first.webhook?.secret ?? '', /^whsec_/)
  assert.equal((await fetch(path)).headers.get('etag'), '"2"')
  assert.equal((await change({ url, events: ['link.changed'] })).webhook?.secret, undefined)
  assert.equal((await fetch(path)).headers.get('etag'), '"2"', 'the same again is no change')
  assert.equal((await change({ url, events: EVENTS })).webhook?.secret, undefined, 'the secret stays with its address')
  const renewed = (await change({ url, events: EVENTS, secret: 'new' })).webhook?.secret
  const moved = (await change({ url: `${url}/2`, events: EVENTS })).webhook?.secret
  const back = (await change({ url, events: EVENTS })).webhook?.secret
  assert.equal(new Set([first.webhook?.secret, renewed, moved, back]).size, 4)

  assert.equal((await change(null)).webhook, null)
  assert.equal((await change(null)).webhook, null)
  const stale = await put(path, { webhook: { url, events: EVENTS } }, { 'if-match': '"2"' })
  assert.equal(stale.status, 412)
})

test('an Idempotency-Key returns the same secret', async (t) => {
  const { server, url } = await start(t)
  const body = { target: 'https://example.com/', webhook: { url, events: ['link.changed'] } }
  const send = async () => (await post(`${server.url}/api/links`, body, { 'idempotency-key': 'k'.repeat(20) })).json()
  const first = (await send()) as CreatedWithWebhook
  assert.match(first.webhook.secret, /^whsec_/)
  assert.deepEqual(await send(), first)
})

test('a change of many links is sent to the webhook of each, and sets none', async (t) => {
  const setting = await start(t)
  const { server, receiver, url } = setting
  const links = [await createWithWebhook(server, url), await createWithWebhook(server, url)]
  const change = (fields: object) =>
    post(`${server.url}/api/manage`, { changes: links.map(({ token }) => ({ token, ...fields })) })
  assert.equal((await change({ title: 'Menu' })).status, 200)
  await receive(setting, 2)
  const sent = receiver.received.map(({ event }) => [event.data['code'], event.data['changed']])
  assert.deepEqual(sent.sort(), links.map(({ code }) => [code, ['title']]).sort())
  assert.equal((await change({ webhook: null })).status, 400)
})

test('bulk refuses a webhook in its row, and creates the others', async (t) => {
  const { server, url } = await start(t)
  const target = 'https://example.com/'
  const response = await post(`${server.url}/api/bulk`, [{ target }, { target, webhook: { url, events: EVENTS } }])
  const { created, results } = (await response.json()) as {
    created: number
    results: { error?: { errors: unknown } }[]
  }
  assert.deepEqual([response.status, created], [201, 1])
  const detail = 'cannot be set in bulk; set it by a change of the link'
  assert.deepEqual(results[1]?.error?.errors, [{ pointer: '/webhook', detail }])
})

test('each change of a webhook is charged as a creation, and setting the present one again is not', async (t) => {
  const { server, url } = await start(t, { LIMIT_LINKS: '4' })
  const link = await createWithWebhook(server, url)
  const path = manage(server, link)
  const set = async (webhook: object) => (await put(path, { webhook: { url, events: EVENTS, ...webhook } })).status
  // What is refused for another reason is charged nothing.
  for (let refused = 0; refused < 5; refused++) {
    const change = { webhook: { url: `${url}/2`, events: EVENTS }, target: 'ftp://example.com/' }
    assert.equal((await put(path, change)).status, 400)
    assert.equal((await put(path, { webhook: change.webhook }, { 'if-match': '"9"' })).status, 412)
  }
  assert.equal(await set({ url: `${url}/2` }), 200)
  assert.equal(await set({ events: ['link.changed'], url: `${url}/2` }), 200)
  for (let again = 0; again < 5; again++) assert.equal(await set({ events: ['link.changed'], url: `${url}/2` }), 200)
  assert.equal(await set({ secret: 'new', url: `${url}/2` }), 200)
  assert.equal(await set({ url: `${url}/3` }), 429)
  assert.equal((await put(path, { webhook: null })).status, 200)
})

test('a removal and its end are sent with their reason', async (t) => {
  const setting = await start(t)
  const { server, receiver, clock, url } = setting
  const link = await createWithWebhook(server, url)
  const { db, webhooks, visits } = server.services
  const deps = { db, webhooks, now: () => clock.now, invalidate: visits.invalidate }
  const find = () => server.services.links.findByToken(link.token)
  const removal = { at: clock.now, reason: 'it harms', source: 'operator', expression: null } as const
  assert.equal(await suspendLink(deps, await find(), removal, 'operator', 'operator'), true)
  await receive(setting, 1)
  assert.equal(await reinstateLink(deps, await find(), 'a mistake'), true)
  await receive(setting, 2)
  const [removed, reinstated] = receiver.received.map(({ event }) => event)
  const { reason, source, at } = removal
  const sent = { code: link.code, revision: 2, reason, source, at: new Date(at).toISOString() }
  assert.deepEqual([removed?.type, removed?.data], ['link.removed', sent])
  const data = { code: link.code, revision: 3, changed: ['removed'] }
  assert.deepEqual([reinstated?.type, reinstated?.data], ['link.changed', data])
})

test('an event that fails comes again with the same ID, before the later ones, until it is delivered', async (t) => {
  const setting = await start(t)
  const { server, receiver, clock, url } = setting
  const link = await createWithWebhook(server, url)
  const statuses = [500, 302, 404]
  receiver.respond = (response) => void response.writeHead(statuses.shift() ?? 200, { location: '/elsewhere' }).end()
  await put(manage(server, link), { title: 'One' })
  await poll(async () => (await webhookOf(server, link)).state === 'failing')
  const failing = await webhookOf(server, link)
  assert.deepEqual([failing.last_status, failing.last_error], [500, 'it responds with status 500'])
  assert.equal(failing.next_attempt_at, new Date(clock.now + 5 * SECOND_MS).toISOString())
  assert.equal(receiver.received.length, 1)

  await put(manage(server, link), { title: 'Two' })
  await receive(setting, 5)
  const ids = receiver.received.map(({ headers }) => headers['webhook-id'])
  assert.equal(new Set(ids.slice(0, 4)).size, 1)
  assert.deepEqual(
    receiver.received.map(({ event }) => event.data['revision']),
    [2, 2, 2, 2, 3],
  )
  assert.equal((await webhookOf(server, link)).state, 'active')
})

test('after three days of failures it is given up, and sending resumes when the owner sets it again', async (t) => {
  const setting = await start(t)
  const { server, receiver, clock, url } = setting
  const link = await createWithWebhook(server, url, ['link.changed'])
  receiver.respond = (response) => void response.writeHead(503).end()
  await put(manage(server, link), { title: 'One' })
  const since = clock.now
  await poll(async () => {
    const { state, next_attempt_at: next } = await webhookOf(server, link)
    if (state === 'given_up') return true
    if (state === 'failing' && next !== null) clock.now = Math.max(clock.now, Date.parse(next))
    return false
  })
  assert.equal(clock.now, since + 3 * DAY_MS)
  const given = await webhookOf(server, link)
  assert.deepEqual([given.last_status, given.next_attempt_at, given.dropped], [503, null, 1])
  assert.deepEqual(await server.services.db.read.selectFrom('outbox').selectAll().execute(), [])

  receiver.respond = (response) => void response.writeHead(200).end()
  await put(manage(server, link), { title: 'Two' })
  assert.deepEqual(await server.services.db.read.selectFrom('outbox').selectAll().execute(), [], 'nothing is queued')
  const again = await detailsOf(put(manage(server, link), { webhook: { url, events: ['link.changed'] } }))
  assert.deepEqual([again.webhook?.state, again.webhook?.secret], ['active', undefined])
  const before = receiver.received.length
  await put(manage(server, link), { title: 'Three' })
  await receive(setting, before + 1)
  assert.deepEqual(receiver.received.at(-1)?.event.data['changed'], ['title'])
})

test('a receiver that has no time is left alone for as long as it asks, an hour at most, and its later events wait as well', async (t) => {
  const setting = await start(t)
  const { server, receiver, clock, url } = setting
  const link = await createWithWebhook(server, url)
  const other = await createWithWebhook(server, url)
  const [minute, hour] = [60 * SECOND_MS, 3_600 * SECOND_MS]
  // An HTTP date has no milliseconds.
  clock.now = Math.ceil(clock.now / SECOND_MS) * SECOND_MS
  const date = (ms: number) => new Date(clock.now + ms).toUTCString()
  const answers: [status: number, retryAfter: string | undefined, wait: number][] = [
    [429, '60', minute],
    [503, date(2 * minute), 2 * minute],
    [429, date(-minute), 45 * SECOND_MS],
    [503, '1', 135 * SECOND_MS],
    [429, undefined, 405 * SECOND_MS],
    [503, 'soon', 1215 * SECOND_MS],
    [429, '999999999999999999999', 3645 * SECOND_MS],
    [500, '86400', 10_935 * SECOND_MS],
  ]
  for (const [at, [status, retryAfter, wait]] of answers.entries()) {
    const value = at === 1 ? date(2 * minute) : retryAfter
    receiver.respond = (response) =>
      void response.writeHead(status, value === undefined ? {} : { 'retry-after': value }).end()
    if (at === 0) await put(manage(server, link), { title: 'One' })
    await poll(async () => receiver.received.length === at + 1 && (await webhookOf(server, link)).state === 'failing')
    await poll(async () => (await webhookOf(server, link)).next_attempt_at === new Date(clock.now + wait).toISOString())
    await put(manage(server, link), { title: `Later ${at}` })
    assert.equal((await webhookOf(server, link)).next_attempt_at, new Date(clock.now + wait).toISOString())
    if (at + 1 < answers.length) clock.now += wait
  }
  assert.equal(receiver.received.length, answers.length)

  receiver.respond = (response) => void response.writeHead(429, { 'retry-after': '86400' }).end()
  await put(manage(server, other), { title: 'One' })
  await poll(async () => (await webhookOf(server, other)).state === 'failing')
  assert.equal((await webhookOf(server, other)).next_attempt_at, new Date(clock.now + hour).toISOString())
  clock.now += hour - 1
  await put(manage(server, other), { title: 'Two' })
  receiver.respond = (response) => void response.writeHead(204).end()
  assert.equal(receiver.received.length, answers.length + 1)
  clock.now += 4 * hour
  await receive(setting, answers.length + 1 + 9 + 2)
  assert.equal((await webhookOf(server, other)).state, 'active')
})

test('410 ends sending at once', async (t) => {
  const { server, receiver, url } = await start(t)
  const link = await createWithWebhook(server, url)
  receiver.respond = (response) => void response.writeHead(410).end()
  await put(manage(server, link), { title: 'One' })
  await poll(async () => (await webhookOf(server, link)).state === 'given_up')
  assert.equal(receiver.received.length, 1)
})

test('milestones count people, each comes once, also after a restart, and none of the past', async (t) => {
  const receiver = await startReceiver(t)
  const { address } = await startDns(t, { 'hook.example.com': { a: ['127.0.0.1'] } })
  const webhooks = loopbackOnly
  const open = (env = {}) => startServer(t, { DNS_SERVERS: address, ...env }, undefined, { webhooks })
  const server = await open()
  const url = `http://hook.example.com:${receiver.port}/`
  const link = await createWithWebhook(server, url, ['scans.milestone'])
  const late = await create(server, { target: 'https://example.com/' })
  const visitTimes = async (at: TestServer, { code }: Created, times: number, headers = BROWSER) => {
    for (let done = 0; done < times; done++) await visit(`${at.url}/${code}`, headers)
    await at.services.scans.fold()
  }
  await visitTimes(server, link, 20, { 'user-agent': 'curl/8' })
  await visitTimes(server, late, 12)
  await detailsOf(put(manage(server, late), { webhook: { url, events: ['scans.milestone'] } }))
  await visitTimes(server, link, 10)
  await poll(() => receiver.received.length === 1)
  assert.deepEqual(receiver.received[0]?.event.data, { code: link.code, milestone: 10 })
  await server.stop()

  const restarted = await open({ DATA_DIR: server.dataDir })
  await visitTimes(restarted, late, 88)
  await poll(() => receiver.received.length >= 2)
  assert.deepEqual(receiver.received[1]?.event.data, { code: late.code, milestone: 100 })
  await visitTimes(restarted, link, 90)
  await poll(() => receiver.received.length >= 3)
  assert.deepEqual(
    receiver.received.map(({ event }) => [event.data['code'], event.data['milestone']]),
    [
      [link.code, 10],
      [late.code, 100],
      [link.code, 100],
    ],
  )
})

test('a destination that fails two days in a row is reported once, after one HEAD a day', async (t) => {
  const setting = await start(t)
  const { server, receiver, clock, url, zones } = setting
  const site = await startReceiver(t)
  zones['site.example.com'] = { a: ['127.0.0.1'] }
  const target = `http://site.example.com:${site.port}/menu?a=b`
  const link = await create(server, {
    target,
    utm: { utm_source: 'x' },
    webhook: { url, events: ['destination.failing'] },
  })
  const checked = async (count: number) => {
    await poll(() => site.received.length >= count)
    await poll(async () => {
      const lease = await createLeases(server.services.db, () => performance.now())('destination checks')
      await lease?.release()
      return lease !== undefined
    })
  }
  await checked(1)
  assert.deepEqual([site.received[0]?.method, site.received[0]?.path], ['HEAD', '/menu?a=b&utm_source=x'])
  site.respond = (response) => void response.writeHead(404).end()
  clock.now += DAY_MS
  await checked(2)
  assert.equal((await webhookOf(server, link)).destination_failing_since, null)
  // A server without HEAD gets a GET.
  site.respond = (response, { method }) => void response.writeHead(method === 'HEAD' ? 405 : 500).end()
  clock.now += DAY_MS
  await checked(4)
  await receive(setting, 1)
  const found = { code: link.code, url: `${target}&utm_source=x`, error: 'it responds with status 500' }
  assert.deepEqual(receiver.received[0]?.event.data, found)
  assert.notEqual((await webhookOf(server, link)).destination_failing_since, null)
  clock.now += DAY_MS
  await checked(6)

  // What does not change the destination does not hide that it fails.
  await put(manage(server, link), { title: 'Menu', rules: [{ when: {}, then: { target }, off: true }] })
  assert.notEqual((await webhookOf(server, link)).destination_failing_since, null)
  // A new destination is not failing yet.
  const { destination_failing_since: since } = await webhookOf(server, link)
  await put(manage(server, link), { utm: { utm_source: 'y' } })
  assert.equal((await webhookOf(server, link)).destination_failing_since, null)
  const failing = { destination_failing_since: Date.parse(since ?? '') }
  await server.services.db.write.updateTable('webhooks').set(failing).execute()
  await put(manage(server, link), { target: `http://site.example.com:${site.port}/new` })
  assert.equal((await webhookOf(server, link)).destination_failing_since, null)
  // Nothing is sent to a low port, and a paused link leads nowhere: there is nothing that fails.
  for (const change of [{ target: 'http://site.example.com:25/' }, { active: false }]) {
    await put(manage(server, link), change)
    clock.now += DAY_MS
    const stored = () => server.services.db.read.selectFrom('webhooks').selectAll().executeTakeFirst()
    await poll(async () => ((await stored())?.next_check_at ?? 0) > clock.now)
    await checked(6)
    assert.equal((await stored())?.check_failures, 0)
  }
  assert.equal(site.received.length, 6)
  assert.equal(receiver.received.length, 1)
})

test('a deleted link leaves no webhook and no event, and a removed webhook no event', async (t) => {
  const { server, receiver, url } = await start(t)
  receiver.respond = (response) => void response.writeHead(500).end()
  const stored = async () => {
    const { read } = server.services.db
    return [
      await read.selectFrom('webhooks').selectAll().execute(),
      await read.selectFrom('outbox').selectAll().execute(),
    ]
  }
  const first = await createWithWebhook(server, url)
  await put(manage(server, first), { title: 'One' })
  await fetch(manage(server, first), { method: 'DELETE' })
  assert.deepEqual(await stored(), [[], []])
  const second = await createWithWebhook(server, url)
  await put(manage(server, second), { title: 'One' })
  await put(manage(server, second), { webhook: null })
  assert.deepEqual(await stored(), [[], []])
})

test('at most a hundred events of a link wait; the oldest ones are dropped and counted', async (t) => {
  const { server, receiver, url } = await start(t)
  receiver.respond = (response) => void response.writeHead(500).end()
  const link = await createWithWebhook(server, url)
  const { id } = await server.services.links.findByToken(link.token)
  await server.services.db.transaction(async (transaction) => {
    for (let count = 0; count < 103; count++) {
      await insertEvent(transaction, id, createEvent('link.changed', 0, { count }))
    }
  })
  const rows = await server.services.db.read.selectFrom('outbox').select('body').orderBy('id').execute()
  assert.equal(rows.length, 100)
  assert.match(rows[0]?.body ?? '', /"count":3/)
  assert.equal((await webhookOf(server, link)).dropped, 3)
})

test('with WEBHOOKS=off none can be set, and nothing is sent', async (t) => {
  const { server, url } = await start(t, { WEBHOOKS: 'off' })
  const webhook = { url, events: EVENTS }
  const response = await post(`${server.url}/api/links`, { target: 'https://example.com/', webhook })
  assert.equal(response.status, 400)
  const { errors } = (await response.json()) as { errors: { pointer: string; detail: string }[] }
  assert.equal(errors[0]?.pointer, '/webhook')
  assert.match(errors[0]?.detail ?? '', /turned webhooks off/)
  const link = await create(server, { target: 'https://example.com/' })
  assert.equal((await put(manage(server, link), { webhook })).status, 400)
  assert.equal((await detailsOf(put(manage(server, link), { webhook: null }))).webhook, null)
})

test('an address that no link may have is refused for a webhook, and so is a low port', async (t) => {
  const { server } = await start(t)
  const link = await create(server, { target: 'https://example.com/' })
  const urls = ['http://127.0.0.1/', 'http://[::1]/', 'http://10.0.0.1/', 'http://localhost/', 'ftp://example.com/']
  urls.push('https://user@example.com/', 'http://example.com:25/', 'https://example.com:22/', 'x', '', 'http://intern/')
  for (const url of urls) {
    const response = await put(manage(server, link), { webhook: { url, events: ['link.changed'] } })
    const { errors } = (await response.json()) as { errors: { pointer: string }[] }
    assert.deepEqual([response.status, errors[0]?.pointer], [400, '/webhook/url'], url)
  }
  assert.equal((await detailsOf(fetch(manage(server, link)))).webhook, null)
})

test('an event that was being sent at kill -9 is sent after the restart, with the same ID', async (t) => {
  const receiver = await startReceiver(t)
  const { address } = await startDns(t, { 'hook.example.com': { a: ['127.0.0.1'] } })
  const file = fileURLToPath(new URL('./support/webhook-program.ts', import.meta.url))
  const dataDir = temporaryFolder(t)
  const run = (aheadMs: string) =>
    startProgram(t, dataDir, [`--dns-servers=${address}`], { file, env: { CLOCK_AHEAD_MS: aheadMs } })
  // It never responds.
  receiver.respond = () => {}
  const killed = await run('0')
  const webhook = { url: `http://hook.example.com:${receiver.port}/`, events: ['link.changed'] }
  const { token } = (await (
    await post(`${killed.url}/api/links`, { target: 'https://example.com/', webhook })
  ).json()) as Created
  assert.equal((await put(`${killed.url}/api/manage/${token}`, { title: 'One' })).status, 200)
  await poll(() => receiver.received.length === 1)
  killed.process.kill('SIGKILL')
  await exitOf(killed)

  receiver.respond = (response) => void response.writeHead(204).end()
  // By then the lease of the killed process has expired.
  const { url } = await run('60000')
  const last = async () => (await detailsOf(fetch(`${url}/api/manage/${token}`))).webhook
  await poll(async () => (await last())?.last_status === 204)
  const [first, second, ...further] = receiver.received
  assert.deepEqual(further, [])
  assert.equal(first?.headers['webhook-id'], second?.headers['webhook-id'])
  assert.deepEqual(first?.event, second?.event)
})

test('a stop waits for a delivery that is under way, and starts no other', async (t) => {
  const { server, receiver, clock, url } = await start(t, {}, { graceMs: PATIENCE_MS })
  let release = () => {}
  receiver.respond = (response) => void (release = () => response.writeHead(204).end())
  const link = await createWithWebhook(server, url, ['link.changed'])
  await put(manage(server, link), { title: 'One' })
  await put(manage(server, link), { title: 'Two' })
  await poll(() => receiver.received.length === 1)
  server.services.drain()
  const stopped = server.stop()
  clock.now += SECOND_MS
  release()
  await stopped
  assert.equal(receiver.received.length, 1)
  const again = await startServer(t, { DATA_DIR: server.dataDir, WEBHOOKS: 'off' })
  const rows = await again.services.db.read.selectFrom('outbox').select('body').execute()
  assert.deepEqual(
    rows.map(({ body }) => (JSON.parse(body) as Receiver['received'][0]['event']).data['revision']),
    [3],
  )
})

test('one host gets one request at a time, and one that does not respond delays no other', async (t) => {
  const { server, receiver, url } = await start(t)
  const held: (() => void)[] = []
  receiver.respond = (response, { url: path }) => {
    const end = () => void response.writeHead(204).end()
    if (path === '/hook') held.push(end)
    else end()
  }
  const slow = [await createWithWebhook(server, url), await createWithWebhook(server, url)]
  const quick = await createWithWebhook(server, url.replace('hook.example', 'new.example').replace('/hook', '/quick'))
  for (const link of [...slow, quick]) await put(manage(server, link), { title: 'One' })
  await poll(async () => (await webhookOf(server, quick)).last_status === 204)
  await poll(() => held.length === 1)
  held[0]?.()
  await poll(() => held.length === 2)
  held[1]?.()
  for (const link of slow) await poll(async () => (await webhookOf(server, link)).last_status === 204)
})

test('an address that a list has is refused, and so is one of the service itself', async (t) => {
  const list = join(temporaryFolder(t), 'list.txt')
  writeFileSync(list, 'hook.example.com\n')
  const { server, url } = await start(t, { ABUSE_FEEDS: list, BASE_URL: 'https://qr.bakery.shop' })
  await server.services.abuse.operations['lists']?.({ refresh: true })
  const refusalOf = async (address: string) => {
    const webhook = { url: address, events: EVENTS }
    const response = await post(`${server.url}/api/links`, { target: 'https://example.com/', webhook })
    const { code, errors } = (await response.json()) as { code: string; errors: { pointer: string }[] }
    return [response.status, code, errors[0]?.pointer]
  }
  assert.deepEqual(await refusalOf(url), [422, 'target_blocked', '/webhook/url'])
  assert.deepEqual(await refusalOf('https://qr.bakery.shop/hook'), [400, 'invalid_request', '/webhook/url'])
})

test('nothing more is sent to a host that the operator blocks after a webhook was set, and it goes on when he unblocks it', async (t) => {
  const setting = await start(t)
  const { server, receiver, clock, url } = setting
  const { operations } = server.services.abuse
  const link = await createWithWebhook(server, url)
  await operations['block']?.({ subject: 'hook.example.com', reason: 'floods' })
  await poll(async () => (await webhookOf(server, link)).state === 'blocked')
  const { last_error: error } = await webhookOf(server, link)
  assert.equal(error, 'its address is blocked by the operator of this service (hook.example.com/)')
  await put(manage(server, link), { title: 'One' })
  clock.now += DAY_MS / 2
  await poll(async () => Date.parse((await webhookOf(server, link)).next_attempt_at ?? '') > clock.now)
  assert.equal(receiver.received.length, 0)
  await operations['unblock']?.({ subject: 'hook.example.com' })
  await receive(setting, 1)
  assert.equal((await webhookOf(server, link)).state, 'active')
})

test('a webhook at a host that came on a list later is blocked, its owner reads why, and its events wait for three days', async (t) => {
  const list = join(temporaryFolder(t), 'list.txt')
  writeFileSync(list, 'other.example.net\n')
  const setting = await start(t, { ABUSE_FEEDS: list })
  const { server, receiver, clock, url } = setting
  const setList = async (text: string) => {
    writeFileSync(list, text)
    await server.services.abuse.operations['lists']?.({ refresh: true, accept: true })
  }
  await setList('other.example.net\n')
  const link = await createWithWebhook(server, url, ['link.changed'])
  await setList('other.example.net\nhook.example.com\n')
  await poll(async () => (await webhookOf(server, link)).state === 'blocked')
  const { last_error: error } = await webhookOf(server, link)
  assert.match(error ?? '', /^its address is listed as malware or phishing \(hook\.example\.com\/, by list/)
  const pages = { en: /is on a list of malware and phishing/, de: /auf einer Liste von Schadsoftware und Phishing/ }
  for (const [language, said] of Object.entries(pages)) {
    const page = await fetch(`${server.url}/m/${link.token}?lang=${language}`)
    assert.match(await page.text(), said)
  }

  await put(manage(server, link), { title: 'One' })
  const next = async () => Date.parse((await webhookOf(server, link)).next_attempt_at ?? '')
  await poll(async () => (await next()) > clock.now)
  clock.now += 3 * DAY_MS + 1
  await put(manage(server, link), { title: 'Two' })
  await poll(async () => (await webhookOf(server, link)).dropped === 1)
  assert.equal(receiver.received.length, 0)

  await setList('other.example.net\n')
  await poll(async () => (await webhookOf(server, link)).state === 'active')
  await receive(setting, 1)
  assert.equal(receiver.received[0]?.event.data['revision'], 3)
  assert.equal(receiver.received.length, 1)
})

test('who sets a webhook again sends nothing before its receiver wants it, and no two events in a second', async (t) => {
  const { server, receiver, clock, url } = await start(t)
  const link = await createWithWebhook(server, url)
  const iso = (ms: number) => new Date(clock.now + ms).toISOString()
  const isNext = (wait: number) => poll(async () => (await webhookOf(server, link)).next_attempt_at === iso(wait))
  const setAgain = async (address: string, wait: number) => {
    for (let count = 0; count < 2; count++) {
      const { webhook } = await detailsOf(put(manage(server, link), { webhook: { url: address, events: EVENTS } }))
      assert.deepEqual([webhook?.state, webhook?.next_attempt_at], ['active', iso(wait)])
    }
  }
  const [minute, second] = [60 * SECOND_MS, SECOND_MS]
  receiver.respond = (response) => void response.writeHead(503, { 'retry-after': '60' }).end()
  await put(manage(server, link), { title: 'One' })
  await isNext(minute)
  await put(manage(server, link), { title: 'Two' })
  await setAgain(url, minute)
  await setAgain(`${url}/other`, minute)
  assert.equal(receiver.received.length, 1)

  receiver.respond = (response) => void response.writeHead(204).end()
  clock.now += minute
  await isNext(second)
  await setAgain(url, second)
  await setAgain(url.replace('hook.example', 'new.example'), second)
  assert.equal(receiver.received.length, 2)

  receiver.respond = (response) => void response.writeHead(500).end()
  clock.now += second
  await isNext(5 * SECOND_MS)
  receiver.respond = (response) => void response.writeHead(204).end()
  await put(manage(server, link), { webhook: { url, events: EVENTS } })
  // Who has mended a receiver need not wait for what it has failed with.
  await poll(() => receiver.received.length === 4)
})

test('a webhook at a blocked host goes on at once at another address', async (t) => {
  const setting = await start(t)
  const { server, receiver, url } = setting
  const link = await createWithWebhook(server, url)
  await server.services.abuse.operations['block']?.({ subject: 'hook.example.com', reason: 'floods' })
  await put(manage(server, link), { title: 'One' })
  await poll(async () => Date.parse((await webhookOf(server, link)).next_attempt_at ?? '') > setting.clock.now)
  const moved = { url: url.replace('hook.example', 'new.example'), events: EVENTS }
  assert.equal((await detailsOf(put(manage(server, link), { webhook: moved }))).webhook?.state, 'active')
  await poll(() => receiver.received.length === 1)
  assert.match(receiver.received[0]?.headers.host ?? '', /^new\.example\.com:/)
})

test('the example of docs/api.md does what it says', async (t) => {
  const setting = await start(t)
  const { server, receiver, url } = setting
  const page = readFileSync(new URL('../docs/api.md', import.meta.url), 'utf8')
  const section = page.slice(page.indexOf('## Webhook'), page.indexOf('## Visit'))
  const request = JSON.parse(/-d '([^']+)'/.exec(section)?.[1] ?? '') as { webhook: { url: string } }
  const [webhook, event] = Array.from(section.matchAll(/^```json\n(.*?)^```$/gms), ([, json = '']) =>
    JSON.parse(json),
  ) as [WebhookDetails, Receiver['received'][0]['event']]
  const link = await create(server, { target: 'https://example.com/', alias: 'menu' })
  const body = { webhook: { ...request.webhook, url } }
  const { webhook: sent } = await detailsOf(put(manage(server, link), body))
  assert.deepEqual(sent, { ...webhook, url, secret: sent?.secret })
  assert.equal(sent?.secret?.length, webhook.secret?.length)
  await put(manage(server, link), { target: 'https://example.com/new' })
  await receive(setting, 1)
  assert.deepEqual(receiver.received[0]?.event, { ...event, timestamp: receiver.received[0]?.event.timestamp })
})

// Each node has metrics of its own.
test(
  'the metrics count deliveries, failures, events that wait, and webhooks that were given up',
  { skip: skipUnlessOneNode },
  async (t) => {
    const setting = await start(t)
    const { server, receiver, clock, url } = setting
    const link = await createWithWebhook(server, url, ['link.changed'])
    const statuses = [500, 204, 410]
    receiver.respond = (response) => void response.writeHead(statuses.shift() ?? 204).end()
    await put(manage(server, link), { title: 'One' })
    await receive(setting, 2)
    clock.now += SECOND_MS
    await put(manage(server, link), { title: 'Two' })
    await poll(async () => (await webhookOf(server, link)).state === 'given_up')
    const expected = ['deliveries_total 1', 'failures_total 2', 'outbox_events 0', 'events_dropped_total 0']
    const lines = [...expected.map((line) => `quirl_webhook_${line}`), 'quirl_webhooks_given_up 1']
    let text = ''
    await poll(
      async () => {
        text = await (await fetch(`${server.url}/metrics`)).text()
        return lines.every((line) => text.includes(`\n${line}\n`))
      },
      () => text,
    )
  },
)
