import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Type } from '#typebox'
import {
  createUnknownError,
  MAX_UNKNOWN,
  MEMBERS,
  ROWS,
  rowsIn,
  unknownColumns,
  unknownMembers,
  unknownParameters,
} from './members.ts'

const pointersOf = (...args: Parameters<typeof unknownMembers>) => unknownMembers(...args).map(({ pointer }) => pointer)
const text = Type.String()

test('members that a schema does not name are found at every depth, and what they hold is not looked at', () => {
  const schema = Type.Object({
    a: text,
    list: Type.Array(Type.Object({ b: text })),
    maybe: Type.Unsafe({ anyOf: [Type.Object({ c: text }), { type: 'null' }] }),
  })
  const value = { a: 'x', z: { a: { deep: 1 } }, list: [{ b: 'x' }, { b: 'x', y: 1 }], maybe: { c: 'x', 'a/~b': 1 } }
  assert.deepEqual(pointersOf(schema, value), ['/z', '/list/1/y', '/maybe/a~1~0b'])
  for (const other of [null, 'x', 5, [], [{ z: 1 }], { a: 'x', maybe: null, list: 'x' }])
    assert.deepEqual(pointersOf(schema, other), [])
})

test('an object that is open, free in its names, or closed by its validator has no unknown members', () => {
  const schema = Type.Object({
    open: Type.Object({}, { additionalProperties: true }),
    closed: Type.Object({ a: text }, { additionalProperties: false }),
    free: Type.Record(Type.String({ pattern: '^[a-z]$' }), text),
    empty: Type.Object({}),
  })
  const value = { open: { z: 1 }, closed: { z: 1 }, free: { z: 'x' }, empty: { z: 1 } }
  assert.deepEqual(pointersOf(schema, value), ['/empty/z'])
})

test('of alternatives the one whose constant the value has counts, or what was chosen for it, or else each', () => {
  const own = (kind: string, name: string) => Type.Object({ kind: Type.Literal(kind), [name]: text })
  const schema = Type.Unsafe({
    anyOf: [Type.Object({ kind: Type.Optional(Type.Literal('a')), x: text }), own('b', 'y')],
  })
  const value = { x: '', y: '', z: '' }
  assert.deepEqual(pointersOf(schema, value), ['/y', '/z'])
  assert.deepEqual(pointersOf(schema, { kind: 'b', ...value }), ['/x', '/z'])
  assert.deepEqual(pointersOf(schema, { kind: 'other', ...value }), ['/z'])
  assert.deepEqual(pointersOf(schema, value, { kind: 'b' }), ['/x', '/z'])
})

test('the members that a schema names apart count in place of those that it shows, and rows are left to the caller', () => {
  const row = Type.Object({ a: text }, { [MEMBERS]: Type.Object({ a: text, hidden: text }) })
  const list = Type.Array(row, { [ROWS]: true })
  const wrapped = Type.Object({ rows: list })
  const rows = [{ a: '', hidden: '', z: '' }]
  assert.deepEqual(pointersOf(row, rows[0]), ['/z'])
  assert.deepEqual(pointersOf(list, rows), [])
  assert.deepEqual(pointersOf(wrapped, { rows, z: 1 }), ['/z'])
  assert.deepEqual(rowsIn(list, rows), { pointer: '', items: rows, schema: row })
  assert.deepEqual(rowsIn(wrapped, { rows }), { pointer: '/rows', items: rows, schema: row })
  for (const other of [{}, null, 'x', [], { rows: 'x' }]) assert.equal(rowsIn(wrapped, other), undefined)
})

test('at most 20 are found, names are cut, and no more of a wide value is read', () => {
  let read = 0
  const wide = new Proxy(Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`n${at}`, {}])), {
    getOwnPropertyDescriptor: (target, name) => {
      read++
      return Reflect.getOwnPropertyDescriptor(target, name)
    },
  })
  assert.equal(unknownMembers(Type.Object({}), wide).length, MAX_UNKNOWN)
  assert.ok(read < 100, `${read} members were read`)
  assert.equal(pointersOf(Type.Object({}), { ['x'.repeat(100_000)]: 1 })[0]?.length, 101)
  const items = Array.from({ length: 5000 }, () => ({ z: 1 }))
  assert.equal(unknownMembers(Type.Array(Type.Object({})), items).length, MAX_UNKNOWN)
  assert.deepEqual(pointersOf(Type.Array(Type.Object({}), { maxItems: 2 }), items), ['/0/z', '/1/z'])
  const query = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`n${at}`, '']))
  assert.equal(unknownParameters([], query).length, MAX_UNKNOWN)
  assert.equal(unknownColumns([], Object.keys(query)).length, MAX_UNKNOWN)
})

test('parameters and columns are named once, and an error says which name is near', () => {
  const errorOf = createUnknownError()
  const [from, ...others] = unknownParameters(['days', 'form'], { from: ['1', '2'], days: '1' })
  assert.deepEqual([from?.pointer, others], ['?from', []])
  assert.deepEqual(from && errorOf(from), { pointer: '?from', detail: 'is not known here; did you mean "form"?' })
  const [column, ...more] = unknownColumns(['target'], ['Colour', 'Colour'])
  assert.deepEqual(column && errorOf(column), { pointer: '/csv/Colour', detail: 'is not known here' })
  assert.deepEqual(more, [])
})

test('of the names of one request, a hundred are compared with those that are known, each once', () => {
  const errorOf = createUnknownError()
  let compared = 0
  const known = new Proxy(['title'], {
    get(target, name) {
      if (name === 'find') compared++
      return Reflect.get(target, name) as unknown
    },
  })
  const said = (name: string) => errorOf({ pointer: `/${name}`, name, known }).detail
  for (let at = 0; at < 1000; at++) said('tilte')
  assert.equal(compared, 1)
  for (let at = 0; at < 1000; at++) said(`tilte${at}`)
  assert.equal(compared, 100)
  assert.match(said('tilte'), /did you mean "title"/)
  assert.equal(said('tittle'), 'is not known here')
})
