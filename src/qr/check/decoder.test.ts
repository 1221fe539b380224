import assert from 'node:assert/strict'
import { test } from 'node:test'
import { queryObjects } from 'node:v8'
import { createEncoder } from '../encoder/encoder.ts'
import { openDecoder } from './decoder.ts'
import type { Gray } from './gray.ts'

const SCALE = 3
const MARGIN = 4

/** A QR code on white paper. */
function imageOf(bytes: Uint8Array): Gray {
  const symbol = createEncoder()(bytes, { level: 'M' })
  assert.ok(symbol)
  const { size, modules } = symbol
  const width = (size + 2 * MARGIN) * SCALE
  const moduleAt = (at: number) => Math.floor(at / SCALE) - MARGIN
  const pixels = Uint8Array.from({ length: width * width }, (_, at) => {
    const [x, y] = [moduleAt(at % width), moduleAt(Math.floor(at / width))]
    const isInside = x >= 0 && y >= 0 && x < size && y < size
    return isInside && modules[y * size + x] === 1 ? 0 : 255
  })
  return { width, height: width, pixels }
}

test('an image has the code of its bytes and of no others, and reading it keeps no memory', async () => {
  const reads = await openDecoder()
  const bytes = Buffer.from('https://example.com/a')
  const image = imageOf(bytes)
  assert.equal(await reads(image, bytes), true)
  assert.equal(await reads(image, Buffer.from('https://example.com/b')), false)
  const kept = () => queryObjects(Uint8ClampedArray, { format: 'count' })
  const before = kept()
  // Several at the same time too: each has results of its own.
  for (let at = 0; at < 50; at++)
    assert.deepEqual(await Promise.all([reads(image, bytes), reads(image, bytes)]), [true, true])
  assert.ok(kept() <= before + 2, `${kept() - before} pictures of codes are kept`)
})
