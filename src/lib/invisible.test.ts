import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter, fc } from '../../test/support/fast-check.ts'
import { codePointsOf, trimInvisible } from './invisible.ts'

const invisible = Array.from({ length: 0x11_0000 }, (_, codePoint) => codePoint)
  .filter((codePoint) => codePoint < 0xd800 || codePoint > 0xdfff)
  .map((codePoint) => String.fromCodePoint(codePoint))
  .filter((character) => /^\p{Cf}$/u.test(character))

test('every invisible character is dropped at both ends of a text, and stays inside it', () => {
  assert.ok(invisible.length > 150)
  for (const each of invisible) {
    assert.deepEqual(trimInvisible(`${each}a${each}b${each}${each}`), {
      text: `a${each}b`,
      before: each,
      after: each + each,
    })
    assert.deepEqual(trimInvisible(each), { text: '', before: each, after: '' })
  }
})

test('whatever the text, nothing is lost: what is dropped and what stays are the text, and no visible character is dropped', () => {
  const part = fc.oneof(fc.string({ unit: anyCharacter, maxLength: 3 }), fc.constantFrom(...invisible))
  fc.assert(
    fc.property(fc.array(part, { maxLength: 8 }), (parts) => {
      const whole = parts.join('')
      const { text, before, after } = trimInvisible(whole)
      assert.equal(before + text + after, whole)
      assert.match(before + after, /^\p{Cf}*$/u)
      assert.deepEqual(trimInvisible(text), { text, before: '', after: '' })
    }),
  )
})

test('a flag that ends in tags is seen, and stays', () => {
  const england = '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'
  assert.deepEqual(trimInvisible(`${england}\u200b`), { text: england, before: '', after: '\u200b' })
  assert.equal(trimInvisible('🏴\u{e0067}').text, '🏴')
  assert.equal(trimInvisible('🏴\u{e007f}').text, '🏴')
})

test('characters are named as people look them up, each once', () => {
  assert.equal(codePointsOf('\u200b\u00ad\u200b\u{e0001}'), 'U+200B, U+00AD, U+E0001')
})
