import assert from 'node:assert/strict'
import { test } from 'node:test'
import { numberOf } from '../../dimensions/dimensions.ts'
import { listBreakdowns } from './breakdowns.ts'
import { createValueSums } from './value-sums.ts'

test('scans of values that are not listed are not those without a value', async () => {
  const values = createValueSums()
  const ids = Array.from({ length: 150 }, (_, at) => 1000 + at)
  for (const id of ids) values.add(numberOf('placement'), id, 2, 1)
  values.add(numberOf('source'), 2, 307, 157)
  const { placement } = await listBreakdowns(values, async () => (id) => `text ${id}`)
  assert.equal(placement.length, 101)
  assert.deepEqual(
    placement.find(({ value }) => value === null),
    { value: null, scans: 7, unique_visitors: 7 },
  )
})
