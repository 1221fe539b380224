import assert from 'node:assert/strict'
import { test } from 'node:test'
import { movingOperations } from './operator.ts'

function openHolds() {
  const held = new Set<string>()
  const hold = (name: string) => async () => {
    held.add(name)
    return () => void held.delete(name)
  }
  const { move } = movingOperations({ scans: hold('scans'), changes: hold('changes') })
  assert.ok(move)
  const step = async (name: string, token?: unknown) =>
    ((await move({ step: name, token })) as { token: unknown }).token
  return { held, step }
}

test('a hold ends ten seconds after its last renewal, and can then not be finished', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { held, step } = openHolds()
  const token = await step('scans')
  await step('changes', token)
  for (let second = 0; second < 30; second += 9) {
    t.mock.timers.tick(9000)
    await step('renew', token)
  }
  assert.deepEqual([...held], ['scans', 'changes'])
  t.mock.timers.tick(10_000)
  assert.deepEqual([...held], [])
  for (const name of ['renew', 'changes', 'finish']) await assert.rejects(step(name, token), /has not waited/)
  assert.deepEqual([...held], [])
})

test('a finished hold lasts, also for a command that runs again', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { held, step } = openHolds()
  const token = await step('scans')
  await step('changes', token)
  await step('finish', token)
  t.mock.timers.tick(60_000)
  await step('release', token)
  assert.deepEqual([...held], ['scans', 'changes'])
  assert.equal(await step('scans'), token)
})

test('a command takes over the hold of one that was killed, which cannot finish it', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { held, step } = openHolds()
  const first = await step('scans')
  await step('changes', first)
  const second = await step('scans')
  assert.deepEqual([...held], ['scans'])
  await assert.rejects(step('finish', first), /has not waited/)
  await step('release', second)
  assert.deepEqual([...held], [])
  await assert.rejects(step('nonsense', second), /no such step/)
})
