import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readInParts } from './read-in-parts.ts'

/** How many rows each part has, of rows with these characters. */
async function partsOf(sizes: number[]): Promise<number[]> {
  const parts: number[] = []
  const read = async (some: number[]) => some
  for await (const rows of readInParts(sizes, read, (size) => size, { rows: 20, characters: 100 }))
    parts.push(rows.length)
  return parts
}

test('small rows are read by more and more, up to the bound, and large ones one at a time', async () => {
  assert.deepEqual(await partsOf(Array.from({ length: 50 }, () => 1)), [1, 4, 16, 20, 9])
  assert.deepEqual(await partsOf(Array.from({ length: 4 }, () => 1000)), [1, 1, 1, 1])
  assert.deepEqual(await partsOf([]), [])
})

test('a large row makes the next part small, and small ones make it grow again', async () => {
  assert.deepEqual(await partsOf([1, 1, 1, 1, 1000, 1, 1, 1]), [1, 4, 1, 2])
})
