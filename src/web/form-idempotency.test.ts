import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFormIdempotency } from './form-idempotency.ts'

const form = (value: string, key = 'page-1') => new URLSearchParams({ idempotency_key: key, value })

function counted(isKept = true) {
  let runs = 0
  const idempotency = createFormIdempotency<number>(() => isKept)
  const send = (scope: string, sent: URLSearchParams) => idempotency.run(scope, sent, () => Promise.resolve(++runs))
  return { idempotency, send }
}

test('a form that is sent twice runs once, at the same time or one after the other', async () => {
  const { send, idempotency } = counted()
  assert.deepEqual(await Promise.all([send('a', form('x')), send('a', form('x'))]), [1, 1])
  assert.equal(await send('a', form('x')), 1)
  assert.deepEqual([idempotency.has('a'), idempotency.has('b')], [true, false])
})

test('another value, another page, another owner, or a form without the field is another request', async () => {
  const { send } = counted()
  const plain = new URLSearchParams({ value: 'x' })
  const requests: [string, URLSearchParams][] = [
    ['a', form('x')],
    ['a', form('y')],
    ['a', form('y', 'page-2')],
    ['b', form('x')],
    ['a', plain],
    ['a', plain],
  ]
  for (const [at, [scope, sent]] of requests.entries()) assert.equal(await send(scope, sent), at + 1)
})

test('what changed nothing runs again', async () => {
  const { send, idempotency } = counted(false)
  assert.equal(await send('a', form('x')), 1)
  assert.equal(await send('a', form('x')), 2)
  const failing = () => Promise.reject(new Error('busy'))
  await assert.rejects(idempotency.run('a', form('x'), failing))
  assert.equal(idempotency.has('a'), false)
})

test('the outcomes of 500 owners are kept, then the oldest is dropped', async () => {
  const { send, idempotency } = counted()
  for (let at = 0; at <= 500; at++) await send(`${at}`, form('x'))
  assert.deepEqual([idempotency.has('0'), idempotency.has('1'), idempotency.has('500')], [false, true, true])
})
