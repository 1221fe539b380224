import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createInTurn } from './in-turn.ts'

test('work of a name runs in the order of its calls, also after a failure, and that of others meanwhile', async () => {
  const inTurn = createInTurn()
  const begun: string[] = []
  const first = Promise.withResolvers<void>()
  const run = (name: string, text: string, until: Promise<void> = Promise.resolve()) =>
    inTurn(name, async (hasWaited) => {
      begun.push(`${text}${hasWaited ? ' has waited' : ''}`)
      await until
      return text
    })
  const failing = run('a', '1', first.promise)
  const later = [run('a', '2'), run('a', '3')]
  assert.equal(await run('b', 'other'), 'other')
  assert.deepEqual(begun, ['1', 'other'])
  first.reject(new Error('it failed'))
  await assert.rejects(failing, /it failed/)
  assert.deepEqual(await Promise.all(later), ['2', '3'])
  await run('a', '4')
  assert.deepEqual(begun, ['1', 'other', '2 has waited', '3 has waited', '4'])
})
