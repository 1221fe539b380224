import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createInLine } from './in-line.ts'

const refusal = () => new Error('too long')

test('work on one thing runs in the order in which it came, and work on another does not wait', async () => {
  const { run } = createInLine<string>(60_000, refusal)
  const order: string[] = []
  const gate = Promise.withResolvers<void>()
  const noted = (name: string, until?: Promise<void>) => async (hasWaited: boolean) => {
    order.push(`${name} ${hasWaited}`)
    await until
    order.push(`${name} ends`)
  }
  const all = [run('a', noted('1', gate.promise)), run('a', noted('2')), run('a', noted('3'))]
  await run('b', noted('other'))
  gate.resolve()
  await Promise.all(all)
  assert.deepEqual(order, ['1 false', 'other false', 'other ends', '1 ends', '2 true', '2 ends', '3 true', '3 ends'])
  await run('a', async (hasWaited) => assert.equal(hasWaited, false))
})

test('work that fails lets the next begin, and who has waited for too long is refused and not run', async () => {
  const { run } = createInLine<string>(5, refusal)
  const gate = Promise.withResolvers<void>()
  const first = run('a', () => gate.promise)
  await assert.rejects(
    run('a', async () => assert.fail('it was refused')),
    /too long/,
  )
  const second = run('a', async () => 'second')
  gate.reject(new Error('failed'))
  await assert.rejects(first, /failed/)
  assert.equal(await second, 'second')
})
