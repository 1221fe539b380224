import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sparkline } from './stats.ts'

test('the highest count has the highest bar, one scan a bar, and none a space', () => {
  assert.equal(sparkline([0, 1, 4, 8]), ' ▁▄█')
  assert.equal(sparkline([0, 0]), '  ')
  assert.equal(sparkline([1, 1000]), '▁█')
})

test('a year fits a terminal, and no scan falls out of it', () => {
  const year = sparkline([...Array.from({ length: 364 }, () => 0), 1])
  assert.ok(year.length <= 60)
  assert.match(year, /^ +█$/)
})
