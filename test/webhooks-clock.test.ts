import assert from 'node:assert/strict'
import { test } from 'node:test'
import { poll } from './support/poll.ts'
import { put } from './support/server.ts'
import { createWithWebhook, manage, receive, startWithWebhooks as start, webhookOf } from './support/webhooks.ts'

const YEAR_MS = 365 * 86_400_000

test('a clock that was ahead for a while keeps no event from being sent once it is right again', async (t) => {
  const setting = await start(t)
  const { server, receiver, clock, url } = setting
  const delivering = await createWithWebhook(server, url, ['link.changed'])
  const failing = await createWithWebhook(server, url.replace('hook.', 'new.'), ['link.changed'])
  const right = clock.now
  clock.now += YEAR_MS
  receiver.respond = (response, { headers }) =>
    void response.writeHead(String(headers['host']).startsWith('new.') ? 500 : 204).end()
  for (const link of [delivering, failing]) await put(manage(server, link), { title: 'Ahead' })
  await poll(async () => (await webhookOf(server, delivering)).last_status === 204)
  await poll(async () => (await webhookOf(server, failing)).state === 'failing')

  clock.now = right + 60_000
  receiver.respond = (response) => void response.writeHead(204).end()
  const before = receiver.received.length
  for (const link of [delivering, failing]) await put(manage(server, link), { title: 'Right' })
  await receive(setting, before + 3)
  const sent = receiver.received.slice(before).map(({ event }) => [event.data['code'], event.data['revision']])
  assert.deepEqual(
    sent.filter(([code]) => code === delivering.code),
    [[delivering.code, 3]],
  )
  assert.deepEqual(
    sent.filter(([code]) => code === failing.code),
    [
      [failing.code, 2],
      [failing.code, 3],
    ],
  )
  assert.ok(clock.now < right + 3_600_000)
})
