import assert from 'node:assert/strict'
import { test } from 'node:test'
import { svgLogo } from '../../../test/support/logos.ts'
import { PATIENCE_MS } from '../../../test/support/poll.ts'
import { Problem } from '../../http/problem.ts'
import { asHolder } from '../../lib/holder.ts'
import { createRenderPool, threadsFor } from './pool.ts'

const GIB = 1024 ** 3

test('two threads draw where there are two cores and a gibibyte of memory, and one with less of either', () => {
  assert.equal(threadsFor(GIB, 2), 2)
  assert.equal(threadsFor(24 * GIB, 64), 2)
  assert.equal(threadsFor(24 * GIB, 1), 1)
  assert.equal(threadsFor(GIB / 2, 4), 1)
})

/** What a pool with one thread, whose turns are a millisecond, does with images that it has at a time, by their networks. */
async function drawTogether(networks: readonly (string | undefined)[], hasLogo = true) {
  const patience = { maxWait: PATIENCE_MS, queueTimeout: PATIENCE_MS, timeout: PATIENCE_MS, cpuTime: PATIENCE_MS }
  const pool = createRenderPool({ ...patience, threads: 1, turn: 1 })

  const design = hasLogo ? { logo: { image: svgLogo } } : {}
  const large = { text: 'quirl', design, at: '/design', format: 'png' as const, size: 1500 }
  const drawn = networks.map((network, margin) =>
    pool.render({ ...large, margin }, network === undefined ? {} : { holder: asHolder(network) }),
  )
  const outcomes = await Promise.allSettled(drawn)
  await pool.close()
  return outcomes.map((each) => (each.status === 'fulfilled' ? 'drawn' : (each.reason as Problem)))
}

test('a drawing of an SVG logo that has had its turn gives way to one of another network, with 503 and Retry-After', async () => {
  const [long, other] = await drawTogether(['192.0.2.1', '198.51.100.1'])
  assert.equal(other, 'drawn')
  assert.ok(long instanceof Problem)
  assert.match(long.message, /takes more than 0\.001 s to draw, and others wait: ask for fewer pixels/)
  assert.deepEqual([long.status, long.headers['retry-after']], [503, '30'])
})

test('a drawing that has had its turn goes on while only its own network waits, and for the program itself', async () => {
  assert.deepEqual(await drawTogether(['192.0.2.1', '192.0.2.2', '192.0.2.1']), ['drawn', 'drawn', 'drawn'])
  assert.deepEqual(await drawTogether([undefined, '192.0.2.2']), ['drawn', 'drawn'])
})

test('what has no SVG logo is drawn to its end, whoever waits: how long it takes is known', async () => {
  assert.deepEqual(await drawTogether(['192.0.2.1', '198.51.100.1'], false), ['drawn', 'drawn'])
})
