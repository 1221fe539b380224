import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClosing } from './closing.ts'

test('everything is closed in reverse order, also when some fail, and each error is reported by name', async () => {
  const done: string[] = []
  const closing = createClosing((error, name) => done.push(`${name}: ${(error as Error).message}`))
  closing.add('first', async () => void done.push('first'))
  closing.add('second', () => Promise.reject(new Error('stuck')))
  closing.add('third', () => {
    throw new Error('broken')
  })
  closing.add('fourth', () => void done.push('fourth'))
  await assert.rejects(closing.close())
  assert.deepEqual(done, ['fourth', 'third: broken', 'second: stuck', 'first'])
  await closing.close()
  assert.equal(done.length, 4)
})
