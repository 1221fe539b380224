import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSweeper } from './sweeper.ts'

/** Lets promises that wait for nothing else resolve. */
const settle = () => new Promise(setImmediate)

test('requests during a sweep and the pause after it, which is nine times as long, share the next one', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  let sweeps = 0
  let time = 0
  const sweep = async () => {
    sweeps++
    time += 1000
  }
  const sweeper = createSweeper(sweep, assert.ifError, () => time)
  for (let request = 0; request < 3; request++) {
    sweeper.request()
    await settle()
  }
  t.mock.timers.tick(8999)
  assert.equal(sweeps, 1)
  t.mock.timers.tick(1)
  assert.equal(sweeps, 2)
  await settle()
  t.mock.timers.tick(9000)
  assert.equal(sweeps, 2, 'nobody has asked again')
})

test('while sweeps are held none begins, and what was asked for meanwhile begins afterwards', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const failures: unknown[] = []
  let sweeps = 0
  const sweep = async () => {
    sweeps++
    throw new Error('away')
  }
  const sweeper = createSweeper(sweep, (error) => failures.push(error))
  sweeper.request()
  const goOn = await sweeper.hold()
  assert.equal(sweeps, 1)
  sweeper.request()
  t.mock.timers.tick(60_000)
  assert.equal(sweeps, 1)
  goOn()
  assert.equal(sweeps, 2)
  await settle()
  assert.equal(failures.length, 2)
})
