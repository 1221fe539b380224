import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangedLinks, Folded } from './fold.ts'
import { startFolding } from './folding.ts'

const nothing: Folded = { moved: 0, changed: [], damaged: [], lost: 0, failed: [] }

test('a fold tells what it changed; after one that failed, the next tells that it may be any link', async () => {
  const results: (Folded | Error)[] = [
    { ...nothing, moved: 2, changed: [1, 2] },
    nothing,
    new Error('the disk is full'),
    nothing,
    { ...nothing, moved: 1, changed: [3] },
  ]
  const told: ChangedLinks[] = []
  const errors: unknown[] = []
  const foldJournal = async () => {
    const result = results.shift() ?? nothing
    if (result instanceof Error) throw result
    return result
  }
  const { fold, count, stop } = startFolding(foldJournal, {
    onFaults: () => assert.fail(),
    onFold: (changed) => told.push(changed),
    onError: (error) => errors.push(error),
  })
  const went: boolean[] = []
  for (let at = 0; at < 5; at++) went.push(await fold())
  stop()
  assert.deepEqual(went, [true, true, false, true, true])
  assert.deepEqual(told, [[1, 2], undefined, [3]])
  assert.deepEqual([errors.length, count()], [1, 3])
})

test('a fold that fails five seconds in a row, or leaves a file, counts as failing until one goes well', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const left = [{ file: 'x.scans', reason: 'it is a folder' }]
  let outcome: () => Folded = () => nothing
  let faults = 0
  const { failing, stop } = startFolding(async () => outcome(), {
    onFaults: () => faults++,
    onFold: () => {},
    onError: () => {},
  })
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      t.mock.timers.tick(1000)
      await new Promise(setImmediate)
    }
  }
  const throws = () => {
    throw new Error('the warehouse is locked')
  }
  for (const fails of [throws, () => ({ ...nothing, failed: left })]) {
    outcome = fails
    await pass(4)
    assert.equal(failing(), false)
    await pass(1)
    assert.equal(failing(), true)
    outcome = () => nothing
    await pass(1)
    assert.equal(failing(), false)
  }
  assert.equal(faults, 5)
  stop()
})
