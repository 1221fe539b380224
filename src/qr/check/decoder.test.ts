import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { promisify } from 'node:util'
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

const bytes = Buffer.from('https://example.com/a')

/** Reads one image a hundred times. @returns how many more pictures of codes are in memory than after the first reading */
async function countKept(): Promise<number> {
  const reads = await openDecoder()
  const image = imageOf(bytes)
  await reads(image, bytes)
  const before = queryObjects(Uint8ClampedArray, { format: 'count' })
  // Two at the same time: each has results of its own.
  for (let at = 0; at < 50; at++) await Promise.all([reads(image, bytes), reads(image, bytes)])
  return queryObjects(Uint8ClampedArray, { format: 'count' }) - before
}

if (process.env['COUNT_KEPT'] === 'yes') console.log(await countKept())
else {
  test('an image has the code of its bytes and of no others', async () => {
    const reads = await openDecoder()
    const image = imageOf(bytes)
    assert.deepEqual(await Promise.all([reads(image, bytes), reads(image, bytes)]), [true, true])
    assert.equal(await reads(image, Buffer.from('https://example.com/b')), false)
  })

  test('reading an image keeps no memory', async () => {
    // In a process of its own: the memory of all tests takes long to search.
    const env = { ...process.env, COUNT_KEPT: 'yes', NODE_TEST_CONTEXT: '' }
    const { stdout } = await promisify(execFile)(process.execPath, [import.meta.filename], { env })
    assert.ok(Number(stdout) <= 2, `${stdout.trim()} pictures of codes are kept`)
  })
}
