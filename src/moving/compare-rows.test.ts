import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anyCharacter, fc } from '../../test/support/fast-check.ts'
import { compareRows } from './compare-rows.ts'
import type { Change, Row } from './table.ts'

/** The order of SQLite, and of PostgreSQL with `collate "C"`. */
const byBytes = (a: Row, b: Row) =>
  Number(a[0]) - Number(b[0]) || Buffer.compare(Buffer.from(String(a[1])), Buffer.from(String(b[1])))

async function* pagesOf(rows: Row[], size: number) {
  for (let at = 0; at < rows.length; at += size) yield rows.slice(at, at + size)
}

test('the changes make one table equal to another, and leave what is equal as it is', async () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 3 }),
    fc.constantFrom('\u{e000}', '\u{10000}', 'a', ''),
  )
  const row = fc.tuple(fc.integer({ min: 0, max: 3 }), text, fc.option(fc.constantFrom<string | number>('x', 1)))
  const table = fc
    .uniqueArray(row, { selector: ([number, name]) => `${number} ${name}`, maxLength: 30 })
    .map((rows) => rows.map((each) => each as Row).toSorted(byBytes))
  await fc.assert(
    fc.asyncProperty(table, table, fc.integer({ min: 1, max: 5 }), async (wanted, found, size) => {
      const keyOf = ([number, name]: Row) => JSON.stringify([number, name])
      const rows = new Map(found.map((each) => [keyOf(each), each]))
      const apply = async ({ put, remove }: Change) => {
        for (const each of remove) assert.ok(rows.delete(keyOf(each)))
        for (const each of put) {
          assert.notDeepEqual(rows.get(keyOf(each)), each)
          rows.set(keyOf(each), each)
        }
      }
      await compareRows(pagesOf(wanted, size), pagesOf(found, size + 1), 2, apply)
      assert.deepEqual([...rows.values()].toSorted(byBytes), wanted)
    }),
  )
})
