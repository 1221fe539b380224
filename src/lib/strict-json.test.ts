import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { JsonError, parseStrictJson } from './strict-json.ts'

const refuses = (text: string, why: RegExp) =>
  assert.throws(
    () => parseStrictJson(text),
    (error) => error instanceof JsonError && why.test(error.message),
  )

test('reads every JSON value exactly as JSON.parse does', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.constantFrom(undefined, 1, '\t'), (text, indent) => {
      fc.pre(!text.includes('"__proto__"'))
      const written = JSON.stringify(JSON.parse(text), null, indent)
      assert.deepEqual(parseStrictJson(written), JSON.parse(written))
    }),
  )
})

test('refuses a name that occurs twice in one object, also escaped, and at any depth', () => {
  refuses('{"a":1,"a":2}', /"a" occurs twice/)
  refuses('{"a":1,"\\u0061":2}', /"a" occurs twice/)
  refuses('[{"x":[{"b" : 1, "c":"}", "b"\n:2}]}]', /"b" occurs twice/)
})

test('accepts the same name in different objects, and strings that look like members', () => {
  const text = '{"a":{"a":1},"b":[{"a":2},{"a":"\\"a\\":1,{"}],"c":"a\\\\"}'
  assert.deepEqual(parseStrictJson(text), JSON.parse(text))
})

test('refuses __proto__, nesting past 32 levels, and invalid JSON', () => {
  refuses('{"a":{"__proto__":{}}}', /__proto__/)
  refuses('['.repeat(33) + ']'.repeat(33), /deeper than 32/)
  assert.doesNotThrow(() => parseStrictJson('['.repeat(32) + ']'.repeat(32)))
  refuses('['.repeat(250_000), /deeper than 32/)
  refuses('['.repeat(120_000) + ']'.repeat(120_000), /deeper than 32/)
  for (const text of ['', '{', '{"a":1', "{'a':1}", 'undefined', '[1,]', '01']) refuses(text, /not valid JSON/)
})

test('refuses more than 10,000 values, names not counted, before anything is built', () => {
  const list = (length: number) => `[${Array(length).fill('{"a":""}').join()}]`
  assert.doesNotThrow(() => parseStrictJson(list(4_999)))
  refuses(list(5_001), /more than 10000 values/)
  // What follows is not parsed.
  refuses(`${'[[],'.repeat(3) + '[],'.repeat(10_000)}nonsense`, /more than 10000 values/)
  assert.doesNotThrow(() => parseStrictJson(JSON.stringify(',[{'.repeat(100_000))))
})

test('refuses a number of more than 64 characters, and accepts strings of any length', () => {
  for (const text of [`[${'1'.repeat(65)}]`, '1'.repeat(4_000_000), `{"a":-1.${'0'.repeat(70)} }`]) {
    refuses(text, /number of more than 64 characters/)
  }
  for (const text of [`[${'1'.repeat(64)}]`, `[${' '.repeat(99)}1]`, JSON.stringify('x'.repeat(999)), '"\\\\\\""']) {
    assert.deepEqual(parseStrictJson(text), JSON.parse(text))
  }
})

test('cuts a long name in the error message', () => {
  const name = 'n'.repeat(5_000)
  refuses(`{"${name}":1,"${name}":2}`, /^.{1,150}$/)
})
