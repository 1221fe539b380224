import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isToken, newToken } from '../lib/token.ts'
import { isShareToken, newShareToken } from './token.ts'

test("a share's token never has the form of an owner's token, nor the other way round", () => {
  for (let round = 0; round < 1000; round++) {
    const [share, owner] = [newShareToken(), newToken()]
    assert.deepEqual([isShareToken(share), isToken(share)], [true, false], share)
    assert.deepEqual([isShareToken(owner), isToken(owner)], [false, true], owner)
  }
})

test('what only resembles a token of a share is none', () => {
  const token = newShareToken()
  for (const text of [
    '',
    'share_',
    token.slice(0, -1),
    `${token}x`,
    ` ${token}`,
    token.toUpperCase(),
    `share_${token}`,
  ])
    assert.equal(isShareToken(text), false, text)
})
