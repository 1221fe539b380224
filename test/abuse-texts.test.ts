// Addresses in the texts of a link: phones make links of them.
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryFolder } from './support/cleanup.ts'
import { poll } from './support/poll.ts'
import { create, post, put, startServer, visit } from './support/server.ts'

const BAD = 'bad.example/login'

test('a listed address is refused and removed in a text as well, with a scheme or without one', async (t) => {
  const file = join(temporaryFolder(t), 'own.txt')
  writeFileSync(file, 'other.example\n')
  const server = await startServer(t, { ABUSE_FEEDS: file, CONTACT: 'abuse@example.com' })
  const relist = async (list: string) => {
    writeFileSync(file, list)
    await server.services.abuse.operations['lists']?.({ accept: true })
  }
  const bodies = {
    '/description': { kind: 'page', headline: 'Bank', description: `Sign in at ${BAD}.` },
    '/links/0/label': { kind: 'page', headline: 'Bank', links: [{ label: BAD, url: 'https://good.example/' }] },
    '/org': { kind: 'vcard', firstName: 'Ann', org: `https://www.${BAD}` },
    '/title': { target: 'https://good.example/', title: `now at ${BAD}` },
    '/jobTitle': { kind: 'vcard', lastName: 'Lee', jobTitle: `web:https://${BAD}` },
    '/rules/0/then/ended': {
      target: 'https://good.example/',
      rules: [{ when: { until: '2026-12-31T18:00:00+01:00' }, then: { ended: `go on at ${BAD}` } }],
    },
    '/location': { kind: 'event', summary: 'Fair', start: '2026-12-01', location: `online (${BAD})` },
  }
  const links = new Map<string, Awaited<ReturnType<typeof create>>>()
  for (const [pointer, body] of Object.entries(bodies)) links.set(pointer, await create(server, body))
  const good = await create(server, { target: 'https://good.example/', title: 'shop@bad.example' })

  await relist('bad.example\n')
  for (const [pointer, body] of Object.entries(bodies)) {
    const response = await post(`${server.url}/api/links`, body)
    const problem = (await response.json()) as { code: string; errors: { pointer: string; detail: string }[] }
    assert.deepEqual([response.status, problem.code], [422, 'target_blocked'], pointer)
    assert.deepEqual(
      problem.errors.map((error) => error.pointer),
      [pointer],
    )
    assert.match(problem.errors[0]?.detail ?? '', /^names an address that is listed as malware or phishing/)
    const { short_url: stored } = links.get(pointer) ?? { short_url: '' }
    await poll(async () => (await visit(stored)).status === 410)
  }
  assert.equal((await visit(good.short_url)).status, 302)
  const changed = await put(`${server.url}/api/manage/${good.token}`, { title: BAD })
  assert.equal(changed.status, 422)
})

test('a page that names more addresses than are soon compared with the lists is refused, as it is created and as it is changed', async (t) => {
  const server = await startServer(t, {})
  const link = await create(server, { kind: 'page', headline: 'Menu', description: 'Pizza 8.50, www.pizza.example' })
  const description = 't.co/'.repeat(400)
  const created = await post(`${server.url}/api/links`, { kind: 'page', headline: 'Menu', description })
  const changed = await put(`${server.url}/api/manage/${link.token}`, { description })
  for (const response of [created, changed]) {
    const { code, errors } = (await response.json()) as { code: string; errors: { pointer: string }[] }
    assert.deepEqual([response.status, code, errors[0]?.pointer], [400, 'invalid_request', '/description'])
  }
})
