import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { fc } from '../../test/support/fast-check.ts'
import { writeRecords } from './csv.ts'

const FORMULA = /^[=+\-@\t\uFF1D\uFF0B\uFF0D\uFF20]/
const LINE_END = /[\r\n\v\f\x85\u2028\u2029]/

const odd = fc.constantFrom(
  '=',
  '+',
  '-',
  '@',
  '\t',
  '\r',
  '\n',
  '\r\n',
  '"',
  ',',
  ';',
  "'",
  ' ',
  'x',
  '1',
  '\u2028',
  '\uFF1D',
  '\v',
)
const cells = fc.oneof(
  fc.array(odd, { maxLength: 8 }).map((parts) => parts.join('')),
  fc.string(),
)
// A record of one empty cell is an empty line to every reader.
const tables = fc.array(fc.tuple(fc.constant('x'), cells, cells), { minLength: 1, maxLength: 5 })

/** A cell without the apostrophes that prevent formulas. */
const plain = (cell: string) => cell.replaceAll("'", '')

test('a reader gets the cells as they were written, and none of their lines begins like a formula', () => {
  fc.assert(
    fc.property(tables, (table) => {
      const read = parse(writeRecords(table))
      assert.deepEqual(
        read.map((record) => record.map(plain)),
        table.map((record) => record.map(plain)),
      )
      for (const line of read.flat().flatMap((cell) => cell.split(LINE_END))) assert.doesNotMatch(line, FORMULA)
      for (const cell of read.flat()) assert.doesNotMatch(cell, /^[\r\n]/)
    }),
    { numRuns: 1_000 },
  )
})

test('cells that are not formulas are unchanged', () => {
  const record = ['a-b', '1+1', "it's", 'https://example.com/?a=1', 'one\ntwo', 'x@example.com', ' =1', '']
  assert.deepEqual(parse(writeRecords([record])), [record])
})

test('cells with any kind of line end are quoted, so that no reader splits the row there', () => {
  for (const end of ['\n', '\r', '\r\n']) {
    assert.equal(writeRecords([['x', `a${end}=1+1`]]), `x,"a${end}'=1+1"\r\n`)
  }
})

test("Python's reader agrees", (t) => {
  const isThere = spawnSync('python3', ['--version']).status === 0
  if (!isThere && process.env['CI'] !== 'true') return t.skip('python3 is not on this machine')
  const script =
    'import csv,io,json,sys; print(json.dumps([list(csv.reader(io.StringIO(text, newline=""))) for text in json.load(sys.stdin)]))'
  const samples = fc.sample(tables, { numRuns: 200, seed: 2026 }).map(writeRecords)
  const answer = spawnSync('python3', ['-c', script], { input: JSON.stringify(samples), encoding: 'utf8' })
  assert.equal(answer.status, 0, answer.stderr)
  const read = JSON.parse(answer.stdout) as string[][][]
  assert.deepEqual(
    read,
    samples.map((text) => parse(text)),
  )
})
