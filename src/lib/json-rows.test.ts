import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../test/support/fast-check.ts'
import { JsonError } from './json-scan.ts'
import { parseStrictRows, TooManyRows } from './json-rows.ts'
import { parseStrictJson } from './strict-json.ts'

const bounds = { rows: 500, values: 200_000 }
const changes = { ...bounds, field: 'changes' }
const parse = (text: string, turn = async () => {}) => parseStrictRows(text, bounds, turn)

/** The result of a parser for a text: its value, or a refusal. */
async function outcome(text: string, read: (text: string) => unknown): Promise<unknown> {
  try {
    return { value: await read(text) }
  } catch (error) {
    assert.ok(error instanceof JsonError, String(error))
    return 'refused'
  }
}

test('returns exactly what the parser of single values returns, and refuses what that one refuses', async () => {
  const pieces = fc.constantFrom(
    '[',
    ']',
    '{',
    '}',
    ',',
    ':',
    '"',
    '\\',
    ' ',
    '1',
    'null',
    '"a"',
    '{"a":1}',
    '"a":',
    '\n',
    '\u00a0',
  )
  const broken = fc.array(pieces, { maxLength: 12 }).map((parts) => parts.join(''))
  const lists = fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 9 }).map((list) => JSON.stringify(list, null, 1))
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        broken,
        fc.json(),
        lists,
        broken.map((text) => `[${text}]`),
      ),
      async (text) => {
        assert.deepEqual(await outcome(text, parse), await outcome(text, parseStrictJson))
      },
    ),
    { numRuns: 2_000 },
  )
})

test('does the same for the rows in a field of an object', async () => {
  const pieces = fc.constantFrom('[', ']', '{', '}', ',', ':', ' ', '1', '"a"', '{"a":1}', '"a":', '"changes":', '\v')
  const broken = fc.array(pieces, { maxLength: 10 }).map((parts) => parts.join(''))
  const lists = fc.array(fc.jsonValue({ maxDepth: 3 }), { maxLength: 9 }).map((list) => JSON.stringify(list, null, 1))
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        broken,
        fc.oneof(lists, broken).map((text) => ` { "changes" : ${text} } `),
        fc.tuple(broken, broken).map(([first, second]) => `{"changes":[${first}],"a":[${second}]}`),
        broken.map((text) => `{"changes":[${text}`),
        broken.map((text) => `{"changes":${text}]}`),
      ),
      async (text) => {
        const read = (text: string) => parseStrictRows(text, changes, async () => {})
        assert.deepEqual(await outcome(text, read), await outcome(text, parseStrictJson))
      },
    ),
    { numRuns: 4_000 },
  )
})

test('refuses too many rows and values in a field of an object as well', async () => {
  const read = (text: string) => parseStrictRows(text, changes, async () => {})
  await assert.rejects(read(`{"changes":[${'1,'.repeat(500)}nonsense`), TooManyRows)
  const row = (values: number) => `[${Array(values).fill('1').join()}]`
  assert.deepEqual(await read(`{"changes":[${Array(499).fill(row(390)).join()}]}`), {
    changes: Array.from({ length: 499 }, () => Array(390).fill(1)),
  })
  await assert.rejects(read(`{"changes":[${Array(300).fill(row(900)).join()}]}`), /more than 200000 values/)
  await assert.rejects(read(`{"changes":[1,${row(10_001)}]}`), /an item of the body has more than 10000 values/)
  await assert.rejects(read('{"changes":[{"a":1,"a":2}]}'), /"a" occurs twice/)
  await assert.rejects(read('{"changes":[1],"changes":[2]}'), /"changes" occurs twice/)
})

test('refuses whitespace around a list that JSON does not allow', async () => {
  for (const text of ['\u00a0[1]', '[1]\u00a0', '\uFEFF[1]', '\v[1]', '[1]\f'])
    await assert.rejects(parse(text), JsonError)
  assert.deepEqual(await parse(' \t\r\n[1] \t\r\n'), [1])
})

test('yields to the event loop while it reads a long list', async () => {
  const row = { target: `https://example.com/${'x'.repeat(2_000)}`, title: 'a, "b" [c] {d}: \\' }
  const rows = Array.from({ length: 400 }, (_, at) => ({ ...row, at }))
  let turns = 0
  assert.deepEqual(await parse(JSON.stringify(rows), async () => void turns++), rows)
  assert.ok(turns > 10, `${turns} turns`)
})

test('refuses too many rows, values in all, and values in one row, each before it is built', async () => {
  await assert.rejects(parse(`[${'1,'.repeat(500)}nonsense`), TooManyRows)
  const row = (values: number) => `[${Array(values).fill('1').join()}]`
  const refuses = (text: string, why: RegExp) =>
    assert.rejects(parse(text), (error) => error instanceof JsonError && why.test(error.message))
  await refuses(`[${Array(300).fill(row(900)).join()}]`, /more than 200000 values/)
  await refuses(`[1,${row(10_001)}]`, /an item of the body has more than 10000 values/)
  await refuses(`{"csv":${row(10_001)}}`, /more than 10000 values/)
})

test('accepts the largest possible request: 500 pages with 100 buttons and every other field', async () => {
  const links = Array.from({ length: 100 }, () => ({ label: 'x', url: 'https://example.com/' }))
  const utm = Object.fromEntries(Array.from({ length: 10 }, (_, at) => [`u${at}`, 'x']))
  const row = {
    kind: 'page',
    alias: 'x',
    target: 'x',
    title: 'x',
    campaign: 'x',
    headline: 'x',
    description: 'x',
    utm,
    links,
  }
  const rows = Array.from({ length: 500 }, () => row)
  assert.equal(((await parse(JSON.stringify(rows))) as unknown[]).length, 500)
})
