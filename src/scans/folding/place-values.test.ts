import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { OTHER } from '../text-ids.ts'
import { MAX_VALUES, placeValues, scansOf, type NewValue } from './place-values.ts'

const known = (count: number, scans: number) => Array.from({ length: count }, (_, at) => ({ value: at + 10, scans }))
const added = (value: number, scans: number): NewValue => ({ value, counts: [scans, 0, 0, 0] })
const valuesOf = (placed: NewValue[]) => placed.map(({ value }) => value)

test('new values get rows while there is room, the most frequent ones first', () => {
  const { own, others, replaced } = placeValues(known(MAX_VALUES - 1, 5), [added(2, 1), added(3, 4)])
  assert.deepEqual([valuesOf(own), valuesOf(others), replaced], [[3], [2], []])
})

test('a new value that has more scans than the least frequent one takes its place', () => {
  const { own, others, replaced } = placeValues([...known(MAX_VALUES - 1, 5), { value: 7, scans: 2 }], [added(3, 3)])
  assert.deepEqual([valuesOf(own), others, replaced], [[3], [], [7]])
})

test('of a flood of values that come once, a few take the places of others that came once', () => {
  const flood = Array.from({ length: 1000 }, (_, at) => added(at + 1000, 1))
  const { own, others, replaced } = placeValues(known(MAX_VALUES, 1), flood)
  assert.deepEqual([own.length, others.length, new Set(replaced).size], [8, 992, 8])
  assert.equal(placeValues(known(MAX_VALUES, 2), flood).own.length, 0)
})

test('(other) never takes the place of a value', () => {
  const { own, others, replaced } = placeValues(known(MAX_VALUES, 1), [added(OTHER, 50)])
  assert.deepEqual([own, valuesOf(others), replaced], [[], [OTHER], []])
})

test('every new value is placed once, and never more have rows than may', () => {
  const scans = fc.integer({ min: 1, max: 6 })
  const property = fc.property(
    fc.array(scans, { maxLength: MAX_VALUES }),
    fc.array(scans, { maxLength: 300 }),
    (before, after) => {
      const rows = before.map((count, at) => ({ value: at + 10, scans: count }))
      const values = after.map((count, at) => added(at + 1000, count))
      const { own, others, replaced } = placeValues(rows, values)
      assert.deepEqual(valuesOf([...own, ...others]).sort(), valuesOf(values).sort())
      assert.equal(new Set(replaced).size, replaced.length)
      assert.ok(replaced.every((value) => rows.some((row) => row.value === value)))
      assert.ok(rows.length + own.length - replaced.length <= MAX_VALUES)
      const least = Math.min(...own.map(({ counts }) => scansOf(counts)))
      assert.ok(others.every(({ counts }) => scansOf(counts) <= least))
    },
  )
  fc.assert(property)
})
