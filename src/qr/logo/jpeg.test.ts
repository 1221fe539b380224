import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { jpegFile } from '../../../test/support/logos.ts'
import { openRasterizer } from '../pool/raster.ts'
import { LogoError } from './error.ts'
import { readJpeg } from './jpeg.ts'

const segment = (marker: number, data: readonly number[] | string) =>
  Buffer.from([0xff, marker, 0, data.length + 2, ...Buffer.from(data as string)])
const zeros = (count: number) => Array.from({ length: count }, () => 0)

const START = Buffer.from([0xff, 0xd8])
const END = Buffer.from([0xff, 0xd9])
const exif = segment(0xe1, 'Exif\0\0 SECRET')
const comment = segment(0xfe, 'SECRET')

/**
 * A progressive JPEG of two grey blocks, a restart between them, in a scan of their brightness, whose data hold a stuffed
 * zero, and one of their details. Between any two of its parts `between` is put.
 */
function progressive(between = Buffer.alloc(0)): Buffer {
  const parts = [
    START,
    segment(0xdb, [0].concat(Array.from({ length: 64 }, () => 1))),
    segment(0xc2, [8, 0, 8, 0, 16, 1, 1, 0x11, 0]),
    segment(0xdd, [0, 1]),
    segment(0xc4, [0x00, 1, ...zeros(15), 8]),
    // Each block: the code of a difference of eight bits, which is 255.
    Buffer.concat([segment(0xda, [1, 1, 0x00, 0, 0, 0]), Buffer.from([0x7f, 0xff, 0, 0xff, 0xd0, 0x7f, 0xff, 0])]),
    segment(0xc4, [0x10, 1, ...zeros(15), 0]),
    Buffer.concat([segment(0xda, [1, 1, 0x00, 1, 63, 0]), Buffer.from([0x7f, 0xff, 0xd0, 0x7f])]),
    END,
  ]
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [between, part])))
}

describe('of a JPEG', () => {
  test('all scans are kept, with their tables and restarts, and are drawn', async () => {
    const { picture, width, height } = readJpeg(progressive())
    assert.deepEqual(Buffer.from(picture), progressive())
    assert.deepEqual([width, height], [16, 8])
    const { pixels } = await openRasterizer()
    const href = `data:image/jpeg;base64,${Buffer.from(picture).toString('base64')}`
    const { rgba } = pixels(
      `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="8"><image width="16" height="8" href="${href}"/></svg>`,
    )
    assert.deepEqual([...rgba.subarray(0, 4)], [160, 160, 160, 255])
  })

  test('metadata are taken out wherever they stand: in front, between and behind the scans', () => {
    for (const each of [exif, comment, segment(0xf7, 'SECRET'), segment(0xee, 'no colours of Adobe, but a SECRET')]) {
      assert.deepEqual(Buffer.from(readJpeg(progressive(each)).picture), progressive())
    }
  })

  test('what lies behind its end is not kept, though it be another JPEG', () => {
    const two = Buffer.concat([progressive(), START, exif, jpegFile().subarray(2), Buffer.from('SECRET')])
    assert.deepEqual(Buffer.from(readJpeg(two).picture), progressive())
  })

  test('fill bytes in front of a marker are no fault', () => {
    const { picture } = readJpeg(progressive(Buffer.from([0xff, 0xff])))
    assert.ok(Buffer.from(picture).includes(Buffer.from([0x7f, 0xff, 0, 0xff, 0xd0, 0x7f, 0xff, 0])))
  })

  test("Adobe's word on its colours is kept", () => {
    const adobe = segment(0xee, 'Adobe\0d\0\0\0\0\x01')
    const { picture } = readJpeg(Buffer.concat([START, adobe, progressive().subarray(2)]))
    assert.ok(Buffer.from(picture).includes(adobe))
  })

  test('wherever it is cut off, it is refused', () => {
    const file = progressive(exif)
    for (let length = 2; length < file.length; length++) {
      assert.throws(
        () => readJpeg(file.subarray(0, length)),
        (error) => error instanceof LogoError || error instanceof RangeError,
        `${length} bytes`,
      )
    }
  })

  test('a start within it, a restart outside of a scan and a picture without scans are refused', () => {
    for (const wrong of [START, Buffer.from([0xff, 0xd3])]) {
      assert.throws(() => readJpeg(progressive(wrong)), /damaged/)
    }
    const [header] = [progressive().subarray(0, -30)]
    assert.throws(
      () => readJpeg(Buffer.concat([header.subarray(0, header.indexOf(Buffer.from([0xff, 0xda]))), END])),
      /without a picture/,
    )
  })
})
