import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { Webhook } from 'standardwebhooks'
import { reinstateLink, suspendLink } from '../src/abuse/suspension.ts'
import { createLeases } from '../src/db/lease.ts'
import type { WebhookDetails } from '../src/links/webhook.ts'
import { startDns } from './support/dns.ts'
import { poll } from './support/poll.ts'
import { startReceiver } from './support/receiver.ts'
import { create, post, put, startServer, visit, type Created, type TestServer } from './support/server.ts'
import {
  createWithWebhook,
  EVENTS,
  loopbackOnly,
  manage,
  receive,
  startWithWebhooks as start,
  webhookOf as webhookOfLink,
  type WebhookSetting,
} from './support/webhooks.ts'

const DAY_MS = 86_400_000
const HOUR_MS = 3_600_000
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
const target = 'https://example.com/'

interface Keyed {
  token: string
}

const api = ({ url }: Pick<TestServer, 'url'>, { token }: Keyed, path = '') => `${url}/api/collections/${token}${path}`

async function collect(server: TestServer, links: Keyed[] = []): Promise<Keyed> {
  const collection = (await (await post(`${server.url}/api/collections`, { name: 'Summer' })).json()) as Keyed
  if (links.length > 0) await join(server, collection, links)
  return collection
}

async function join(server: TestServer, collection: Keyed, links: Keyed[]): Promise<void> {
  const response = await post(api(server, collection, '/links'), { tokens: links.map(({ token }) => token) })
  assert.equal(response.status, 200, await response.clone().text())
}

async function setWebhook(server: TestServer, collection: Keyed, webhook: unknown): Promise<WebhookDetails> {
  const response = await put(api(server, collection), { webhook })
  assert.equal(response.status, 200, await response.clone().text())
  return ((await response.json()) as { webhook: WebhookDetails }).webhook
}

async function webhookOf(server: TestServer, collection: Keyed): Promise<WebhookDetails | null> {
  return ((await (await fetch(api(server, collection))).json()) as { webhook: WebhookDetails | null }).webhook
}

/** What is stored of webhooks of collections, and of links for them. */
async function stored({ services }: TestServer) {
  const { read } = services.db
  const watches = await read.selectFrom('memberships').selectAll().execute()
  return {
    webhooks: (await read.selectFrom('collection_webhooks').selectAll().execute()).length,
    events: (await read.selectFrom('collection_outbox').selectAll().execute()).length,
    watched: watches.filter(({ milestone, next_check_at: next }) => milestone !== null || next !== null).length,
  }
}

const told = ({ receiver }: Pick<WebhookSetting, 'receiver'>) =>
  receiver.received.map(({ path, event }) => [path, event.data['code']])

test('a collection has no webhook until one is set, which its details show as those of a link do, the secret once', async (t) => {
  const { server, url } = await start(t)
  const collection = await collect(server)
  assert.equal(await webhookOf(server, collection), null)
  const set = (webhook: object) => setWebhook(server, collection, { url, events: ['link.changed'], ...webhook })
  const first = await set({})
  assert.match(first.secret ?? '', /^whsec_/)
  const { secret: _, ...shown } = first
  const link = await createWithWebhook(server, url, ['link.changed'])
  assert.deepEqual(shown, await webhookOfLink(server, link))
  assert.deepEqual(await webhookOf(server, collection), shown)
  assert.equal((await set({})).secret, undefined, 'the same again changes nothing')
  assert.equal((await set({ events: EVENTS })).secret, undefined, 'the secret stays with its address')
  const renewed = await set({ secret: 'new' })
  const moved = await set({ url: `${url}/2` })
  assert.equal(new Set([first.secret, renewed.secret, moved.secret]).size, 3)
  const renamed = (await (await put(api(server, collection), { name: 'Winter' })).json()) as { webhook: WebhookDetails }
  assert.equal(renamed.webhook.url, `${url}/2`)
  assert.equal(await setWebhook(server, collection, null), null)
  assert.equal(await setWebhook(server, collection, null), null)
  assert.deepEqual(await stored(server), { webhooks: 0, events: 0, watched: 0 })
})

test('what a link refuses as a webhook, a collection refuses, and nothing of the request is done', async (t) => {
  const { server, url } = await start(t, { BASE_URL: 'https://qr.bakery.shop' })
  const collection = await collect(server)
  await server.services.abuse.operations['block']?.({ subject: 'bad.example.com', reason: 'floods' })
  const refusalOf = async (webhook: unknown) => {
    const response = await put(api(server, collection), { name: 'changed', webhook })
    const { code, errors } = (await response.json()) as { code: string; errors: { pointer: string }[] }
    return [response.status, code, errors[0]?.pointer]
  }
  const events = ['link.changed']
  const urls = [
    'http://127.0.0.1/',
    'http://[::1]/',
    'http://localhost/',
    'ftp://example.com/',
    'http://example.com:25/',
  ]
  for (const refused of [...urls, 'https://user@example.com/', 'https://qr.bakery.shop/hook', ''])
    assert.deepEqual(
      await refusalOf({ url: refused, events }),
      [400, 'invalid_request', '/webhook/url'],
      refused || 'none',
    )
  assert.deepEqual(await refusalOf({ url, events: [] }), [400, 'invalid_request', '/webhook/events'])
  assert.deepEqual(await refusalOf({ url, events: ['x'] }), [400, 'invalid_request', '/webhook/events/0'])
  assert.deepEqual(await refusalOf('x'), [400, 'invalid_request', '/webhook'])
  assert.deepEqual(await refusalOf({ url: 'https://bad.example.com/', events }), [
    422,
    'target_blocked',
    '/webhook/url',
  ])
  const { name, webhook } = (await (await fetch(api(server, collection))).json()) as { name: string; webhook: null }
  assert.deepEqual([name, webhook], ['Summer', null])
})

test('with WEBHOOKS=off none can be set; removing none is no error', async (t) => {
  const { server, url } = await start(t, { WEBHOOKS: 'off' })
  const collection = await collect(server)
  const response = await put(api(server, collection), { webhook: { url, events: EVENTS } })
  assert.equal(response.status, 400)
  assert.match(await response.text(), /turned webhooks off/)
  assert.equal(await setWebhook(server, collection, null), null)
})

test('each change of the webhook is charged as a creation, and setting the present one again is not', async (t) => {
  const { server, url } = await start(t, { LIMIT_LINKS: '3' })
  const collection = await collect(server)
  const set = async (webhook: object) =>
    (await put(api(server, collection), { webhook: { url, events: EVENTS, ...webhook } })).status
  for (let refused = 0; refused < 5; refused++) assert.equal(await set({ url: 'http://127.0.0.1/' }), 400)
  assert.equal(await set({}), 200)
  for (let again = 0; again < 5; again++) assert.equal(await set({}), 200)
  assert.equal(await set({ secret: 'new' }), 200)
  assert.equal(await set({ url: `${url}/3` }), 429)
  assert.equal((await put(api(server, collection), { webhook: null })).status, 200)
})

test('a change of a link is sent once to its own webhook and to that of each collection, each with its own signature', async (t) => {
  const setting = await start(t)
  const { server, receiver, url } = setting
  const link = await createWithWebhook(server, `${url}/own`, ['link.changed'])
  const other = await create(server, { target })
  const [first, second] = [await collect(server, [link, other]), await collect(server, [link])]
  const secrets = {
    '/hook/own': link.webhook.secret,
    '/hook/first': (await setWebhook(server, first, { url: `${url}/first`, events: EVENTS })).secret ?? '',
    '/hook/second': (await setWebhook(server, second, { url: `${url}/second`, events: EVENTS })).secret ?? '',
  }
  await put(manage(server, link), { title: 'a secret plan' })
  await receive(setting, 3)
  await put(manage(server, other), { title: 'New' })
  await receive(setting, 4)
  const all = receiver.received.slice(0, 3)
  assert.deepEqual(all.map(({ path }) => path).toSorted(), Object.keys(secrets).toSorted())
  assert.equal(new Set(all.map(({ headers }) => headers['webhook-id'])).size, 3)
  for (const { path, headers, body, event } of all) {
    const secret = secrets[path as keyof typeof secrets]
    assert.deepEqual(new Webhook(secret).verify(body, headers as Record<string, string>), event)
    assert.deepEqual(event.data, { code: link.code, revision: 2, changed: ['title'] })
    for (const hidden of ['a secret plan', link.token, first.token, second.token, 'Summer'])
      assert.equal(body.includes(hidden), false, hidden)
  }
  assert.deepEqual(told(setting)[3], ['/hook/first', other.code])
  const after = await webhookOf(server, first)
  assert.deepEqual([after?.state, after?.last_status, after?.next_attempt_at], ['active', 204, null])
  assert.equal(receiver.received.length, 4)
})

test('links that join, are created in the collection, or leave, do so for the next events', async (t) => {
  const setting = await start(t)
  const { server, url } = setting
  const link = await create(server, { target })
  const collection = await collect(server)
  await setWebhook(server, collection, { url, events: ['link.changed'] })
  const inside = { 'quirl-collection': collection.token }
  const created = (await (await post(`${server.url}/api/links`, { target }, inside)).json()) as Created
  const bulk = await post(`${server.url}/api/bulk`, [{ target }, { target }], inside)
  const { results } = (await bulk.json()) as { results: Created[] }
  await put(manage(server, link), { title: 'before' })
  await join(server, collection, [link])
  const changes = [link, created, ...results].map(({ code }) => ({ code, title: 'inside' }))
  assert.equal((await post(api(server, collection, '/changes'), { changes })).status, 200)
  await receive(setting, 4)
  const codes = changes.map(({ code }) => ['/hook', code])
  assert.deepEqual(told(setting).toSorted(), codes.toSorted())
  await fetch(api(server, collection, `/links/${link.code}`), { method: 'DELETE' })
  await put(manage(server, link), { title: 'after' })
  await put(manage(server, created), { title: 'after' })
  await receive(setting, 5)
  assert.deepEqual(told(setting)[4], ['/hook', created.code])
})

test('a rotation of the collection keeps its webhook; one of a link by its own token ends its events', async (t) => {
  const setting = await start(t)
  const { server, clock, url } = setting
  const [rotated, kept] = [await create(server, { target }), await create(server, { target })]
  const first = await collect(server, [rotated, kept])
  await setWebhook(server, first, { url, events: EVENTS })
  const next = (await (await post(api(server, first, '/rotate'), undefined)).json()) as Keyed
  assert.equal((await webhookOf(server, next))?.url, url)
  const { token } = (await (await post(`${manage(server, rotated)}/rotate`, undefined)).json()) as Keyed
  await put(manage(server, rotated), { title: 'within the hour' })
  await receive(setting, 1)
  clock.now += HOUR_MS + 1
  await put(`${server.url}/api/manage/${token}`, { title: 'after it' })
  await put(manage(server, kept), { title: 'after it' })
  await receive(setting, 2)
  assert.deepEqual(told(setting), [
    ['/hook', rotated.code],
    ['/hook', kept.code],
  ])
})

test('removals by the operator, and their end, are sent with their reason', async (t) => {
  const setting = await start(t)
  const { server, receiver, clock, url } = setting
  const link = await create(server, { target })
  const collection = await collect(server, [link])
  await setWebhook(server, collection, { url, events: EVENTS })
  const { db, webhooks, visits, links } = server.services
  const deps = { db, webhooks, now: () => clock.now, invalidate: visits.invalidate }
  const removal = { at: clock.now, reason: 'it harms', source: 'operator', expression: null } as const
  await suspendLink(deps, await links.findByToken(link.token), removal, 'operator', 'operator')
  await receive(setting, 1)
  await reinstateLink(deps, await links.findByToken(link.token), 'a mistake')
  await receive(setting, 2)
  const [removed, reinstated] = receiver.received.map(({ event }) => event)
  assert.deepEqual(
    [removed?.type, removed?.data['reason'], removed?.data['code']],
    ['link.removed', 'it harms', link.code],
  )
  assert.deepEqual(reinstated?.data, { code: link.code, revision: 3, changed: ['removed'] })
})

test('links that people report are told to their collections', async (t) => {
  const setting = await start(t, { REPORT_THRESHOLD: '1' })
  const { server, receiver, url } = setting
  const link = await create(server, { target })
  const collection = await collect(server, [link])
  await setWebhook(server, collection, { url, events: ['link.reported'] })
  assert.equal((await post(`${server.url}/api/reports`, { code: link.code, reason: 'phishing' })).status, 202)
  await receive(setting, 1)
  const { type, data } = receiver.received[0]?.event ?? {}
  assert.deepEqual([type, data?.['code'], data?.['reason']], ['link.reported', link.code, 'phishing'])
})

/** A service with its own clock, as visits have. */
async function startCounting(t: TestContext) {
  const receiver = await startReceiver(t)
  const { address } = await startDns(t, { 'hook.example.com': { a: ['127.0.0.1'] } })
  const open = (env: Record<string, string> = {}) =>
    startServer(t, { DNS_SERVERS: address, ...env }, undefined, { webhooks: loopbackOnly })
  const url = `http://hook.example.com:${receiver.port}`
  const visitTimes = async (at: TestServer, { code }: Created, times: number) => {
    for (let done = 0; done < times; done++) await visit(`${at.url}/${code}`, BROWSER)
    await at.services.scans.fold()
  }
  return { receiver, open, url, visitTimes }
}

test('milestones of each link are sent once to each collection, none of the past, also after a restart', async (t) => {
  const { receiver, open, url, visitTimes } = await startCounting(t)
  const server = await open()
  const [visited, joined] = [await create(server, { target }), await create(server, { target })]
  await visitTimes(server, visited, 12)
  await visitTimes(server, joined, 12)
  const [first, second] = [await collect(server, [visited]), await collect(server, [visited])]
  const events = ['scans.milestone']
  for (const [at, collection] of [first, second].entries())
    await setWebhook(server, collection, { url: `${url}/${at}`, events })
  await join(server, first, [joined])
  const inside = { 'quirl-collection': first.token }
  const created = (await (await post(`${server.url}/api/links`, { target }, inside)).json()) as Created
  await visitTimes(server, created, 10)
  await poll(() => receiver.received.length === 1)
  await server.stop()

  const restarted = await open({ DATA_DIR: server.dataDir })
  await visitTimes(restarted, visited, 88)
  await visitTimes(restarted, joined, 88)
  await poll(() => receiver.received.length >= 4)
  await setWebhook(restarted, second, { url: `${url}/1`, events: ['link.changed'] })
  await visitTimes(restarted, created, 90)
  await poll(() => receiver.received.length >= 5)
  const sent = receiver.received.map(({ path, event: { data } }) => [path, data['code'], data['milestone']])
  const expected = [
    ['/0', created.code, 10],
    ['/0', visited.code, 100],
    ['/1', visited.code, 100],
    ['/0', joined.code, 100],
    ['/0', created.code, 100],
  ]
  assert.deepEqual(sent.toSorted(), expected.toSorted())
  // Whoever wants none, and wants them again, hears of no past one.
  await setWebhook(restarted, first, { url: `${url}/0`, events: ['link.changed'] })
  await setWebhook(restarted, second, null)
  assert.equal((await stored(restarted)).watched, 0)
})

test('a destination is checked once a day for all who want to know, and each is told when it fails', async (t) => {
  const setting = await start(t)
  const { server, receiver, clock, url, zones } = setting
  const site = await startReceiver(t)
  site.respond = (response) => void response.writeHead(404).end()
  zones['site.example.com'] = { a: ['127.0.0.1'] }
  const webhook = { url: `${url}/own`, events: ['destination.failing'] }
  const link = await create(server, { target: `http://site.example.com:${site.port}/menu` })
  const [first, second] = [await collect(server, [link]), await collect(server, [link])]
  const checked = async (count: number) => {
    await poll(() => site.received.length >= count)
    await poll(async () => {
      const lease = await createLeases(server.services.db, () => performance.now())('destination checks')
      await lease?.release()
      return lease !== undefined
    })
  }
  await setWebhook(server, first, { url: `${url}/first`, events: ['destination.failing'] })
  await checked(1)
  // Those who come later have it checked with the others.
  await put(manage(server, link), { webhook })
  await setWebhook(server, second, { url: `${url}/second`, events: ['destination.failing'] })
  for (let days = 1; days <= 2; days++) {
    clock.now += DAY_MS
    await checked(1 + days)
  }
  await receive(setting, 3)
  assert.deepEqual(
    told(setting).toSorted(),
    ['first', 'own', 'second'].map((name) => [`/hook/${name}`, link.code]),
  )
  assert.equal(site.received.length, 3)
  assert.notEqual((await webhookOf(server, first))?.destination_failing_since, null)
  await put(manage(server, link), { target: `http://site.example.com:${site.port}/new` })
  assert.equal((await webhookOf(server, first))?.destination_failing_since, null)
  assert.equal(receiver.received.length, 3)
})

test('nothing is sent to a host that the operator blocks, and it goes on when he unblocks it', async (t) => {
  const setting = await start(t)
  const { server, receiver, clock, url } = setting
  const { operations } = server.services.abuse
  const link = await create(server, { target })
  const collection = await collect(server, [link])
  await setWebhook(server, collection, { url, events: EVENTS })
  await operations['block']?.({ subject: 'hook.example.com', reason: 'floods' })
  await poll(async () => (await webhookOf(server, collection))?.state === 'blocked')
  await put(manage(server, link), { title: 'One' })
  await poll(async () => Date.parse((await webhookOf(server, collection))?.next_attempt_at ?? '') > clock.now)
  assert.equal(receiver.received.length, 0)
  await operations['unblock']?.({ subject: 'hook.example.com' })
  await receive(setting, 1)
  assert.equal((await webhookOf(server, collection))?.state, 'active')
})

test('what fails comes again with the same ID; 410 gives it up, and setting it again resumes', async (t) => {
  const setting = await start(t)
  const { server, receiver, url } = setting
  const link = await create(server, { target })
  const collection = await collect(server, [link])
  const webhook = { url, events: ['link.changed'] }
  await setWebhook(server, collection, webhook)
  const statuses = [500, 204, 410]
  receiver.respond = (response) => void response.writeHead(statuses.shift() ?? 204).end()
  await put(manage(server, link), { title: 'One' })
  await poll(async () => (await webhookOf(server, collection))?.state === 'failing')
  await receive(setting, 2)
  assert.equal(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size, 1)
  await put(manage(server, link), { title: 'Two' })
  await receive(setting, 3)
  assert.equal((await webhookOf(server, collection))?.state, 'given_up')
  await put(manage(server, link), { title: 'Three' })
  assert.equal((await stored(server)).events, 0, 'nothing is queued')
  assert.equal((await setWebhook(server, collection, webhook)).state, 'active')
  await put(manage(server, link), { title: 'Four' })
  await receive(setting, 4)
  assert.equal(receiver.received.at(-1)?.event.data['revision'], 5)
})

test('a collection that ends, with or without its links, leaves no webhook and no event, and a removed webhook no event', async (t) => {
  const { server, receiver, url } = await start(t)
  receiver.respond = (response) => void response.writeHead(500).end()
  for (const end of ['', '?links=true', 'webhook']) {
    const link = await create(server, { target })
    const collection = await collect(server, [link])
    await setWebhook(server, collection, { url, events: EVENTS })
    await put(manage(server, link), { title: 'One' })
    assert.deepEqual(await stored(server), { webhooks: 1, events: 1, watched: 1 })
    if (end === 'webhook') await setWebhook(server, collection, null)
    else await fetch(api(server, collection, end), { method: 'DELETE' })
    assert.deepEqual(await stored(server), { webhooks: 0, events: 0, watched: 0 }, end)
  }
})

test('a link that is deleted leaves no event with its code; what its collection tells of others still comes', async (t) => {
  const setting = await start(t)
  const { server, receiver, url } = setting
  receiver.respond = (response) => void response.writeHead(500).end()
  const [deleted, kept] = [await create(server, { target }), await create(server, { target })]
  const collection = await collect(server, [deleted, kept])
  await setWebhook(server, collection, { url, events: EVENTS })
  await put(manage(server, deleted), { title: 'One' })
  await poll(async () => (await webhookOf(server, collection))?.state === 'failing')
  await put(manage(server, kept), { title: 'One' })
  await fetch(manage(server, deleted), { method: 'DELETE' })
  assert.deepEqual(await stored(server), { webhooks: 1, events: 1, watched: 1 })
  receiver.respond = (response) => void response.writeHead(204).end()
  await receive(setting, 2)
  assert.equal(receiver.received.at(-1)?.event.data['code'], kept.code)
})

test('a link that is deleted and brought back is told again', async (t) => {
  const setting = await start(t)
  const { server, receiver, url } = setting
  const link = await create(server, { target })
  const collection = await collect(server, [link])
  await setWebhook(server, collection, { url, events: EVENTS })
  await fetch(`${manage(server, link)}?undo=true`, { method: 'DELETE' })
  assert.equal((await post(`${manage(server, link)}/undelete`, undefined)).status, 200)
  assert.equal(receiver.received.length, 0)
  await put(manage(server, link), { title: 'back' })
  await receive(setting, 1)
  assert.deepEqual(receiver.received[0]?.event.data['changed'], ['title'])
})
