import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asHolder } from './holder.ts'
import { createRenderTurns } from './render-turns.ts'

const iteration = () => new Promise((resolve) => setImmediate(resolve))

test('a page alone is rendered at once', async () => {
  const { wait } = createRenderTurns()
  const rendered: string[] = []
  for (const name of ['first', 'second']) {
    wait(asHolder('10.0.0.1'), () => rendered.push(name))
    assert.equal(rendered.at(-1), name)
    await iteration()
  }
})

test('one page is rendered in an iteration of the event loop, and networks take turns', async () => {
  const { wait } = createRenderTurns()
  const rendered: string[] = []
  const ask = (address: string, name: string) => wait(asHolder(address), () => rendered.push(name))
  for (const name of ['a1', 'a2', 'a3']) ask('10.0.0.1', name)
  ask('10.0.0.2', 'a4')
  ask('10.0.1.1', 'b1')
  const order: string[][] = [[...rendered]]
  while (rendered.length < 5) {
    await iteration()
    order.push(rendered.slice(order.flat().length))
  }
  assert.deepEqual(order.slice(0, 4), [['a1'], ['a2'], ['b1'], ['a4']])
  assert.deepEqual(rendered, ['a1', 'a2', 'b1', 'a4', 'a3'])
})

test('a page that cannot be rendered keeps no other from its turn', async () => {
  const { wait } = createRenderTurns()
  assert.throws(() =>
    wait(asHolder('a'), () => {
      throw new Error('broken')
    }),
  )
  let isRendered = false
  wait(asHolder('a'), () => void (isRendered = true))
  await iteration()
  await iteration()
  assert.equal(isRendered, true)
})

test('what is no longer wanted leaves its place to the next', async () => {
  const { wait, isFree } = createRenderTurns()
  const rendered: string[] = []
  const ask = (name: string) => wait(asHolder('10.0.0.1'), () => rendered.push(name))
  assert.equal(isFree(), true)
  ask('first')
  assert.equal(isFree(), false)
  const leave = ask('second')
  ask('third')
  leave()
  await iteration()
  assert.deepEqual(rendered, ['first', 'third'])
  await iteration()
  assert.equal(isFree(), true)
})
