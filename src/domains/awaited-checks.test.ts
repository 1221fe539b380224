import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asHolder } from '../lib/holder.ts'
import { createAwaitedChecks } from './awaited-checks.ts'

/** Checks that end when the test wants it. */
function heldChecks(max: number) {
  const running = new Map<string, { end: (result: string) => void; unwanted: AbortSignal }>()
  let started = 0
  const awaitCheck = createAwaitedChecks(max, (name, unwanted) => {
    started++
    const { promise, resolve } = Promise.withResolvers<string>()
    running.set(name, { end: resolve, unwanted })
    return promise
  })
  return { awaitCheck, running, started: () => started }
}

const attacker = (at: number) => asHolder(`198.51.100.${at}`)
const honest = asHolder('203.0.113.1')

test('all who wait for a name share its check', async () => {
  const { awaitCheck, running, started } = heldChecks(4)
  const waiting = [attacker(1), attacker(2), honest].map((holder) => awaitCheck('a', holder))
  running.get('a')?.end('result')
  assert.deepEqual(
    await Promise.all(waiting),
    waiting.map(() => ({ checked: 'result' })),
  )
  assert.equal(started(), 1)
})

test('while names of one network take all places, another has its name checked, and a check that nobody waits for is cancelled', async () => {
  const { awaitCheck, running } = heldChecks(4)
  const theirs = Array.from({ length: 4 }, (_, at) => awaitCheck(`slow${at}`, attacker(at)))
  assert.equal(await awaitCheck('slow4', attacker(4)), undefined)
  assert.equal(running.has('slow4'), false)
  const mine = awaitCheck('mine', honest)
  const left = await Promise.race(theirs.map((each, at) => each.then((result) => [at, result] as const)))
  assert.equal(left[1], undefined)
  assert.deepEqual(
    [...running.values()].map(({ unwanted }) => unwanted.aborted),
    [0, 1, 2, 3, 'mine'].map((at) => at === left[0]),
  )
  running.get('mine')?.end('result')
  assert.deepEqual(await mine, { checked: 'result' })
})

test('a check goes on as long as one of those who wait for it stays', async () => {
  const { awaitCheck, running } = heldChecks(2)
  const [first, second] = [awaitCheck('a', attacker(1)), awaitCheck('a', attacker(2))]
  const mine = awaitCheck('a', honest)
  assert.equal(await Promise.race([first, second]), undefined)
  assert.equal(running.get('a')?.unwanted.aborted, false)
  running.get('a')?.end('result')
  assert.deepEqual(await mine, { checked: 'result' })
})
