import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ChangedLinks, Folded } from './fold.ts'
import { startFolding } from './folding.ts'
import type { WarehouseClient } from './warehouse-client.ts'

test('a fold tells what it changed; after one that failed, the next tells that it may be any link', async () => {
  const results: (Folded | Error)[] = [
    { moved: 2, changed: [1, 2] },
    { moved: 0, changed: [] },
    new Error('the disk is full'),
    { moved: 0, changed: [] },
    { moved: 1, changed: [3] },
  ]
  const told: ChangedLinks[] = []
  const errors: unknown[] = []
  const warehouse = {
    call: async () => {
      const result = results.shift() ?? { moved: 0, changed: [] }
      if (result instanceof Error) throw result
      return result
    },
  } as unknown as WarehouseClient
  const { fold, count, stop } = startFolding({ rotate: () => [] }, warehouse, {
    now: () => 0,
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
