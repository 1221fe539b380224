import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { command } from './support/cli.ts'
import {
  create,
  details,
  manage,
  post,
  put,
  skipUnlessOneNode,
  skipUnlessSqlite,
  startServer,
  visit,
  type Created,
  type TestServer,
} from './support/server.ts'
import { createWithWebhook, startWithWebhooks, webhookOf } from './support/webhooks.ts'
import { poll } from './support/poll.ts'
import { insertEvent } from '../src/webhooks/outbox-store.ts'
import { createEvent } from '../src/webhooks/event.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
/** Today, since a node that is more than a day off PostgreSQL's clock says so and deletes nothing. */
const START = Math.floor(Date.now() / DAY) * DAY + 9.5 * HOUR
const BROWSER = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' }
const target = 'https://example.com/menu'
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

interface Problem {
  code: string
  undo_until?: string
}

const problemOf = async (response: Response): Promise<[number, string]> => [
  response.status,
  ((await response.json()) as Problem).code,
]

async function start(t: TestContext, env: Record<string, string> = {}) {
  const clock = { now: START }
  const server = await startServer(t, env, () => clock.now)
  return { server, clock }
}

/** Deletes a link so that it can be brought back. */
async function remove(server: TestServer, link: Pick<Created, 'token'>): Promise<{ undo_until: string }> {
  const response = await fetch(`${manage(server, link)}?undo=true`, { method: 'DELETE' })
  assert.equal(response.status, 200, await response.clone().text())
  return (await response.json()) as { undo_until: string }
}

const undelete = (server: TestServer, link: Pick<Created, 'token'>) =>
  fetch(manage(server, link, '/undelete'), { method: 'POST' })

/** What is stored of links, besides the codes that stay taken and the ids of what was deleted. */
async function stored({ services: { db } }: TestServer): Promise<Record<string, number>> {
  const tables = ['links', 'designs', 'memberships', 'revisions', 'shares', 'webhooks', 'outbox', 'deletions'] as const
  const counts = await Promise.all(
    tables.map(async (table) => [table, (await db.read.selectFrom(table).selectAll().execute()).length] as const),
  )
  return Object.fromEntries(counts)
}

test('a link that was deleted with undo=true is deleted for everybody, and its owner reads until when it can be brought back', async (t) => {
  const { server } = await start(t)
  const link = await create(server, { target, alias: 'Menu' })
  assert.equal((await visit(link.short_url, BROWSER)).status, 302)
  const share = (await (await post(manage(server, link, '/share'), {})).json()) as { share_token: string }
  const until = new Date(START + DAY).toISOString()
  assert.deepEqual(await remove(server, link), { deleted: true, code: 'Menu', undo_until: until })

  for (const path of ['', '+', '/qr.png', '/qr.svg', '/qr.pdf', '/print.pdf', '/og.png'])
    assert.deepEqual(await problemOf(await visit(link.short_url + path)), [410, 'code_gone'], path)
  for (const path of ['', '/stats', '/history', '/scans.csv', '/scans.ndjson', '/bundle', '/shares', '/stream']) {
    for (const response of [
      await fetch(manage(server, link, path)),
      await fetch(`${server.url}/api/manage${path}`, { headers: bearer(link.token) }),
    ]) {
      const problem = (await response.json()) as Problem
      assert.deepEqual([response.status, problem.code, problem.undo_until], [410, 'link_deleted', until], path)
      assert.equal(response.headers.get('cache-control'), 'no-store')
    }
  }
  assert.deepEqual(await problemOf(await put(manage(server, link), { title: 'x' })), [410, 'link_deleted'])
  for (const path of ['/rotate', '/share', '/revert'])
    assert.deepEqual(await problemOf(await post(manage(server, link, path), { revision: 1 })), [410, 'link_deleted'])
  const again = await fetch(`${manage(server, link)}?undo=true`, { method: 'DELETE' })
  assert.deepEqual(await problemOf(again), [410, 'link_deleted'])
  const shared = await fetch(`${server.url}/api/share/${share.share_token}/stats`)
  assert.deepEqual(await problemOf(shared), [404, 'unknown_token'])
  const other = await create(server, { target })
  const many = await post(`${server.url}/api/stats`, { tokens: [other.token, link.token] })
  const rows = ((await many.json()) as { links: { code?: string; error?: Problem }[] }).links
  assert.deepEqual([rows[0]?.code, rows[1]?.error?.code], [other.code, 'link_deleted'])
  const changes = [other, link].map(({ token }) => ({ token, title: 'x' }))
  const changed = (await (await post(`${server.url}/api/manage`, { changes })).json()) as {
    results: { code?: string; error?: Problem }[]
  }
  assert.deepEqual([changed.results[0]?.code, changed.results[1]?.error?.code], [other.code, 'link_deleted'])
  const taken = await post(`${server.url}/api/links`, { target, alias: 'menu' })
  assert.deepEqual(await problemOf(taken), [409, 'alias_taken'])
  const reported = await post(`${server.url}/api/reports`, { code: 'menu', reason: 'spam' })
  assert.deepEqual(await problemOf(reported), [410, 'code_gone'])
})

test('what is brought back is as it was: visits, design, history, shares, placements, collections, by each path', async (t) => {
  const { server, clock } = await start(t)
  const { token: collection } = (await (await post(`${server.url}/api/collections`, {})).json()) as Created
  const links = `${server.url}/api/collections/${collection}/links`
  const ways: [string, (link: Created) => Promise<Response>, (link: Created) => Promise<Response>][] = [
    [
      'token in the path',
      (link) => fetch(`${manage(server, link)}?undo=true`, { method: 'DELETE' }),
      (link) => undelete(server, link),
    ],
    [
      'token in the header',
      ({ token }) => fetch(`${server.url}/api/manage?undo=true`, { method: 'DELETE', headers: bearer(token) }),
      ({ token }) => fetch(`${server.url}/api/manage/undelete`, { method: 'POST', headers: bearer(token) }),
    ],
    [
      'a collection',
      ({ code }) => fetch(`${links}/${code}?link=true&undo=true`, { method: 'DELETE' }),
      ({ code }) => fetch(`${links}/${code}/undelete`, { method: 'POST' }),
    ],
    [
      'a collection in the header',
      ({ code }) =>
        fetch(`${server.url}/api/collections/links/${code}?link=true&undo=true`, {
          method: 'DELETE',
          headers: bearer(collection),
        }),
      ({ code }) =>
        fetch(`${server.url}/api/collections/links/${code}/undelete`, { method: 'POST', headers: bearer(collection) }),
    ],
  ]
  for (const [way, removeIt, bringBack] of ways) {
    const link = await create(server, { target, placements: [{ id: 'door', name: 'Door' }] })
    await put(manage(server, link), { title: 'Menu', design: { shape: 'dots' }, password: null })
    await post(links, { tokens: [link.token] })
    const share = (await (await post(manage(server, link, '/share'), {})).json()) as { share_token: string }
    const sharedStats = () => fetch(`${server.url}/api/share/${share.share_token}/stats`)
    await visit(`${link.short_url}?qr=door`, BROWSER)
    const read = async (): Promise<unknown> => [
      await details(server, link),
      await details(server, link, '/stats'),
      ((await details(server, link, '/history')) as { revisions: { changes: unknown }[] }).revisions.map(
        ({ changes }) => changes,
      ),
      await details(server, link, '/shares'),
      await (await sharedStats()).json(),
      await (await fetch(`${links}/${link.code}`)).json(),
    ]
    const before = await read()

    assert.equal((await removeIt(link)).status, 200, way)
    assert.equal((await visit(link.short_url)).status, 410, way)
    assert.deepEqual(await problemOf(await fetch(`${links}/${link.code}`)), [410, 'link_deleted'], way)
    const counted = (await (await fetch(`${server.url}/api/collections/${collection}`)).json()) as { links: number }
    assert.equal(counted.links, 0, 'a deleted link is not counted')
    clock.now += DAY - 1
    const back = await bringBack(link)
    assert.equal(back.status, 200, `${way}: ${await back.clone().text()}`)
    assert.equal(((await back.json()) as { code: string }).code, link.code)
    assert.equal((await visit(`${link.short_url}?qr=door`)).status, 302)
    const [was, is] = [before, await read()].map((each) =>
      // The statistics of a day are those of its day, and the test has visited it once more.
      JSON.stringify((each as unknown[]).filter((_part, at) => [2, 3].includes(at))),
    )
    assert.equal(is, was, way)
    const { title, design, placements, totals } = await details<{
      title: string
      design: object
      placements: object[]
      totals: { scans: number }
    }>(server, link)
    assert.deepEqual(
      [title, design, placements, totals.scans],
      ['Menu', { shape: 'dots' }, [{ id: 'door', name: 'Door' }], 2],
    )
    assert.equal((await sharedStats()).status, 200)
    assert.equal((await fetch(`${links}/${link.code}`)).status, 200)
    assert.equal((await bringBack(link)).status, 200, 'a second try finds it done')
    await fetch(manage(server, link), { method: 'DELETE' })
  }
})

test('undo goes with a deletion: taking a link out of a collection needs none', async (t) => {
  const { server } = await start(t)
  const { token } = (await (await post(`${server.url}/api/collections`, {})).json()) as Created
  const link = await create(server, { target })
  await post(`${server.url}/api/collections/${token}/links`, { tokens: [link.token] })
  const url = `${server.url}/api/collections/${token}/links/${link.code}`
  const refused = await fetch(`${url}?undo=true`, { method: 'DELETE' })
  assert.deepEqual(await problemOf(refused), [400, 'invalid_request'])
  assert.equal((await fetch(url)).status, 200)
})

test('after a day nothing brings the link back, and nothing of it is stored', async (t) => {
  const { server } = await start(t)
  const { token: collection } = (await (await post(`${server.url}/api/collections`, {})).json()) as Created
  const link = await create(server, { target, webhook: { url: 'https://example.com/', events: ['link.changed'] } })
  const other = await create(server, { target })
  await put(manage(server, link), { title: 'Menu', design: { shape: 'dots' } })
  await post(manage(server, link, '/share'), {})
  await post(`${server.url}/api/collections/${collection}/links`, { tokens: [link.token] })
  await visit(link.short_url, BROWSER)
  await server.services.clock.check()
  await remove(server, link)
  await server.services.links.deleteOverdue()
  assert.equal((await stored(server))['shares'], 1, 'the day is not over')

  // PostgreSQL has a clock of its own, which also counts for what is deleted for good.
  await server.services.db.write
    .updateTable('links')
    .set((of) => ({ deleted_at: of('deleted_at', '-', DAY) }))
    .where('deleted_at', 'is not', null)
    .execute()
  assert.deepEqual(await problemOf(await undelete(server, link)), [404, 'unknown_token'])
  assert.deepEqual(await problemOf(await fetch(manage(server, link))), [404, 'unknown_token'])
  await server.services.links.deleteOverdue()
  const none = { designs: 0, memberships: 0, revisions: 0, shares: 0, webhooks: 0, outbox: 0 }
  assert.deepEqual(await stored(server), { ...none, links: 1, deletions: 1 })
  assert.deepEqual(await problemOf(await visit(link.short_url)), [410, 'code_gone'])
  assert.equal((await visit(other.short_url)).status, 302)
  const { code } = link
  assert.deepEqual(await problemOf(await post(`${server.url}/api/links`, { target, alias: code })), [
    409,
    'alias_taken',
  ])
  assert.deepEqual(server.logged, [])
})

test('a deletion without undo is for good at once, also of a link that could be brought back', async (t) => {
  const { server } = await start(t)
  for (const isDeletedBefore of [false, true]) {
    const link = await create(server, { target })
    if (isDeletedBefore) await remove(server, link)
    const response = await fetch(manage(server, link), { method: 'DELETE' })
    assert.deepEqual(await response.json(), { deleted: true, code: link.code })
    assert.deepEqual(await problemOf(await undelete(server, link)), [404, 'unknown_token'])
    assert.deepEqual(await problemOf(await visit(link.short_url)), [410, 'code_gone'])
    assert.equal((await stored(server))['links'], 0)
  }
})

test('If-Match holds for a deletion with a way back, too, and a change that was read before is refused', async (t) => {
  const { server } = await start(t)
  const link = await create(server, { target })
  const url = `${manage(server, link)}?undo=true`
  const wrong = await fetch(url, { method: 'DELETE', headers: { 'if-match': '"9"' } })
  assert.deepEqual(await problemOf(wrong), [412, 'precondition_failed'])
  const etag = (await fetch(manage(server, link))).headers.get('etag') ?? ''
  assert.equal((await fetch(url, { method: 'DELETE', headers: { 'if-match': etag } })).status, 200)
  const back = await undelete(server, link)
  assert.notEqual(back.headers.get('etag'), etag)
  const late = await put(manage(server, link), { title: 'x' }, { 'if-match': etag })
  assert.deepEqual(await problemOf(late), [412, 'precondition_failed'])
})

test('a token that was replaced brings nothing back once it has ended, and the new one does', async (t) => {
  const { server, clock } = await start(t)
  const link = await create(server, { target })
  const rotated = (await (await post(manage(server, link, '/rotate'), {})).json()) as Created
  await remove(server, link)
  assert.deepEqual(await problemOf(await fetch(manage(server, rotated))), [410, 'link_deleted'])
  clock.now += HOUR
  assert.deepEqual(await problemOf(await undelete(server, link)), [404, 'unknown_token'])
  assert.equal((await undelete(server, rotated)).status, 200)
  assert.equal((await fetch(manage(server, rotated))).status, 200)
  assert.deepEqual(await problemOf(await fetch(manage(server, link))), [404, 'unknown_token'])
})

test('many at the same time bring a link back once, and delete it once', async (t) => {
  const { server } = await start(t)
  const link = await create(server, { target })
  const deleted = await Promise.all(
    Array.from({ length: 6 }, () => fetch(`${manage(server, link)}?undo=true`, { method: 'DELETE' })),
  )
  assert.deepEqual(deleted.map(({ status }) => status).sort(), [200, 410, 410, 410, 410, 410])
  const back = await Promise.all(Array.from({ length: 6 }, () => undelete(server, link)))
  assert.deepEqual(
    back.map(({ status }) => status),
    [200, 200, 200, 200, 200, 200],
  )
  assert.equal((await visit(link.short_url)).status, 302)
})

test('bringing a link back counts as a change', { skip: skipUnlessOneNode }, async (t) => {
  const { server } = await start(t, { LIMIT_CHANGES: '1' })
  const [first, second] = [await create(server, { target }), await create(server, { target })]
  await remove(server, first)
  await remove(server, second)
  assert.equal((await undelete(server, first)).status, 200)
  assert.deepEqual(await problemOf(await undelete(server, second)), [429, 'rate_limited'])
  assert.deepEqual(await problemOf(await fetch(manage(server, second))), [410, 'link_deleted'], 'it stays deleted')
})

test('what the operator or a list blocks meanwhile comes back blocked', { skip: skipUnlessOneNode }, async (t) => {
  const { server } = await start(t)
  const [named, listed] = [
    await create(server, { target }),
    await create(server, { target: 'https://blocked.example/' }),
  ]
  for (const link of [named, listed]) await remove(server, link)
  assert.equal((await command(server.dataDir, 'block', named.code, '--legal', '--reason=order')).status, 0)
  assert.equal((await command(server.dataDir, 'block', 'blocked.example')).status, 0)
  await poll(async () => {
    const rows = await server.services.db.read.selectFrom('links').select('removed_at').execute()
    return rows.every(({ removed_at: at }) => at !== null)
  })
  assert.deepEqual(await problemOf(await visit(named.short_url)), [410, 'code_gone'], 'until then it is deleted')
  for (const link of [named, listed]) assert.equal((await undelete(server, link)).status, 200)
  assert.deepEqual(await problemOf(await visit(named.short_url)), [451, 'code_removed_by_law'])
  assert.deepEqual(await problemOf(await visit(listed.short_url)), [410, 'code_removed'])
})

test(
  'the operator finds what can be brought back, and no other list has it',
  { skip: skipUnlessOneNode },
  async (t) => {
    const { server } = await start(t)
    const [link, other] = [await create(server, { target, alias: 'Menu' }), await create(server, { target })]
    await remove(server, link)
    const list = async (...args: string[]) => {
      const { stdout: text } = await command(server.dataDir, 'links', '--json', ...args)
      return text === ''
        ? []
        : text
            .trim()
            .split('\n')
            .map((line) => JSON.parse(line) as { code: string; deleted: object | null })
    }
    const deleted = { at: new Date(START).toISOString(), undo_until: new Date(START + DAY).toISOString() }
    for (const args of [['--deleted'], ['--code=menu'], ['--deleted', '--text=example.com']])
      assert.deepEqual(
        (await list(...args)).map((each) => [each.code, each.deleted]),
        [['Menu', deleted]],
      )
    assert.deepEqual(
      (await list()).map((each) => [each.code, each.deleted]),
      [[other.code, null]],
    )
    assert.deepEqual(await list('--deleted', '--removed'), [])
    const table = await command(server.dataDir, 'links', '--deleted')
    assert.match(table.stdout, new RegExp(`deleted, until ${new Date(START + DAY).toISOString().slice(0, 10)}`))
  },
)

test('a restart keeps what can be brought back, with its visits', { skip: skipUnlessSqlite }, async (t) => {
  const clock = { now: START }
  const first = await startServer(t, {}, () => clock.now)
  const link = await create(first, { target })
  for (let visits = 0; visits < 3; visits++) await visit(link.short_url, BROWSER)
  await details(first, link, '/stats')
  await remove(first, link)
  await first.stop()
  clock.now += HOUR
  const server = await startServer(t, { DATA_DIR: first.dataDir }, () => clock.now)
  await server.services.scans.fold()
  assert.equal((await undelete(server, link)).status, 200)
  assert.equal((await details<{ totals: { scans: number } }>(server, link)).totals.scans, 3)
  assert.deepEqual(server.logged, [])
})

test('a clock that is wrong for a while deletes nothing for good', { skip: skipUnlessOneNode }, async (t) => {
  const { server, clock } = await start(t)
  const link = await create(server, { target })
  await server.services.clock.check()
  await remove(server, link)
  clock.now += 365 * DAY
  await server.services.clock.check()
  await server.services.links.deleteOverdue()
  assert.deepEqual(await problemOf(await undelete(server, link)), [404, 'unknown_token'], 'its day seems to be over')
  clock.now -= 365 * DAY
  await server.services.clock.check()
  assert.equal((await undelete(server, link)).status, 200)
})

test(
  'a webhook sends nothing of a deleted link, and what waited once it is back',
  { skip: skipUnlessOneNode },
  async (t) => {
    const { server, receiver, url, clock } = await startWithWebhooks(t)
    const link = await createWithWebhook(server, url)
    const { db } = server.services
    const { id } = await server.services.links.findByToken(link.token)
    await db.transaction((transaction) =>
      insertEvent(transaction, id, createEvent('link.changed', clock.now + HOUR, { code: link.code })),
    )
    await remove(server, link)
    clock.now += 2 * HOUR
    const row = () => db.read.selectFrom('webhooks').select(['next_attempt_at', 'next_check_at']).executeTakeFirst()
    assert.deepEqual({ ...(await row()) }, { next_attempt_at: null, next_check_at: null })
    const late = await db.transaction((transaction) =>
      insertEvent(transaction, id, createEvent('link.changed', clock.now, {})),
    )
    assert.equal(late, undefined, 'no event is queued')
    assert.equal(receiver.received.length, 0)
    await undelete(server, link)
    await poll(async () => receiver.received.length === 1)
    assert.notEqual((await row())?.next_check_at, null)
  },
)

test('who deletes a link and brings it back ends no wait of its webhook', { skip: skipUnlessOneNode }, async (t) => {
  const { server, receiver, url, clock } = await startWithWebhooks(t)
  const { db } = server.services
  const link = await createWithWebhook(server, url, ['link.changed'])
  const next = async () => (await webhookOf(server, link)).next_attempt_at
  const iso = (ms: number) => new Date(clock.now + ms).toISOString()
  const bringBack = async (wait: number) => {
    for (let count = 0; count < 2; count++) {
      await remove(server, link)
      assert.equal((await undelete(server, link)).status, 200)
      assert.equal(await next(), iso(wait))
    }
  }

  receiver.respond = (response) => void response.writeHead(503, { 'retry-after': '3600' }).end()
  await put(manage(server, link), { title: 'One' })
  await poll(async () => (await next()) === iso(HOUR))
  await put(manage(server, link), { title: 'Two' })
  await bringBack(HOUR)
  clock.now += HOUR - 1000
  await bringBack(1000)
  assert.equal(receiver.received.length, 1, 'a receiver that has asked for an hour has it')

  receiver.respond = (response) => void response.writeHead(204).end()
  clock.now += 1000
  await poll(async () => receiver.received.length === 2 && (await next()) === iso(1000))
  await bringBack(1000)
  assert.equal(receiver.received.length, 2, 'one event a second')

  await remove(server, link)
  clock.now += HOUR
  await undelete(server, link)
  await poll(async () => receiver.received.length === 3)
  assert.deepEqual(
    receiver.received.map(({ event }) => event.data['revision']),
    [2, 2, 3],
  )
  const paused = await db.read
    .selectFrom('webhooks')
    .select(['paused_attempt_at', 'paused_check_at'])
    .executeTakeFirst()
  assert.deepEqual({ ...paused }, { paused_attempt_at: null, paused_check_at: null })
})

test(
  'the destination of a link that was deleted and brought back is checked when it would have been',
  { skip: skipUnlessOneNode },
  async (t) => {
    const { server, url, clock } = await startWithWebhooks(t, {}, { random: () => 0.5 })
    const { db } = server.services
    const link = await createWithWebhook(server, url, ['destination.failing'])
    const next = async () =>
      (await db.read.selectFrom('webhooks').select('next_check_at').executeTakeFirst())?.next_check_at
    assert.equal(await next(), clock.now + DAY / 2)
    const at = clock.now + DAY / 2
    for (const hours of [0, 1, 2]) {
      await remove(server, link)
      assert.equal(await next(), null)
      clock.now += hours * HOUR
      await undelete(server, link)
      assert.equal(await next(), at)
    }
  },
)
