import assert from 'node:assert/strict'
import { describe, test, type TestContext } from 'node:test'
import { findRevisions } from '../src/links/history/history-store.ts'
import { examplesOf } from './support/guide.ts'
import { requireProgram } from './support/programs.ts'
import { create, post, put, startServer, type TestServer } from './support/server.ts'

interface Revision {
  revision: number
  at: string
  changes: Record<string, { before: unknown; after: unknown }> | null
}

const START = Date.UTC(2026, 10, 21, 9, 30)
const HOUR = 3_600_000
const RED = { fg: '#800000' }

/** A service whose clock goes on by an hour with each change, and a link on it. */
async function startWithLink(t: TestContext, body: object = { target: 'https://example.com/menu', alias: 'menu' }) {
  let now = START
  const server = await startServer(t, {}, () => now)
  const { token } = await create(server, body)
  const url = `${server.url}/api/manage/${token}`
  const later = <T>(response: Promise<T>) => ((now += HOUR), response)
  return {
    ...server,
    token,
    change: (change: object) => later(put(url, change)).then(detailsOf),
    revert: (revision: unknown, headers = {}) => later(post(`${url}/revert`, { revision }, headers)),
    history: async () => ((await (await fetch(`${url}/history`)).json()) as { revisions: Revision[] }).revisions,
    details: () => fetch(url).then(detailsOf),
    operator: (name: string, input: object) => server.services.abuse.operations[name]?.(input as never),
  }
}

async function detailsOf(response: Response) {
  const details = (await response.json()) as Record<string, unknown>
  assert.equal(response.status, 200, JSON.stringify(details))
  const { updated_at: at, totals, ...content } = details
  assert.ok(at && totals)
  return { content, tag: response.headers.get('etag') }
}

const problemOf = async (response: Response) => [response.status, ((await response.json()) as { code: string }).code]
const timeAt = (hours: number) => new Date(START + hours * HOUR).toISOString()

test("each change is in the history with the fields that it changed, newest first, from the link's creation", async (t) => {
  const { change, history } = await startWithLink(t)
  assert.deepEqual(await history(), [{ revision: 1, at: timeAt(0), changes: null }])
  await change({ target: 'https://example.com/new', title: 'Menu', campaign: null })
  await change({ active: false, design: RED })
  await change({ title: 'Menu', active: false })
  await change({ utm: { utm_source: 'flyer' } })
  assert.deepEqual(await history(), [
    { revision: 4, at: timeAt(4), changes: { utm: { before: {}, after: { utm_source: 'flyer' } } } },
    {
      revision: 3,
      at: timeAt(2),
      changes: { active: { before: true, after: false }, design: { before: null, after: RED } },
    },
    {
      revision: 2,
      at: timeAt(1),
      changes: {
        target: { before: 'https://example.com/menu', after: 'https://example.com/new' },
        title: { before: null, after: 'Menu' },
      },
    },
    { revision: 1, at: timeAt(0), changes: null },
  ])
})

describe('a revert', () => {
  const bodies = [
    { target: 'https://example.com/', utm: { utm_source: 'flyer' } },
    { kind: 'appstore', ios: 'https://apps.apple.com/1', fallback: 'https://example.com/' },
    { kind: 'vcard', firstName: 'Ada', phone: '+44 20 7946 0000' },
    { kind: 'page', headline: 'Hello', links: [{ label: 'a', url: 'https://example.com/' }] },
  ]
  const changes: Record<string, object> = {
    url: { target: 'https://example.org/', utm: {} },
    appstore: { ios: null, android: 'https://play.google.com/2' },
    vcard: { firstName: null, org: 'Engines' },
    page: { headline: 'Bye', links: null, description: 'x' },
  }
  for (const { kind = 'url', ...body } of bodies) {
    test(`makes a ${kind} link what it was, as a change of its own, which can be reverted as well`, async (t) => {
      const { change, revert, details, history } = await startWithLink(t, { kind, ...body, title: 'Old' })
      const first = await details()
      const rules = [{ when: { source: 'qr' }, then: { target: 'https://example.net/' } }]
      const second = await change({ ...changes[kind], title: null, active: false, rules, design: RED })
      assert.deepEqual(await detailsOf(await revert(1)), { ...first, tag: '"3"' })
      assert.deepEqual(await details(), { ...first, tag: '"3"' })
      assert.deepEqual(await detailsOf(await revert(2)), { ...second, tag: '"4"' })
      const [undone, done] = (await history()).slice(1)
      const swapped = Object.entries(done?.changes ?? {}).map(([name, { before, after }]) => [
        name,
        { before: after, after: before },
      ])
      assert.deepEqual(undone?.changes, Object.fromEntries(swapped))
    })
  }

  test('to what the link is already changes nothing', async (t) => {
    const { change, revert, details, history } = await startWithLink(t)
    await change({ title: 'a' })
    await change({ title: null })
    const before = [await details(), await history()]
    for (const revision of [3, 1]) assert.deepEqual(await detailsOf(await revert(revision)), before[0])
    assert.deepEqual([await details(), await history()], before)
  })

  test('is refused where any change is: for another revision, a blocked destination, a link that was removed', async (t) => {
    const { code, change, revert, details, operator } = await startWithLink(t).then((all) => ({ ...all, code: 'menu' }))
    const now = await change({ target: 'https://example.org/' })
    assert.deepEqual(await problemOf(await revert(1, { 'if-match': '"1"' })), [412, 'precondition_failed'])
    await operator('block', { subject: 'example.com' })
    assert.deepEqual(await problemOf(await revert(1)), [422, 'target_blocked'])
    assert.deepEqual(await details(), now)
    await operator('unblock', { subject: 'example.com' })
    await operator('block', { subject: code })
    assert.deepEqual(await problemOf(await revert(1)), [409, 'link_removed'])
    await operator('unblock', { subject: code })
    assert.equal((await revert(1, { 'if-match': '"4"' })).status, 200)
    assert.equal((await details()).content['target'], 'https://example.com/menu')
  })

  test('needs a revision that is stored', async (t) => {
    const { change, revert, details } = await startWithLink(t)
    await change({ title: 'a' })
    const before = await details()
    for (const revision of [3, 99, 2 ** 31 - 1])
      assert.deepEqual(await problemOf(await revert(revision)), [404, 'unknown_revision'])
    for (const revision of [0, -1, 1.5, 2 ** 31, '1', null, [1], { $gt: 0 }, undefined])
      assert.deepEqual(await problemOf(await revert(revision)), [400, 'invalid_request'], JSON.stringify(revision))
    assert.deepEqual(await details(), before)
  })
})

test('a removal for abuse and its end count as revisions, and the history has neither', async (t) => {
  const { change, history, details, operator } = await startWithLink(t)
  await change({ title: 'a' })
  await operator('block', { subject: 'menu' })
  const numbers = async () => (await history()).map(({ revision }) => revision)
  assert.deepEqual([(await details()).tag, await numbers()], ['"3"', [3, 1]], 'its owner reads it while it is removed')
  await operator('unblock', { subject: 'menu' })
  assert.deepEqual([(await details()).tag, await numbers()], ['"4"', [4, 1]])
  await change({ title: 'b' })
  assert.deepEqual(await history(), [
    { revision: 5, at: timeAt(2), changes: { title: { before: 'a', after: 'b' } } },
    { revision: 4, at: timeAt(1), changes: { title: { before: null, after: 'a' } } },
    { revision: 1, at: timeAt(0), changes: null },
  ])
})

test('the newest 50 revisions are stored, and of large ones as many as fit', async (t) => {
  const { change, history, revert } = await startWithLink(t)
  for (let at = 2; at <= 60; at++) await change({ title: `title ${at}` })
  assert.deepEqual(
    (await history()).map(({ revision }) => revision),
    Array.from({ length: 50 }, (_, at) => 60 - at),
  )
  assert.deepEqual(await problemOf(await revert(10)), [404, 'unknown_revision'])
  assert.equal((await detailsOf(await revert(11))).content['title'], 'title 11')

  const links = (text: string) =>
    Array.from({ length: 100 }, () => ({ label: 'a', url: `https://example.com/${text}` }))
  const page = await startWithLink(t, { kind: 'page', headline: 'Hello' })
  for (const letter of 'abcdefghijklmnop') await page.change({ links: links(letter.repeat(190)) })
  const stored = await page.history()
  const bytes = JSON.stringify(links('a'.repeat(190))).length
  assert.equal(stored.length, 1 + Math.floor((256 * 1024) / bytes))
  assert.equal(stored[0]?.revision, 17)
})

test('changes at the same time are all in the history, in their order', async (t) => {
  const { change, history } = await startWithLink(t)
  await Promise.all(Array.from({ length: 20 }, (_, at) => change({ title: `title ${at}` })))
  const revisions = await history()
  assert.deepEqual(
    revisions.map(({ revision }) => revision),
    Array.from({ length: 21 }, (_, at) => 21 - at),
  )
  for (const [at, { changes }] of revisions.slice(0, -1).entries()) {
    const before = revisions[at + 1]?.changes
    assert.equal(changes?.['title']?.before, before ? before['title']?.after : null)
  }
})

test('a change of many links is in the history of each that it changed', async (t) => {
  const { url, token, change, history } = await startWithLink(t)
  await change({ design: RED })
  const other = await create({ url }, { target: 'https://example.com/other' })
  const changes = [
    { token, title: 'a' },
    { token: other.token, target: 'https://example.com/other' },
  ]
  assert.equal((await post(`${url}/api/manage`, { changes })).status, 200)
  assert.deepEqual((await history())[0], {
    revision: 3,
    at: timeAt(1),
    changes: { title: { before: null, after: 'a' } },
  })
  const read = await fetch(`${url}/api/manage/${other.token}/history`)
  assert.equal(((await read.json()) as { revisions: unknown[] }).revisions.length, 1)
})

test('a creation stores no history, and a deletion leaves none', async (t) => {
  const { token, url, services, change } = await startWithLink(t)
  const rows = async () => (await services.db.read.selectFrom('revisions').selectAll().execute()).length
  await post(`${url}/api/bulk`, [{ target: 'https://example.com/1' }, { target: 'https://example.com/2' }])
  assert.equal(await rows(), 0)
  await change({ title: 'a', design: RED })
  const { id } = await services.links.findByToken(token)
  assert.equal((await findRevisions(services.db.read, id)).length, 1)
  assert.equal((await fetch(`${url}/api/manage/${token}`, { method: 'DELETE' })).status, 200)
  assert.equal(await rows(), 0)
  assert.deepEqual(await services.db.read.selectFrom('designs').selectAll().execute(), [])
})

test('the token may be in the Authorization header, and a wrong one gets nothing', async (t) => {
  const { url, token, change, history } = await startWithLink(t)
  await change({ title: 'a' })
  const headers = { authorization: `Bearer ${token}` }
  const read = await fetch(`${url}/api/manage/history`, { headers })
  assert.equal(read.headers.get('cache-control'), 'no-store')
  assert.deepEqual(((await read.json()) as { revisions: unknown }).revisions, await history())
  assert.equal((await post(`${url}/api/manage/revert`, { revision: 1 }, headers)).status, 200)
  const wrong = { authorization: `Bearer ${'x'.repeat(43)}` }
  for (const authorization of [wrong, {}]) {
    const responses = [
      fetch(`${url}/api/manage/history`, { headers: { ...authorization } }),
      post(`${url}/api/manage/revert`, { revision: 1 }, authorization),
    ]
    for (const response of responses) assert.deepEqual(await problemOf(await response), [404, 'unknown_token'])
  }
})

test('the examples of the guide', async (t) => {
  if (!requireProgram(t, 'curl', 'curl')) return
  const server: Pick<TestServer, 'url'> & { token: string; change: (body: object) => Promise<unknown> } =
    await startWithLink(t)
  await server.change({ target: 'https://example.com/new' })
  const { run, shown } = examplesOf('History')
  assert.deepEqual([await run(0, server)], shown)
  const { target } = (await run(1, server)) as { target: string }
  assert.equal(target, 'https://example.com/menu')
})
