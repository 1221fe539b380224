// What two nodes on one PostgreSQL promise about creations and changes that meet.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTwo } from './support/nodes.ts'
import { poll } from './support/poll.ts'
import { create, post } from './support/server.ts'

const target = 'https://example.com/'

test('two nodes on one PostgreSQL', async (t) => {
  const nodes = await startTwo(t)
  if (nodes === undefined) return
  const [a, b] = nodes

  await t.test('a link that one has created is there on the other', async () => {
    const created = await create(a, { target })
    const response = await fetch(`${b.url}/${created.code}`, { redirect: 'manual' })
    assert.deepEqual([response.status, response.headers.get('location')], [302, target])
  })

  await t.test('two bulk requests with the same aliases in opposite order both succeed', async () => {
    for (let round = 0; round < 20; round++) {
      const shared = Array.from({ length: 150 }, (_, at) => ({ target, alias: `bulk-${round}-${at}` }))
      const responses = await Promise.all([
        post(`${a.url}/api/bulk`, [...shared, { target }]),
        post(`${b.url}/api/bulk`, [...shared.toReversed(), { target }]),
      ])
      assert.deepEqual(
        responses.map(({ status }) => status),
        [201, 201],
      )
      const bodies = (await Promise.all(responses.map((each) => each.json()))) as { created: number }[]
      assert.equal(
        bodies.reduce((sum, { created }) => sum + created, 0),
        shared.length + 2,
      )
    }
  })

  await t.test('requests with the same Idempotency-Key on both get the same response', async () => {
    for (let round = 0; round < 30; round++) {
      const send = (url: string) =>
        post(
          `${url}/api/links`,
          { target, alias: `twin-${round}` },
          { 'idempotency-key': `twin-key-${round}-0123456789` },
        )
      const responses = await Promise.all([send(a.url), send(b.url)])
      const bodies = await Promise.all(responses.map((each) => each.text()))
      assert.deepEqual(
        responses.map(({ status }) => status),
        [201, 201],
        bodies.join(),
      )
      assert.equal(bodies[0], bodies[1])
    }
  })

  await t.test('an alias that both create at once has one winner', async () => {
    for (let round = 0; round < 30; round++) {
      const send = (url: string) => post(`${url}/api/links`, { target, alias: `one-${round}` })
      const responses = await Promise.all([send(a.url), send(b.url), send(a.url), send(b.url)])
      assert.deepEqual(responses.map(({ status }) => status).sort(), [201, 409, 409, 409])
    }
  })

  await t.test('a rule, and the suspension of a link by it, hold on the other too', async () => {
    const link = await create(a, { target: 'https://phish.example/' })
    const visitOther = () => fetch(`${b.url}/${link.code}`, { redirect: 'manual' })
    for (const expected of [302, 302]) assert.equal((await visitOther()).status, expected)
    await a.services.abuse.operations['block']?.({ subject: 'phish.example', reason: 'it phishes' })
    await poll(async () => (await visitOther()).status === 410)
    await poll(async () => (await post(`${b.url}/api/links`, { target: 'https://phish.example/2' })).status === 422)
    await a.services.abuse.operations['unblock']?.({ subject: 'phish.example', restore: true })
    await poll(async () => (await post(`${b.url}/api/links`, { target: 'https://phish.example/2' })).status === 201)
  })

  await t.test('a domain is known to the other, and forgotten with its removal or refusal', async () => {
    const statusAt = (name: string) => b.services.domains.statusOf(name)
    for (const name of ['one.example.com', 'two.example.com']) {
      await a.services.domains.register(name)
      await poll(() => statusAt(name) === 'pending')
    }
    await a.services.domains.removeAsOperator('one.example.com')
    await poll(() => statusAt('one.example.com') === undefined)
    await a.services.domains.refuse('example.com')
    await poll(() => statusAt('two.example.com') === undefined)
  })
})
