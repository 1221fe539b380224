import assert from 'node:assert/strict'
import { test } from 'node:test'
import { KEYS_OF_ADDRESS } from '../describing/visitor-key.ts'
import { createNewReferrers } from './new-referrers.ts'

const DAY_MS = 86_400_000
const scanOf = (address: number | null, linkId = 1, day = 0) => ({
  linkId,
  at: day * DAY_MS,
  visitor: address === null ? null : address * KEYS_OF_ADDRESS + 7,
})

test('an address brings its share of the new referrers of a link and day, and the link no more than its own', () => {
  const { admit } = createNewReferrers(5, 2)
  const admitted = [1, 1, 1, 2, 2, 2, 3, 4].map((address) => admit(scanOf(address)))
  assert.deepEqual(admitted, [true, true, false, true, true, false, true, false])
  // Another day begins anew. Visits that opt out have no key, and count for their link only.
  assert.deepEqual([admit(scanOf(1, 1, 1)), admit(scanOf(null, 2)), admit(scanOf(null, 2))], [true, true, true])
})

test('the addresses in memory are bounded, and their counts begin anew', () => {
  const { admit } = createNewReferrers(100, 1, 3)
  assert.deepEqual(
    [1, 2, 3].map((address) => admit(scanOf(address))),
    [true, true, true],
  )
  assert.equal(admit(scanOf(1)), true, 'three addresses were known, so all counts are gone')
  assert.equal(admit(scanOf(1)), false)
})
