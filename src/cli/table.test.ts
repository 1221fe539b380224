import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTable } from './table.ts'

test('a table of more rows than a call has arguments has its columns aligned', () => {
  const rows = Array.from({ length: 200_000 }, (_, at) => [`name ${at}`, 'pending'])
  const lines = formatTable(rows).split('\n')
  assert.deepEqual([lines.length, lines[0], lines.at(-1)], [200_000, 'name 0       pending', 'name 199999  pending'])
})
