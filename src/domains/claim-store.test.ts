import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drivers } from '../../test/support/drivers.ts'
import type { Claim } from './claim.ts'
import {
  deleteClaims,
  deleteExpiredClaims,
  findLastClaimTime,
  findProvenClaim,
  insertClaim,
  trimClaims,
} from './claim-store.ts'

const NOW = Date.UTC(2026, 10, 21)

const claim = (word: string, name = 'a.example.com', createdAt = NOW): Claim => ({
  name,
  proof: `proof ${word}`,
  tokenHash: `hash ${word}`,
  createdAt,
})

for (const driver of drivers) {
  describe(`claims on ${driver.name}`, () => {
    test('are found by their proof, the newest first, and once', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      const [old, newer, foreign] = [claim('1'), claim('2', undefined, NOW + 1), claim('3', 'b.example.com', NOW + 2)]
      for (const each of [old, newer, foreign]) await insertClaim(db.write, each)
      const proven = (...words: string[]) =>
        findProvenClaim(
          db.read,
          'a.example.com',
          words.map((word) => `proof ${word}`),
          NOW,
        )
      assert.deepEqual(await proven('1', '2', '3', '4'), newer)
      assert.deepEqual(await proven('1'), old)
      assert.equal(await proven('3'), undefined)
      await deleteClaims(db.write, 'a.example.com', ['proof 2', 'proof 3'])
      assert.deepEqual(await proven('1', '2', '3', '4'), old)
      assert.deepEqual(await findProvenClaim(db.read, 'b.example.com', ['proof 3'], NOW), foreign)
    })

    test('expire, and show until then that a name is claimed', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      await insertClaim(db.write, claim('1', undefined, NOW - 10))
      await insertClaim(db.write, claim('2', undefined, NOW - 5))
      assert.equal(await findLastClaimTime(db.read, 'a.example.com', NOW - 20), NOW - 5)
      assert.equal(await findLastClaimTime(db.read, 'a.example.com', NOW - 4), undefined)
      assert.equal(await findLastClaimTime(db.read, 'b.example.com', NOW - 20), undefined)
      assert.equal(await findProvenClaim(db.read, 'a.example.com', ['proof 1'], NOW - 9), undefined)
      await deleteExpiredClaims(db.write, NOW - 5)
      assert.equal(await findProvenClaim(db.read, 'a.example.com', ['proof 1'], NOW - 20), undefined)
      assert.equal(await findLastClaimTime(db.read, 'a.example.com', NOW - 20), NOW - 5)
    })

    test('are limited per name: the oldest is deleted', async (t) => {
      const db = await driver.open(t)
      if (db === undefined) return
      await insertClaim(db.write, claim('other', 'b.example.com', NOW - 1))
      for (let at = 0; at < 5; at++) {
        await insertClaim(db.write, claim(String(at), undefined, NOW + at))
        await trimClaims(db.write, 'a.example.com', 3)
      }
      const kept = []
      for (const word of ['0', '1', '2', '3', '4']) {
        kept.push((await findProvenClaim(db.read, 'a.example.com', [`proof ${word}`], 0)) !== undefined)
      }
      assert.deepEqual(kept, [false, false, true, true, true])
      assert.equal(await findLastClaimTime(db.read, 'b.example.com', 0), NOW - 1)
    })
  })
}
