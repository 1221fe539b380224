import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createResolver, type Resolution } from './resolve.ts'
import { link, revisionOf } from '../../test/support/visited.ts'

test('a synchronous read is returned synchronously, and cached at the second visit', () => {
  let reads = 0
  const { resolve } = createResolver(
    () => (reads++, link(reads)),
    () => 0,
  )
  const revisions = Array.from({ length: 4 }, () => {
    const found = resolve('Code')
    return found instanceof Promise ? found : revisionOf(found)
  })
  assert.deepEqual(revisions, [1, 2, 2, 2])
})

test('a change between two visits is seen by the second, whether or not the first was cached', () => {
  let stored = link(1)
  const { resolve, invalidate } = createResolver(
    () => stored,
    () => 0,
  )
  for (let revision = 1; revision <= 10; revision++) {
    stored = link(revision)
    invalidate('CODE')
    for (let visits = 0; visits < revision; visits++) assert.equal(revisionOf(resolve('code') as Resolution), revision)
  }
})

test('the error of a synchronous read is thrown, and not cached', () => {
  let fail = true
  const { resolve } = createResolver(
    () => {
      if (fail) throw new Error('the store is away')
      return link(1)
    },
    () => 0,
  )
  for (let again = 0; again < 3; again++) assert.throws(() => resolve('code'), /away/)
  fail = false
  assert.equal(revisionOf(resolve('code') as Resolution), 1)
})
