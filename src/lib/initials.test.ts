import assert from 'node:assert/strict'
import { test } from 'node:test'
import { initialsOf } from './initials.ts'

test('initials are the first letters of two words, in any script; punctuation and emoji have none', () => {
  assert.equal(initialsOf(['Müller’s', 'Bakery', '&', 'Café']), 'MB')
  assert.equal(initialsOf(['Anna Maria', 'E\u0301clair']), 'AÉ')
  assert.equal(initialsOf(['☕', '“Café”', 'über', '7']), 'Ü7')
  assert.equal(initialsOf([undefined, ' ACME ']), 'A')
  assert.equal(initialsOf(['☕☕', '']), '')
})
