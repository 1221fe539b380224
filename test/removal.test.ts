import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import { reinstate, suspend } from '../src/links/suspension.ts'
import type { Suspension } from '../src/links/link.ts'
import { fileEndings } from './support/kinds.ts'
import { create, put, startServer, visit, type Created, type TestServer } from './support/server.ts'

const DESTINATION = 'https://harmful.example/where-it-led'
const REMOVAL: Suspension = { at: Date.UTC(2026, 10, 21), reason: 'it harms', source: 'operator', expression: null }

/** Starts a service with one link, which was visited, so that it was cached, and then removed. */
async function startWithRemoved(t: TestContext, removal: Suspension = REMOVAL): Promise<[TestServer, Created]> {
  const server = await startServer(t, { CONTACT: 'abuse@example.com' })
  const rules = [{ when: { os: ['iOS'] }, then: { target: `${DESTINATION}/rule` } }]
  const link = await create(server, { target: DESTINATION, alias: 'Bad', title: 'My link', rules })
  assert.equal((await visit(link.short_url)).status, 302)
  const found = await server.services.links.findByToken(link.token)
  assert.equal((await suspend(server.services.db.write, [found], removal)).size, 1)
  server.services.visits.invalidate(link.code)
  return [server, link]
}

const addressesOf = ({ short_url: url }: Created) =>
  ['', '+', ...fileEndings, '/qr.png', '/qr.svg'].map((end) => url + end)

test('every URL of a removed code responds with 410 and does not reveal the target', async (t) => {
  const [, link] = await startWithRemoved(t)
  for (const url of addressesOf(link)) {
    const response = await visit(url)
    const body = await response.text()
    assert.deepEqual([response.status, (JSON.parse(body) as { code: string }).code], [410, 'code_removed'], url)
    assert.equal(response.headers.get('location'), null)
    assert.equal(response.headers.get('cache-control'), 'no-store')
    assert.doesNotMatch(body, /harmful|where-it-led|My link/)

    const page = await visit(url, { accept: 'text/html' })
    const text = await page.text()
    assert.equal(page.status, 410)
    assert.match(text, /<h1>This code was blocked<\/h1>/)
    assert.match(text, /href="\/report"/)
    assert.match(text, /href="mailto:abuse@example.com"/)
    assert.doesNotMatch(text, /harmful|where-it-led|My link/)
  }
})

test('a code removed by legal order responds with 451, and names who implemented the order', async (t) => {
  const [, link] = await startWithRemoved(t, { ...REMOVAL, source: 'legal' })
  for (const url of addressesOf(link)) {
    const response = await visit(url)
    assert.equal(response.status, 451, url)
    assert.equal(response.headers.get('link'), '</>; rel="blocked-by"')
    assert.doesNotMatch(await response.text(), /harmful/)
  }
})

test('the owner sees the reason, can delete the link, and cannot change it', async (t) => {
  const [server, link] = await startWithRemoved(t)
  const manage = `${server.url}/api/manage/${link.token}`
  const details = (await (await fetch(manage)).json()) as Record<string, unknown>
  assert.deepEqual(details['removed'], { reason: 'it harms', source: 'operator', at: '2026-11-21T00:00:00.000Z' })
  assert.equal(details['target'], DESTINATION)

  for (const body of [{ target: 'https://example.com/' }, { title: 'New' }, { active: false }]) {
    const response = await put(manage, body)
    assert.deepEqual([response.status, ((await response.json()) as { code: string }).code], [409, 'link_removed'])
  }
  assert.deepEqual(await (await fetch(manage)).json(), details)

  assert.equal((await fetch(manage, { method: 'DELETE' })).status, 200)
  assert.equal((await fetch(manage)).status, 404)
  const response = await visit(link.short_url)
  assert.deepEqual([response.status, ((await response.json()) as { code: string }).code], [410, 'code_gone'])
})

test('a change for a revision before the removal gets 412', async (t) => {
  const [server, link] = await startWithRemoved(t)
  const response = await put(`${server.url}/api/manage/${link.token}`, { title: 'New' }, { 'if-match': '"1"' })
  assert.equal(response.status, 412)
})

test('after a reinstatement the next visit is redirected again', async (t) => {
  const [server, link] = await startWithRemoved(t)
  assert.equal((await visit(link.short_url)).status, 410)
  assert.equal(await reinstate(server.services.db.write, await server.services.links.findByToken(link.token)), true)
  server.services.visits.invalidate(link.code)
  const response = await visit(link.short_url)
  assert.deepEqual([response.status, response.headers.get('location')], [302, DESTINATION])
})

test('what belongs to a deleted link goes with it', async (t) => {
  const server = await startServer(t)
  const webhook = { url: 'https://example.com/hook', events: ['link.changed'] }
  const link = await create(server, { target: DESTINATION, webhook })
  const manage = `${server.url}/api/manage/${link.token}`
  assert.equal((await put(manage, { title: 'New' })).status, 200)
  const { read } = server.services.db
  const rows = async () => [
    ...(await read.selectFrom('webhooks').select('link_id').execute()),
    ...(await read.selectFrom('outbox').select('link_id').execute()),
  ]
  assert.equal((await rows()).length, 2)
  assert.equal((await fetch(manage, { method: 'DELETE' })).status, 200)
  assert.deepEqual(await rows(), [])
})
