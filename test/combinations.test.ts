import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'
import type { Rule } from '../src/links/rules/rule.ts'
import { startDns } from './support/dns.ts'
import { cheapScrypt, enter } from './support/passwords.ts'
import { PATIENCE_MS, poll } from './support/poll.ts'
import { startReceiver } from './support/receiver.ts'
import { create, post, put, startServer, visit, type Created } from './support/server.ts'

const OWN = 'https://example.com/own'
const PASSWORD = 'correct horse battery'

interface Revision {
  revision: number
  changes: Record<string, { before: unknown; after: unknown }> | null
}

const to = (path: string): Rule[] => [{ when: {}, then: { target: `https://example.com/${path}` } }]

/** A service and what an owner does with a link of it. */
async function startOwner(t: TestContext) {
  const server = await startServer(t, {}, undefined, { scrypt: cheapScrypt })
  const ok = async (response: Promise<Response>) => {
    const { status } = await response
    assert.equal(status, 200, await (await response).clone().text())
    return (await (await response).json()) as Record<string, unknown>
  }
  const at = ({ token }: { token: string }) => `${server.url}/api/manage/${token}`
  return {
    server,
    at,
    change: (link: { token: string }, body: object) => ok(put(at(link), body)),
    revert: (link: { token: string }, revision: number) => ok(post(`${at(link)}/revert`, { revision })),
    many: (...changes: object[]) => ok(post(`${server.url}/api/manage`, { changes })),
    rotate: async (link: { token: string }) => (await ok(post(`${at(link)}/rotate`, {}))) as { token: string },
    history: async (link: { token: string }) =>
      ((await ok(fetch(`${at(link)}/history`))) as unknown as { revisions: Revision[] }).revisions,
  }
}

/** Where the form of a link leads with a password: a status and a location. */
async function opens({ short_url: url }: Created, password = PASSWORD) {
  const { status, headers } = await enter(url, password)
  return [status, headers.get('location')]
}

test('a revert restores the rules and never the password, whose changes the history names without a value', async (t) => {
  const { server, change, revert, history } = await startOwner(t)
  const link = await create(server, { target: OWN, rules: to('first') })
  await change(link, { password: PASSWORD, rules: to('second') })
  await change(link, { password: 'another horse', title: 'Kept' })
  await change(link, { password: null, rules: null })
  assert.deepEqual(
    (await history(link)).map(({ changes }) => changes),
    [
      { rules: { before: to('second'), after: [] }, has_password: { before: true, after: false } },
      { title: { before: null, after: 'Kept' } },
      { rules: { before: to('first'), after: to('second') }, has_password: { before: false, after: true } },
      null,
    ],
  )
  const open = await revert(link, 3)
  assert.deepEqual([open['rules'], open['has_password'], open['title']], [to('second'), false, 'Kept'])
  assert.equal((await visit(link.short_url)).headers.get('location'), 'https://example.com/second')

  await change(link, { password: 'third horse' })
  const locked = await revert(link, 1)
  assert.deepEqual([locked['rules'], locked['has_password'], locked['title']], [to('first'), true, null])
  assert.equal((await visit(link.short_url)).status, 200)
  for (const earlier of [PASSWORD, 'another horse']) assert.deepEqual(await opens(link, earlier), [403, null])
  assert.deepEqual(await opens(link, 'third horse'), [303, 'https://example.com/first'])
  assert.doesNotMatch(JSON.stringify(await history(link)), /horse|scrypt/)
})

test('a password that replaces another is a revision that names no field', async (t) => {
  const { server, change, history } = await startOwner(t)
  const link = await create(server, { target: OWN, password: PASSWORD })
  await change(link, { password: 'another horse' })
  const [newest] = await history(link)
  assert.deepEqual([newest?.revision, newest?.changes], [2, {}])
})

test('a rotation leaves rules, password and history as they are, and the new token changes and reverts them', async (t) => {
  const { server, at, change, revert, rotate, history } = await startOwner(t)
  const link = await create(server, { target: OWN, rules: to('first'), password: PASSWORD })
  await change(link, { rules: to('second') })
  const before = await history(link)
  const rotated = await rotate(link)
  assert.deepEqual(await opens(link), [303, 'https://example.com/second'])
  assert.deepEqual(await history(rotated), before)
  assert.equal((await post(`${at(link)}/revert`, { revision: 1 })).status, 404)
  await revert(rotated, 1)
  assert.deepEqual(await opens(link), [303, 'https://example.com/first'])
  await change(rotated, { password: null })
  assert.equal((await visit(link.short_url)).headers.get('location'), 'https://example.com/first')
})

test('a change of many links sets, keeps and clears rules, also of links with a password, and is in the history of each', async (t) => {
  const { server, many, revert, history } = await startOwner(t)
  const links = [
    await create(server, { target: OWN, password: PASSWORD }),
    await create(server, { target: OWN, rules: to('b'), password: PASSWORD }),
    await create(server, { target: OWN, rules: to('c'), password: PASSWORD }),
  ] as const
  const [set, cleared, kept] = links
  const invalid = [{ when: {}, then: { target: 'https://10.0.0.1/' } }]
  const { results, ...counts } = await many(
    { token: set.token, rules: to('a') },
    { token: cleared.token, rules: null },
    { token: kept.token, rules: invalid },
  )
  assert.deepEqual(counts, { changed: 2, unchanged: 0, failed: 1 })
  const [, , failed] = results as { error?: { errors: { pointer: string }[] } }[]
  assert.deepEqual(
    failed?.error?.errors.map(({ pointer }) => pointer),
    ['/rules/0/then/target'],
  )
  const led = async () => Promise.all(links.map(async (link) => (await opens(link))[1]))
  assert.deepEqual(await led(), ['https://example.com/a', OWN, 'https://example.com/c'])
  const histories = await Promise.all(links.map(history))
  assert.deepEqual(
    histories.map(([newest]) => newest?.changes),
    [{ rules: { before: [], after: to('a') } }, { rules: { before: to('b'), after: [] } }, null],
  )
  assert.deepEqual(await many({ token: set.token, rules: to('a') }).then(({ unchanged }) => unchanged), 1)
  for (const link of [set, cleared]) await revert(link, 1)
  assert.deepEqual(await led(), [OWN, 'https://example.com/b', 'https://example.com/c'])
})

test('a webhook names the fields of each change as the API does, and a rotation or an unchanged link sends nothing', async (t) => {
  const receiver = await startReceiver(t)
  const { address } = await startDns(t, { 'hook.example.com': { a: ['127.0.0.1'] } })
  const webhooks = {
    isAllowed: (given: string) => given === '127.0.0.1',
    pollMs: 10,
    timeoutMs: PATIENCE_MS,
    random: () => 0,
  }
  const clock = { now: Date.now() }
  const server = await startServer(t, { DNS_SERVERS: address }, () => clock.now, { webhooks, scrypt: cheapScrypt })
  const hook = { url: `http://hook.example.com:${receiver.port}/`, events: ['link.changed'] }
  const link = await create(server, { kind: 'vcard', firstName: 'Ada', webhook: hook })
  let { token } = link
  const at = () => `${server.url}/api/manage/${token}`
  const rotate = async () => {
    const response = await fetch(`${at()}/rotate`, { method: 'POST' })
    token = ((await response.json()) as { token: string }).token
    return response
  }
  const many = (fields: object) => post(`${server.url}/api/manage`, { changes: [{ token, ...fields }] })
  const design = { fg: '#800000' }
  const all = { firstName: 'Eve', title: 'x', campaign: 'y', utm: { a: 'b' }, rules: to('a'), password: PASSWORD }
  const steps: [() => Promise<Response>, string[]?][] = [
    [() => put(at(), { rules: to('a') }), ['rules']],
    [() => put(at(), { rules: to('a') })],
    [() => put(at(), { password: PASSWORD, title: 'x' }), ['password', 'title']],
    [rotate],
    [() => put(at(), { password: 'another horse' }), ['password']],
    [() => many({ rules: to('b'), active: false }), ['active', 'rules']],
    [() => post(`${at()}/revert`, { revision: 1 }), ['active', 'rules', 'title']],
    [rotate],
    [() => put(at(), { password: null }), ['password']],
    [() => many({ title: null })],
    [() => post(`${at()}/revert`, { revision: 2 }), ['rules']],
    [() => put(at(), { ...all, rules: to('c'), design, active: false }), [...fieldsOfAll]],
    [() => post(`${at()}/revert`, { revision: 2 }), fieldsOfAll.filter((field) => field !== 'password')],
  ]
  const expected = []
  for (const [step, changed] of steps) {
    const response = await step()
    assert.equal(response.status, 200, String(step))
    if (changed !== undefined) expected.push(changed)
  }
  await poll(() => {
    clock.now += 1_000
    return Promise.resolve(receiver.received.length >= expected.length)
  })
  const events = receiver.received.map(({ event }) => event.data as { changed: string[]; revision: number })
  assert.deepEqual(
    events.map(({ changed }) => changed.toSorted()),
    expected,
  )
  assert.deepEqual(
    events.map(({ revision }) => revision),
    expected.map((_, index) => index + 2),
  )
  assert.doesNotMatch(receiver.received.map(({ body }) => body).join(), /horse|scrypt|example\.com/)
  const details = (await (await fetch(at())).json()) as object
  for (const name of new Set(expected.flat()))
    assert.ok(name === 'password' || name in details, `${name} is no field of the API`)
})

/** The fields of the contact that its owner sets, in order. */
const fieldsOfAll = ['active', 'campaign', 'design', 'password', 'payload', 'rules', 'title', 'utm']
