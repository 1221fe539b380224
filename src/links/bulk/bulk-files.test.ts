import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BulkResult } from './bulk.ts'
import { imagesOf } from './bulk-files.ts'

/** Keeps the event loop from running, for longer than images may. */
function draw(): string {
  const until = performance.now() + 6
  while (performance.now() < until);
  return '<svg/>'
}

test('the event loop runs between images, however quickly they are read', async () => {
  const results = Array.from({ length: 4 }, (_, index) => ({ index, code: `code${index}` }))
  const result = { created: 4, failed: 0, results } as BulkResult
  let runs = 0
  const runsBefore: number[] = []
  const images = imagesOf(result, () => {
    runsBefore.push(runs)
    setImmediate(() => runs++)
    return draw()
  })
  const names: string[] = []
  for await (const { name } of images) names.push(name)
  assert.deepEqual(names, ['qr-code0.svg', 'qr-code1.svg', 'qr-code2.svg', 'qr-code3.svg'])
  assert.deepEqual(runsBefore, [0, 1, 2, 3])
})
