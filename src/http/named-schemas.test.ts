import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nameSchemas } from './openapi.ts'

test('a schema with a title is defined once, and replaced by references, also inside another schema', () => {
  const totals = { title: 'Totals', type: 'object' }
  const link = { title: 'Link', type: 'object', properties: { totals, last: { anyOf: [totals, { type: 'null' }] } } }
  const toTotals = { $ref: '#/components/schemas/Totals' }
  assert.deepEqual(nameSchemas({ '/a': { schema: link }, '/b': { schema: totals } }), {
    value: { '/a': { schema: { $ref: '#/components/schemas/Link' } }, '/b': { schema: toTotals } },
    schemas: {
      Totals: totals,
      Link: {
        title: 'Link',
        type: 'object',
        properties: { totals: toTotals, last: { anyOf: [toTotals, { type: 'null' }] } },
      },
    },
  })
})

test('the title of a link in an example, and a field called title, do not name a schema', () => {
  const schema = { type: 'object', properties: { title: { type: 'string' } }, examples: [{ title: 'Menu' }] }
  assert.deepEqual(nameSchemas({ schema }), { value: { schema }, schemas: {} })
})

test('two different schemas of one name throw', () => {
  const described = (type: string) => ({ schema: { title: 'Link', type } })
  assert.throws(
    () => nameSchemas({ '/a': described('object'), '/b': described('array') }),
    /two schemas have the name Link/,
  )
})
