import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { anyCharacter, fc } from '../../test/support/fast-check.ts'
import { Type } from '#typebox'
import { Compile } from '#typebox/compile'
import { invalidRequest, REASON } from './problem.ts'
import { createValidator } from './validate.ts'

const schema = Type.Object({
  name: Type.Optional(Type.String({ maxLength: 3 })),
  pairs: Type.Optional(
    Type.Record(Type.String({ pattern: '^[ab]+$' }), Type.String({ maxLength: 2 }), {
      maxProperties: 2,
      additionalProperties: false,
    }),
  ),
  rows: Type.Optional(Type.Array(Type.Object({ label: Type.String({ maxLength: 2 }) }), { maxItems: 3 })),
  closed: Type.Optional(Type.Object({ a: Type.Optional(Type.Integer()) }, { additionalProperties: false })),
})
const validate = createValidator(schema)

/** A list of the given length that fails the test when an item past the bound is read. */
function longList(length: number, most: number): unknown[] {
  return new Proxy([], {
    get(target, name) {
      if (name === 'length') return length
      if (typeof name === 'string' && /^\d+$/.test(name)) assert.ok(Number(name) <= most, `item ${name} was read`)
      return Reflect.get(target, name)
    },
    has: (target, name) => (typeof name === 'string' && /^\d+$/.test(name)) || Reflect.has(target, name),
  })
}

describe('lengths are checked before contents', () => {
  test('no item past the bound of a list is read', () => {
    const errors = validate({ rows: longList(1_390_000, 3) })
    assert.ok(errors.some(({ pointer, detail }) => pointer === '/rows' && detail === 'must hold at most 3 items'))
  })

  test('only a bounded part of too many pairs, unknown fields or a long text is checked', () => {
    const pairs = Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`c${at}`, 5]))
    const many = validate({ pairs })
    assert.ok(many.some(({ pointer, detail }) => pointer === '/pairs' && detail === 'must hold at most 2 pairs'))
    assert.ok(many.length <= 10, `${many.length} errors`)
    assert.ok(validate({ closed: pairs }).length <= 101)
    assert.deepEqual(validate({ name: '😀'.repeat(1_000_000) }), [
      { pointer: '/name', detail: 'must be at most 3 characters long', [REASON]: { name: 'too_long', limit: 3 } },
    ])
  })

  test('a response lists at most 100 errors, and 100 characters of a name', () => {
    const pairs = { ['😀'.repeat(50_000)]: 'x' }
    for (const { pointer, detail } of validate({ pairs })) assert.ok(pointer.length <= 100 && detail.length < 100)
    const errors = Array.from({ length: 5_000 }, (_, at) => ({ pointer: `/${at}`, detail: 'is wrong' }))
    const problem = invalidRequest(errors)
    assert.equal(problem.errors.length, 100)
    assert.equal(problem.message, '/0 is wrong (and more than 99 more)')
    assert.equal(invalidRequest(errors.slice(0, 3)).message, '/0 is wrong (and 2 more)')
  })
})

test('a truncated value has an error exactly when the whole value has', () => {
  const compiled = Compile(schema)
  const text = fc.oneof(
    fc.string({ maxLength: 9 }),
    fc.string({ unit: anyCharacter, maxLength: 9 }),
    fc.constantFrom('a', '😀😀😀', '\ud800'),
  )
  const row = fc.oneof(fc.record({ label: text }), fc.constant({}), text)
  const value = fc.record(
    {
      name: fc.oneof(text, fc.jsonValue()),
      pairs: fc.oneof(fc.dictionary(fc.constantFrom('a', 'b', 'ab', 'c'), text), fc.jsonValue()),
      rows: fc.oneof(fc.array(row, { maxLength: 6 }), fc.jsonValue()),
      closed: fc.oneof(fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.integer()), fc.jsonValue()),
      other: fc.jsonValue(),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(value, (whole) => assert.equal(validate(whole).length === 0, compiled.Check(whole))),
    { numRuns: 3_000 },
  )
})
