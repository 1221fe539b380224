import assert from 'node:assert/strict'
import { test } from 'node:test'
import { retryConflicts } from './retry-conflicts.ts'

class Conflict extends Error {}
const isConflict = (error: unknown) => error instanceof Conflict

function failing(times: number, error: Error) {
  let calls = 0
  return {
    calls: () => calls,
    run: async () => {
      if (calls++ < times) throw error
      return 'done'
    },
  }
}

test('a transaction that met another one runs again', async () => {
  const work = failing(3, new Conflict())
  assert.equal(await retryConflicts(work.run, isConflict, () => 0), 'done')
  assert.equal(work.calls(), 4)
})

test('other errors end a transaction at once, and conflicts that never end do so after some attempts', async () => {
  const wrong = failing(1, new Error('wrong'))
  await assert.rejects(
    retryConflicts(wrong.run, isConflict, () => 0),
    /wrong/,
  )
  assert.equal(wrong.calls(), 1)
  const always = failing(Number.POSITIVE_INFINITY, new Conflict())
  await assert.rejects(
    retryConflicts(always.run, isConflict, () => 0),
    Conflict,
  )
  assert.equal(always.calls(), 8)
})
