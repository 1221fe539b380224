import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asHolder } from '../lib/holder.ts'
import { noRoom } from '../lib/charged.ts'
import type { WebhookDetails, WebhookDraft } from '../links/webhook.ts'
import { createSetWebhook } from './set-webhook.ts'
import type { CollectionWebhooks } from './webhooks.ts'

const holderOf = (network: string) => asHolder(`${network}.1`)

test('a webhook of a collection is set at a time, and one of another network besides, and of too many the largest network is refused', async () => {
  const order: string[] = []
  const ends: (() => void)[] = []
  let most = 0
  const webhooks = {
    // A collection without a webhook, of which none is to be removed.
    of(id: string) {
      order.push(id)
      const { promise, resolve } = Promise.withResolvers<WebhookDetails | null>()
      ends.push(() => resolve(null))
      most = Math.max(most, ends.length)
      return promise
    },
  } as Partial<CollectionWebhooks> as CollectionWebhooks
  const setWebhook = createSetWebhook({ db: undefined as never, webhooks })
  const remove = (id: string, network: string) =>
    setWebhook(id, null as WebhookDraft | null, {
      charge: () => assert.fail(),
      chargeRoom: noRoom,
      holder: holderOf(network),
    })
  const attempts = Array.from({ length: 80 }, (_, at) => remove(`of one ${at}`, '10.0.0'))
  const settled = Promise.allSettled([...attempts, remove('of another', '10.0.1')])
  const next = () => new Promise(setImmediate)
  await next()
  while (ends.length > 0) {
    assert.ok(ends.length <= 2)
    ends.shift()?.()
    await next()
  }
  assert.equal(most, 2)
  assert.ok(order.indexOf('of another') <= 1, order.slice(0, 9).join())
  const refused = (await settled).flatMap((each) =>
    each.status === 'rejected' ? [each.reason as { code: string }] : [],
  )
  assert.ok(refused.length > 0)
  assert.deepEqual([...new Set(refused.map(({ code }) => code))], ['unavailable'])
})
