import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { createBoundedCache } from './bounded-cache.ts'

test('an entry is there with its last value, or not at all', () => {
  const key = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')
  const step = fc.oneof(
    fc.record({ op: fc.constant('set' as const), key, value: fc.nat(), weight: fc.integer({ min: 1, max: 9 }) }),
    fc.record({ op: fc.constantFrom('get' as const, 'delete' as const), key }),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const cache = createBoundedCache<number>(20)
      const model = new Map<string, number>()
      for (const each of steps) {
        if (each.op === 'set') {
          cache.set(each.key, each.value, each.weight)
          model.set(each.key, each.value)
        } else if (each.op === 'delete') {
          cache.delete(each.key)
          model.delete(each.key)
        } else {
          const found = cache.get(each.key)
          if (found !== undefined) assert.equal(found, model.get(each.key))
        }
      }
    }),
  )
})

test('used entries stay while others are evicted, and the weight stays under the bound', () => {
  const cache = createBoundedCache<string>(1000)
  cache.set('hot', 'value', 10)
  for (let i = 0; i < 10_000; i++) {
    cache.set(`cold${i}`, 'x', 10)
    assert.equal(cache.get('hot'), 'value')
  }
  const kept = Array.from({ length: 10_000 }, (_, i) => cache.get(`cold${i}`)).filter(Boolean).length
  assert.ok(kept <= 100, `${kept} entries of weight 10 are kept in a cache of 1000`)
})

test('an entry heavier than the bound does not stay beside others', () => {
  const cache = createBoundedCache<string>(100)
  cache.set('a', 'x', 500)
  cache.set('b', 'y', 60)
  assert.equal(cache.get('a'), undefined)
})
