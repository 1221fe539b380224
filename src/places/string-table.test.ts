import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { createStringTable } from './string-table.ts'

test('texts are numbered as a map of strings would number them', () => {
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('', 'a', 'aa', 'Zürich', '東京', '😀'))
  const property = fc.property(fc.array(text, { maxLength: 200 }), (all) => {
    const texts = createStringTable()
    const expected = new Map<string, number>()
    for (const each of all) {
      if (!expected.has(each)) expected.set(each, expected.size)
      assert.equal(texts.numberOf(each), expected.get(each))
    }
    assert.equal(texts.count(), expected.size)
    for (const [each, number] of expected) assert.equal(texts.textOf(number), each)
  })
  fc.assert(property, { numRuns: 300 })
})

test('many texts keep their numbers while there come more', () => {
  const texts = createStringTable()
  const nameOf = (index: number) => `the town of ${index}`
  for (let index = 0; index < 30_000; index++) assert.equal(texts.numberOf(nameOf(index)), index)
  for (let index = 0; index < 30_000; index += 7) {
    assert.equal(texts.numberOf(nameOf(index)), index)
    assert.equal(texts.textOf(index), nameOf(index))
  }
})
