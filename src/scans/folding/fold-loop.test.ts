import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangedLinks, FoldResult } from './fold.ts'
import { startFoldLoop } from './fold-loop.ts'

const nothing: FoldResult = { moved: 0, onlyCounted: 0, changed: [], damaged: [], lost: 0, failed: [] }

test('a fold reports the links that it changed; the first one after a failure reports that any link may have', async () => {
  const results: (FoldResult | Error)[] = [
    { ...nothing, moved: 2, changed: [1, 2] },
    nothing,
    new Error('the disk is full'),
    nothing,
    { ...nothing, moved: 1, changed: [3] },
  ]
  const reported: ChangedLinks[] = []
  const errors: unknown[] = []
  const foldOnce = async () => {
    const result = results.shift() ?? nothing
    if (result instanceof Error) throw result
    return result
  }
  const { fold, count, stop } = startFoldLoop(foldOnce, {
    onFaults: () => assert.fail(),
    onFold: (changed) => reported.push(changed),
    onError: (error) => errors.push(error),
  })
  const succeeded: boolean[] = []
  for (let at = 0; at < 5; at++) succeeded.push(await fold())
  stop()
  assert.deepEqual(succeeded, [true, true, false, true, true])
  assert.deepEqual(reported, [[1, 2], undefined, [3]])
  assert.deepEqual([errors.length, count()], [1, 3])
})

test('a fold that fails for five seconds, or leaves a file for as long, counts as failing until one succeeds', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const left = [{ file: 'x.scans', reason: 'it is a folder' }]
  let outcome: () => FoldResult = () => nothing
  let faults = 0
  const { failing, stop } = startFoldLoop(async () => outcome(), {
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
