import assert from 'node:assert/strict'
import { test } from 'node:test'
import { asHolder } from './holder.ts'
import { createPlaces } from './places.ts'

const ofAllocation = (at: number) => asHolder(`2001:db8:${at.toString(16)}:0::`)

test('the networks of an allocation have a quarter of the places that are for networks without any', () => {
  const places = createPlaces(8)
  for (let at = 0; at < 8; at++) {
    places.wait(ofAllocation(1))
    places.take(ofAllocation(1))
  }
  assert.equal(places.isNewcomer(ofAllocation(2)), true)
  for (const at of [2, 3]) places.wait(ofAllocation(at))
  assert.equal(places.startable(), 2)
  places.take(ofAllocation(2))
  assert.deepEqual([places.mayTake(ofAllocation(3)), places.isNewcomer(ofAllocation(4))], [false, false])
  assert.equal(places.startable(), 0, 'the one that waits may not start')
  for (let at = 0; at < 7; at++) {
    const other = asHolder(`203.0.${at}.1`)
    assert.equal(places.isNewcomer(other), true)
    places.wait(other)
    assert.equal(places.startable(), 1)
    places.take(other)
  }
  places.free(ofAllocation(2))
  assert.equal(places.startable(), 1)
  places.take(ofAllocation(3))
  assert.equal(places.startable(), 0)
})
