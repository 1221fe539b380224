import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { MAX_LATE_CHECKS, WIDTH } from '../src/webhooks/destinations.ts'
import { createEvent } from '../src/webhooks/event.ts'
import { insertEvent } from '../src/webhooks/outbox-store.ts'
import { MAX_A_MINUTE, MAX_AT_ONCE, MAX_IN_NETWORK, MAX_UNPAUSED } from '../src/webhooks/receivers.ts'
import { LANES, MAX_LATE, YIELD_MS } from '../src/webhooks/sender.ts'
import { attackers, honest, sendFrom } from './support/loopback.ts'
import { poll } from './support/poll.ts'
import { startReceiver, type Receiver } from './support/receiver.ts'
import { create, put, type TestServer } from './support/server.ts'
import {
  createWithWebhook,
  manage,
  startWithWebhooks,
  webhookOf,
  type CreatedWithWebhook,
  type WebhookSetting,
} from './support/webhooks.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 3_600_000
const DAY_MS = 86_400_000
const unlimited = { LIMIT_LINKS: '0', LIMIT_CHANGES: '0' }

/** Has a receiver hold the responses to some requests. */
function hold(receiver: Receiver, isHeld: (path: string) => boolean) {
  const held = new Set<() => void>()
  let most = 0
  receiver.respond = (response, { url: path = '' }) => {
    const end = () => void response.writeHead(204).end()
    if (!isHeld(path)) return end()
    held.add(end)
    most = Math.max(most, held.size)
    response.once('close', () => held.delete(end))
  }
  return {
    count: () => held.size,
    most: () => most,
    release() {
      for (const end of held) end()
    },
  }
}

/** Links with webhooks at these hosts, each of which resolves to an address. */
async function linksAt({ server, url, zones }: WebhookSetting, hosts: [host: string, address: string][]) {
  const links: CreatedWithWebhook[] = []
  for (const [host, address] of hosts) {
    zones[host] = { a: [address] }
    links.push(await createWithWebhook(server, url.replace('hook.example.com', host), ['link.changed']))
  }
  return links
}

const changeAll = (server: TestServer, links: CreatedWithWebhook[], title: string) =>
  Promise.all(links.map((link) => put(manage(server, link), { title })))

const many = <T>(count: number, each: (at: number) => T) => Array.from({ length: count }, (_, at) => each(at))

const deliveredOf = async ({ server }: WebhookSetting) =>
  (await server.services.db.read.selectFrom('webhooks').select('link_id').where('last_status', '=', 204).execute())
    .length

/** Hosts of strangers that lead to one machine, or belong to one owner. */
const reflectors: [name: string, (at: number) => [host: string, address: string]][] = [
  ['64 names of as many domains lead', (at) => [`hook.stranger${at}.example${at}.com`, '127.0.0.9']],
  ['64 names of a domain lead by as many addresses', (at) => [`hook${at}.stranger.com`, `127.0.1.${at + 1}`]],
]
for (const [name, hostOf] of reflectors) {
  test(`${name} to a receiver: it gets four requests at a time, and 120 a minute; what is over waits and has not failed`, async (t) => {
    const setting = await startWithWebhooks(t, unlimited)
    const { server, receiver, clock } = setting
    const links = await linksAt(setting, many(64, hostOf))
    const held = hold(receiver, () => true)
    await changeAll(server, links, 'One')
    await poll(() => held.count() === MAX_AT_ONCE)
    // Each of them responds from now on, as soon as it is looked at.
    const settled = async () => {
      held.release()
      return held.count() === 0 && (await dueOf(setting)) === 0
    }
    await poll(settled)
    assert.ok(receiver.received.length <= MAX_UNPAUSED, `${receiver.received.length}`)
    for (const link of links) assert.equal((await webhookOf(server, link)).last_error, null)

    const until = clock.now + MINUTE_MS
    let title = 2
    while (clock.now < until) {
      clock.now += 5_000
      await changeAll(server, links.slice(0, 8), String(title++))
      await poll(settled)
    }
    assert.ok(receiver.received.length <= MAX_A_MINUTE, `${receiver.received.length}`)
    await poll(async () => {
      clock.now += 1_000
      return (await settled()) && (await deliveredOf(setting)) === links.length
    })
    assert.equal(held.most(), MAX_AT_ONCE)
  })
}

const dueOf = async ({ server, clock }: WebhookSetting) =>
  (
    await server.services.db.read
      .selectFrom('webhooks')
      .select('link_id')
      .where('next_attempt_at', '<=', clock.now)
      .execute()
  ).length

const isSettled = async (setting: WebhookSetting) => (await dueOf(setting)) === 0

/** A link of somebody else at the receiver of those of `linksAt`. */
async function createHonest({ server, zones, url }: WebhookSetting): Promise<CreatedWithWebhook> {
  zones['honest.hooks.com'] = { a: ['127.0.0.9'] }
  return createWithWebhook(server, url.replace('hook.example.com', 'honest.hooks.com').replace(/hook$/, 'honest'))
}

/** Lets time go on until the event of that link has come, and requires that it was among the first. */
async function expectEarly(setting: WebhookSetting): Promise<void> {
  const { receiver, clock } = setting
  const placeOf = () => receiver.received.findIndex(({ path }) => path === '/honest')
  await poll(async () => {
    if (placeOf() >= 0) return true
    if (await isSettled(setting)) clock.now += 500
    return false
  })
  assert.ok(placeOf() <= 2 * MAX_UNPAUSED, `${placeOf()} others came first`)
}

test("the events of one network's changes for a receiver do not keep those of another's waiting for it", async (t) => {
  const setting = await startWithWebhooks(t, unlimited)
  const { server, receiver } = setting
  // As of a service that passes on the events of many owners.
  const links = await linksAt(
    setting,
    many(200, (at) => [`owner${at}.hooks.com`, '127.0.0.9']),
  )
  const link = await createHonest(setting)
  const [attacker = ''] = attackers(1)
  await Promise.all(links.map((each) => sendFrom(attacker, manage(server, each), { title: 'One' }, 'PUT')))
  await poll(() => isSettled(setting))
  assert.ok(receiver.received.length <= MAX_UNPAUSED)
  await sendFrom(honest(), manage(server, link), { title: 'One' }, 'PUT')
  await expectEarly(setting)
})

test('10,000 events for one receiver do not stand before one for another', async (t) => {
  const setting = await startWithWebhooks(t, unlimited)
  const { server, receiver, clock, url, zones } = setting
  const held = hold(receiver, (path) => path === '/hook')
  const [flooding] = (await linksAt(setting, [['hook.stranger.com', '127.0.0.9']])) as [CreatedWithWebhook]
  const { id } = await server.services.links.findByToken(flooding.token)
  const { db } = server.services
  const row = await db.read.selectFrom('webhooks').selectAll().where('link_id', '=', id).executeTakeFirstOrThrow()
  const link = await db.read.selectFrom('links').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
  const created = clock.now - 1_000
  await db.transaction(async (transaction) => {
    for (let at = 1; at <= 10_000; at++) {
      const own = { id: id + 100_000 + at, code: `flood${at}`, code_key: `flood${at}`, token_hash: `flood${at}` }
      await transaction
        .insertInto('links')
        .values({ ...link, ...own })
        .execute()
      zones[`hook${at}.stranger.com`] = { a: ['127.0.0.9'] }
      const host = `hook${at}.stranger.com:${receiver.port}`
      const address = `http://${host}/hook`
      await transaction
        .insertInto('webhooks')
        .values({ ...row, link_id: own.id, host, address })
        .execute()
      await insertEvent(transaction, own.id, createEvent('link.changed', created, {}))
    }
  })
  await poll(() => held.count() === MAX_AT_ONCE)
  const honest = await createWithWebhook(server, url.replace(/hook$/, 'quick'))
  await put(manage(server, honest), { title: 'One' })
  await poll(async () => (await webhookOf(server, honest)).last_status === 204)
  assert.equal(await deliveredOf(setting), 1)
  held.release()
})

test('hundreds of receivers that do not respond delay no other, be it known or new', async (t) => {
  const setting = await startWithWebhooks(t, unlimited)
  const { server, receiver, clock, url } = setting
  const known = await createWithWebhook(server, url.replace(/hook$/, 'quick'))
  await put(manage(server, known), { title: 'One' })
  await poll(async () => (await webhookOf(server, known)).last_status === 204)

  const held = hold(receiver, (path) => path === '/hook')
  const slow = await linksAt(
    setting,
    many(280, (at) => [`hook.slow${at}.com`, `127.${1 + (at >> 8)}.${at & 255}.1`]),
  )
  await changeAll(server, slow, 'One')
  // What is over the share of their network comes a little later.
  await poll(() => {
    clock.now += 100
    return held.count() === slow.length
  })
  const fresh = await createWithWebhook(
    server,
    url.replace('hook.example.com', 'new.example.com').replace(/hook$/, 'quick'),
  )
  // The pause between two events of a link.
  clock.now += 1_000
  for (const link of [known, fresh]) await put(manage(server, link), { title: 'Two' })
  await poll(() => receiver.received.filter(({ path }) => path === '/quick').length === 3)
  assert.equal(held.count(), slow.length)
  held.release()
})

test('machines of one network that do not respond delay no other receiver, however many they are', async (t) => {
  const setting = await startWithWebhooks(t, unlimited)
  const { server, receiver, clock, url } = setting
  const held = hold(receiver, (path) => path === '/hook')
  const slow = await linksAt(
    setting,
    many(600, (at) => [
      `hook.slow${at}.com`,
      at % 2 === 0 ? `127.1.1.${(at >> 1) & 255}` : `127.1.2.${(at >> 1) & 255}`,
    ]),
  )
  await changeAll(server, slow, 'One')
  await poll(() => held.count() === 2 * MAX_IN_NETWORK)
  const fresh = await createWithWebhook(server, url.replace(/hook$/, 'quick'))
  await put(manage(server, fresh), { title: 'One' })
  await poll(async () => {
    clock.now += 1_000
    return (await webhookOf(server, fresh)).last_status === 204
  })
  assert.equal(held.most(), 2 * MAX_IN_NETWORK)
  held.release()
})

/** Requires that the event of another network's link comes meanwhile, and what is over the share later: it has not failed. */
async function expectPlace(
  setting: WebhookSetting,
  held: ReturnType<typeof hold>,
  other: CreatedWithWebhook,
  all: number,
): Promise<void> {
  const { server, clock } = setting
  await sendFrom(honest(), manage(server, other), { title: 'One' }, 'PUT')
  await poll(async () => (await webhookOf(server, other)).last_status === 204)
  await poll(async () => {
    held.release()
    clock.now += 1_000
    return (await deliveredOf(setting)) === all
  })
}

test("the slow receivers of one network's changes, in many networks, leave places to those of others", async (t) => {
  const setting = await startWithWebhooks(t, unlimited)
  const { server, receiver, url } = setting
  const held = hold(receiver, (path) => path === '/hook')
  const links = await linksAt(
    setting,
    many(2 * LANES.slow, (at) => [`hook.slow${at}.com`, `127.${10 + (at % 20)}.1.${1 + at}`]),
  )
  const other = await createWithWebhook(server, url.replace(/hook$/, 'other'))
  await server.services.db.write.updateTable('webhooks').set({ lane: 'slow' }).execute()
  const [attacker = ''] = attackers(1)
  await Promise.all(links.map((each) => sendFrom(attacker, manage(server, each), { title: 'One' }, 'PUT')))
  await poll(() => held.count() >= LANES.slow / 2)
  await expectPlace(setting, held, other, links.length + 1)
  assert.equal(held.most(), LANES.slow / 2)
})

test("more new receivers of one network's changes than may be sent to at a time leave places to those of others", async (t) => {
  const setting = await startWithWebhooks(t, unlimited)
  const { server, receiver, clock, url } = setting
  const held = hold(receiver, (path) => path === '/hook')
  // As many as may take long, and as many as may be sent to besides.
  const count = MAX_LATE + 2 * LANES.new
  const links = await linksAt(
    setting,
    many(count, (at) => [`hook.new${at}.com`, `127.${10 + (at % 40)}.1.${1 + (at % 250)}`]),
  )
  const other = await createWithWebhook(server, url.replace(/hook$/, 'other'))
  const [attacker = ''] = attackers(1)
  await Promise.all(links.map((each) => sendFrom(attacker, manage(server, each), { title: 'One' }, 'PUT')))
  await poll(() => {
    clock.now += 100
    return held.count() >= MAX_LATE + LANES.new / 2
  })
  await expectPlace(setting, held, other, links.length + 1)
  assert.equal(held.most(), MAX_LATE + LANES.new / 2)
})

test('milestones of many links do not keep that of a link waiting whose webhook was set in another hour', async (t) => {
  const setting = await startWithWebhooks(t, unlimited)
  const { server, clock } = setting
  const links = await linksAt(
    setting,
    many(200, (at) => [`owner${at}.hooks.com`, '127.0.0.9']),
  )
  clock.now += HOUR_MS
  const link = await createHonest(setting)
  const { db, links: registry } = server.services
  // As a milestone is queued, which no request has caused.
  const queue = async ({ token }: CreatedWithWebhook) => {
    const { id } = await registry.findByToken(token)
    await db.transaction((transaction) => insertEvent(transaction, id, createEvent('scans.milestone', clock.now, {})))
  }
  for (const each of links) await queue(each)
  const settled = async () => (await dueOf(setting)) === 0
  // A change has the events of the store looked for.
  await put(manage(server, links[0] as CreatedWithWebhook), { title: 'One' })
  await poll(settled)
  await queue(link)
  await expectEarly(setting)
})

test('checks of destinations count for the machine that gets them: what is over comes later, and is no failed check', async (t) => {
  const setting = await startWithWebhooks(t, unlimited, { random: () => 0.5 })
  const { server, receiver, clock, url, zones } = setting
  const site = await startReceiver(t)
  for (let at = 0; at < 60; at++) {
    zones[`shop${at}.stranger${at}.com`] = { a: ['127.0.0.9'] }
    const target = `http://shop${at}.stranger${at}.com:${site.port}/`
    await create(server, { target, webhook: { url, events: ['destination.failing'] } })
  }
  const { read } = server.services.db
  const stored = () => read.selectFrom('webhooks').select(['next_check_at', 'check_failures']).execute()
  const areAllLater = async () => (await stored()).every(({ next_check_at: next }) => (next ?? 0) > clock.now)
  clock.now += DAY_MS
  await poll(areAllLater)
  assert.ok(site.received.length > 0 && site.received.length <= MAX_UNPAUSED, `${site.received.length}`)
  for (let hours = 0; hours < 6; hours++) {
    clock.now += DAY_MS / 24
    await poll(areAllLater)
  }
  await poll(() => site.received.length === 60)
  assert.ok((await stored()).every(({ check_failures: failures }) => failures === 0))
  assert.equal(receiver.received.length, 0)
})

test('destinations that do not respond, on all machines of a network, hold up the checks of no others', async (t) => {
  const setting = await startWithWebhooks(t, unlimited, { random: () => 0.5 })
  const { server, clock, url, zones } = setting
  const site = await startReceiver(t)
  const held = hold(site, () => true)
  const linkTo = async (host: string, address: string) => {
    zones[host] = { a: [address] }
    const target = `http://${host}:${site.port}/`
    return create(server, { target, webhook: { url, events: ['destination.failing'] } })
  }
  for (let at = 0; at < 40; at++) await linkTo(`slow${at}.stranger${at}.com`, `127.1.1.${at + 1}`)
  clock.now++
  await linkTo('shop.example.com', '127.1.2.1')
  clock.now += DAY_MS
  // The last one: all of them are put off when they begin.
  const due = server.services.db.read.selectFrom('webhooks').select('link_id').where('next_check_at', '<=', clock.now)
  await poll(async () => (await due.execute()).length === 0)
  assert.ok(held.most() <= MAX_IN_NETWORK + 1, `${held.most()}`)
  held.release()
})

test('docs/security.md and docs/api.md say the shares that hold', () => {
  const page = (name: string) => readFileSync(new URL(`../docs/${name}.md`, import.meta.url), 'utf8')
  const { quick, new: fresh, slow } = LANES
  for (const said of [
    `${MAX_AT_ONCE} at a time and ${MAX_A_MINUTE} a minute, ${MAX_UNPAUSED} of them without a pause`,
    `${MAX_IN_NETWORK} at a time to the machines of one network`,
    `${quick} to receivers that were quick, ${fresh} to new ones, ${slow} to slow or failing ones`,
    'of each, the changes of a network have at most as many as are left',
    `after ${YIELD_MS} ms they leave their place among quick and new ones to the next, as long as these are ${MAX_LATE}`,
    `${WIDTH} that were begun in the last ${YIELD_MS} ms, and ${MAX_LATE_CHECKS} that take longer`,
  ])
    assert.ok(page('security').includes(said), said)
  assert.ok(page('api').includes(`at most ${MAX_AT_ONCE} requests at a time and ${MAX_A_MINUTE} a minute`))
})
