import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextIteration } from 'node:timers/promises'
import { asHolder } from '../lib/holder.ts'
import { createRequestScheduler } from './request-scheduler.ts'

/**
 * Handles requests by name; each takes the given milliseconds of a clock that nothing else advances. What follows `from` in a
 * name is the address of its client.
 */
function createServed(each = 1) {
  const handled: string[] = []
  let now = 0
  const listen = createRequestScheduler(
    ({ url = '' }) => {
      handled.push(url)
      now += each
    },
    ({ url = '' }) => (url.startsWith('health') ? 'urgent' : url.startsWith('visit') ? 'visit' : 'other'),
    ({ url = '' }) => asHolder(url.split(' from ')[1] ?? '10.0.0.1'),
    () => now,
  )
  const bring = (...urls: string[]) =>
    urls.map((url) => {
      const request = new IncomingMessage(new Socket())
      request.url = url
      listen(request, new ServerResponse(request))
      return request
    })
  return { bring, handled }
}

const named = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name} ${at}`)

test('requests that arrive one by one start at once', async () => {
  const { bring, handled } = createServed()
  for (const name of named('page', 20)) {
    bring(name)
    assert.equal(handled.at(-1), name)
    await nextIteration()
    await nextIteration()
  }
})

test('requests for which a slice has no time wait in their order, and all of them start', async () => {
  const { bring, handled } = createServed()
  const pages = named('page', 100)
  bring(...pages)
  assert.deepEqual(handled, pages.slice(0, 4))
  for (let before = handled.length; before < pages.length; before = handled.length) {
    await nextIteration()
    assert.ok(handled.length - before <= 8, `${handled.length - before} in an iteration`)
  }
  assert.deepEqual(handled, pages)
})

test('health checks and a few visits start at once, others before other requests, of which one starts in each iteration', async () => {
  const { bring, handled } = createServed()
  bring(...named('page', 30), ...named('visit', 40), 'health')
  assert.deepEqual(handled, [...named('page', 4), ...named('visit', 16), 'health'])
  while (!handled.includes('visit 39')) await nextIteration()
  const pages = handled.filter((name) => name.startsWith('page')).length
  assert.ok(pages > 4 && pages < 20, `${pages} pages before the last visit`)
})

test('where each other request takes more than a slice, a visit that waits starts after every second one', async () => {
  const { bring, handled } = createServed(9)
  bring(...named('page', 40), ...named('visit', 20))
  while (handled.length < 60) await nextIteration()
  const waited = handled.slice(handled.indexOf('visit 15') + 1)
  assert.deepEqual(waited.slice(0, 8).filter((name) => name.startsWith('visit')).length, 4)
  assert.ok(handled.indexOf('visit 19') < handled.indexOf('page 10'))
})

test('a flood of health checks waits with the visits', async () => {
  const { bring, handled } = createServed()
  bring(...named('visit', 30), ...named('health', 100))
  assert.deepEqual(handled, [...named('visit', 20), ...named('health', 16)])
  while (handled.length < 130) await nextIteration()
  assert.ok(handled.indexOf('visit 29') < handled.indexOf('health 16'))
})

test('of the requests that wait, networks take turns', async () => {
  for (const kind of ['visit', 'page']) {
    const { bring, handled } = createServed()
    bring(...named(kind, 100), `${kind} from 10.0.1.1`)
    while (handled.length < 101) await nextIteration()
    const before = handled.indexOf(`${kind} from 10.0.1.1`)
    assert.ok(before < 30, `${kind} after ${before} others`)
  }
})

test('a visit does not overtake visits of its client that wait', async () => {
  const { bring, handled } = createServed()
  bring(...named('visit', 100))
  await nextIteration()
  bring('visit late')
  while (handled.length < 101) await nextIteration()
  assert.equal(handled.at(-1), 'visit late')
})

test('quick requests have a share of each slice, however many visits there are', async () => {
  const { bring, handled } = createServed(0.125)
  bring(...named('page', 200), ...named('visit', 400))
  const atOnce = handled.length
  while (!handled.includes('visit 399')) await nextIteration()
  const visits = handled.indexOf('visit 399') + 1
  const pages = handled.slice(atOnce, visits).filter((name) => name.startsWith('page')).length
  assert.ok(pages > 40 && pages < 100, `${pages} pages before the last visit`)
})

test('a new request does not overtake those of its client that wait', async () => {
  const { bring, handled } = createServed()
  bring(...named('page', 10))
  await nextIteration()
  bring('page late')
  while (handled.length < 11) await nextIteration()
  assert.equal(handled.at(-1), 'page late')
})

test('a request whose connection is closed does not start', async () => {
  const { bring, handled } = createServed()
  const requests = bring(...named('page', 10))
  requests[7]?.socket.destroy()
  while (!handled.includes('page 9')) await nextIteration()
  assert.ok(!handled.includes('page 7'))
})
