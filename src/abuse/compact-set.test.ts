import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { buildSet, keyOf, openSet } from './compact-set.ts'

test('a set returns the flags of every text in it, and -1 for others', () => {
  const texts = fc.array(fc.tuple(fc.string({ maxLength: 4 }), fc.integer({ min: 0, max: 3 })), { maxLength: 300 })
  fc.assert(
    fc.property(texts, fc.string({ maxLength: 4 }), (entries, other) => {
      const expected = new Map<string, number>()
      const builder = buildSet()
      for (const [text, flags] of entries) {
        expected.set(text, (expected.get(text) ?? 0) | flags)
        builder.add(keyOf('salt', text), flags)
      }
      const set = openSet(builder.finish())
      assert.equal(set.size, expected.size)
      for (const [text, flags] of expected) assert.equal(set.find(keyOf('salt', text)), flags)
      assert.equal(set.find(keyOf('salt', other)), expected.get(other) ?? -1)
      assert.equal(set.find(keyOf('pepper', other)), -1)
    }),
  )
})

test('a million texts take 8 bytes each, and the smallest and largest keys are found', () => {
  const builder = buildSet()
  for (let at = 0; at < 1_000_000; at++) builder.add([(at * 4_294) >>> 0, (at << 2) >>> 0], at & 3)
  builder.add([0, 0], 1)
  builder.add([0xffff_ffff, 0xffff_fffc], 2)
  const halves = builder.finish()
  assert.equal(halves.byteLength, 8 * 1_000_001)
  const set = openSet(halves)
  assert.deepEqual([set.find([0, 0]), set.find([0xffff_ffff, 0xffff_fffc])], [1, 2])
  assert.equal(set.find([(999_999 * 4_294) >>> 0, (999_999 << 2) >>> 0]), 3)
  assert.equal(set.find([1, 0]), -1)
})
