import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { costlyLogos } from '../../../test/support/costly-logos.ts'
import { jpegFile } from '../../../test/support/logos.ts'
import { toBase64 } from '../../lib/bytes.ts'
import { logoAlone } from '../design/scene-svg.ts'
import { renderRgbaPng } from '../png/rgba.ts'
import { rasterizer } from '../../../test/support/rasterizer.ts'
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
 * A progressive JPEG of two grey blocks with a restart between them: a DC scan, whose data contain a stuffed zero, and an
 * AC scan. `between` is inserted between any two of its segments.
 */
function progressive(between = Buffer.alloc(0)): Buffer {
  const parts = [
    START,
    segment(0xdb, [0].concat(Array.from({ length: 64 }, () => 1))),
    segment(0xc2, [8, 0, 8, 0, 16, 1, 1, 0x11, 0]),
    segment(0xdd, [0, 1]),
    segment(0xc4, [0x00, 1, ...zeros(15), 8]),
    // For each block, the code of a difference of eight bits: 255.
    Buffer.concat([segment(0xda, [1, 1, 0x00, 0, 0, 0]), Buffer.from([0x7f, 0xff, 0, 0xff, 0xd0, 0x7f, 0xff, 0])]),
    segment(0xc4, [0x10, 1, ...zeros(15), 0]),
    Buffer.concat([segment(0xda, [1, 1, 0x00, 1, 63, 0]), Buffer.from([0x7f, 0xff, 0xd0, 0x7f])]),
    END,
  ]
  return Buffer.concat(parts.flatMap((part, index) => (index === 0 ? [part] : [between, part])))
}

/** EXIF metadata with an orientation, in either byte order. */
function exifOf(orientation: number, order: 'II' | 'MM'): Buffer<ArrayBuffer> {
  const tiff = Buffer.alloc(8 + 2 + 2 * 12 + 4)
  const write = (value: number, at: number) =>
    order === 'II' ? tiff.writeUInt16LE(value, at) : tiff.writeUInt16BE(value, at)
  tiff.write(order)
  write(42, 2)
  if (order === 'II') tiff.writeUInt32LE(8, 4)
  else tiff.writeUInt32BE(8, 4)
  write(2, 8)
  // Two tags: the make of the camera, and the orientation, a SHORT.
  for (const [at, tag] of [
    [10, 0x010f],
    [22, 0x0112],
  ] as const)
    write(tag, at)
  write(3, 24)
  write(orientation, 30)
  return segment(0xe1, [...Buffer.from('Exif\0\0'), ...tiff])
}

const { pixels } = rasterizer

describe('of a JPEG', () => {
  test('the orientation is read before the metadata is removed', () => {
    for (const order of ['II', 'MM'] as const) {
      for (let orientation = 1; orientation <= 8; orientation++) {
        const jpeg = readJpeg(progressive(exifOf(orientation, order)))
        assert.deepEqual([jpeg.orientation, Buffer.from(jpeg.picture)], [orientation, progressive()])
      }
      for (const none of [0, 9, 65_535]) assert.equal(readJpeg(progressive(exifOf(none, order))).orientation, 1)
    }
  })

  test('truncated metadata, or metadata without an orientation, leaves it upright', () => {
    const { length } = exifOf(6, 'MM')
    for (let cut = 4; cut < length - 12; cut++) {
      const short = segment(0xe1, [...exifOf(6, 'MM').subarray(4, cut)])
      assert.equal(readJpeg(progressive(short)).orientation, 1, `${cut} bytes`)
    }
    assert.equal(readJpeg(progressive(exif)).orientation, 1)
  })

  test('CMYK is refused, with advice', () => {
    const frame = segment(0xc0, [8, 0, 8, 0, 8, 4, 1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0, 4, 0x11, 0])
    assert.throws(() => readJpeg(Buffer.concat([START, frame, progressive().subarray(2)])), /CMYK: save it in RGB/)
  })

  test('one of several frames is refused, wherever they are: a renderer draws the first, whose size is not that of the last', () => {
    const large = segment(0xc2, [8, 0x3e, 0x80, 0x3e, 0x80, 1, 1, 0x11, 0])
    for (const jpeg of [
      Buffer.concat([START, large, progressive().subarray(2)]),
      Buffer.concat([progressive().subarray(0, -2), large, END]),
      Buffer.concat([progressive().subarray(0, -2), jpegFile().subarray(2)]),
    ])
      assert.throws(() => readJpeg(jpeg), new LogoError('is a JPEG of several frames: save it anew'))
  })

  test('each orientation is drawn', () => {
    // Six pixels, of which the upper left one is red.
    const rgba = Uint8Array.from({ length: 24 }, (_, at) => (at < 4 && at % 3 > 0 ? 0 : 255))
    const stored = { type: 'png', base64: toBase64(renderRgbaPng(rgba, 3, 2)), width: 3, height: 2 } as const
    const corners = ['upper left', 'upper right', 'lower right', 'lower left']
    for (let orientation = 1; orientation <= 8; orientation++) {
      const width = orientation < 5 ? 3 : 2
      const drawn = pixels(logoAlone({ ...stored, orientation, ratio: width / (5 - width) }, width * 10))
      assert.deepEqual([drawn.width, drawn.height], [width * 10, (5 - width) * 10])
      const isRed = (x: number, y: number) => drawn.rgba[(y * drawn.width + x) * 4 + 1] === 0
      const [right, low] = [drawn.width - 1, drawn.height - 1]
      const found = [isRed(0, 0), isRed(right, 0), isRed(right, low), isRed(0, low)]
      assert.deepEqual(
        corners.filter((_, at) => found[at]),
        [corners[(orientation - 1) % 4]],
        `orientation ${orientation}`,
      )
    }
  })

  test('all scans are kept, with their tables and restarts, and are drawn', () => {
    const { picture, width, height } = readJpeg(progressive())
    assert.deepEqual(Buffer.from(picture), progressive())
    assert.deepEqual([width, height], [16, 8])
    const href = `data:image/jpeg;base64,${Buffer.from(picture).toString('base64')}`
    const { rgba } = pixels(
      `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="8"><image width="16" height="8" href="${href}"/></svg>`,
    )
    assert.deepEqual([...rgba.subarray(0, 4)], [160, 160, 160, 255])
  })

  test('metadata is removed before, between and after the scans', () => {
    for (const each of [exif, comment, segment(0xf7, 'SECRET'), segment(0xee, 'no colours of Adobe, but a SECRET')]) {
      assert.deepEqual(Buffer.from(readJpeg(progressive(each)).picture), progressive())
    }
  })

  test('bytes after its end are dropped, even another JPEG', () => {
    const two = Buffer.concat([progressive(), START, exif, jpegFile().subarray(2), Buffer.from('SECRET')])
    assert.deepEqual(Buffer.from(readJpeg(two).picture), progressive())
  })

  test('fill bytes before a marker are accepted', () => {
    const { picture } = readJpeg(progressive(Buffer.from([0xff, 0xff])))
    assert.ok(Buffer.from(picture).includes(Buffer.from([0x7f, 0xff, 0, 0xff, 0xd0, 0x7f, 0xff, 0])))
  })

  test("Adobe's colour transform is preserved", () => {
    const adobe = segment(0xee, 'Adobe\0d\0\0\0\0\x01')
    const { picture } = readJpeg(Buffer.concat([START, adobe, progressive().subarray(2)]))
    assert.ok(Buffer.from(picture).includes(adobe))
  })

  test('any truncation is refused', () => {
    const file = progressive(exif)
    for (let length = 2; length < file.length; length++) {
      assert.throws(
        () => readJpeg(file.subarray(0, length)),
        (error) => error instanceof LogoError || error instanceof RangeError,
        `${length} bytes`,
      )
    }
  })

  test('a second start, a restart outside of a scan and an image without scans are refused', () => {
    for (const wrong of [START, Buffer.from([0xff, 0xd3])]) {
      assert.throws(() => readJpeg(progressive(wrong)), /damaged/)
    }
    const [header] = [progressive().subarray(0, -30)]
    assert.throws(
      () => readJpeg(Buffer.concat([header.subarray(0, header.indexOf(Buffer.from([0xff, 0xda]))), END])),
      /without a picture/,
    )
  })

  test('more than 32 scans are refused, since each costs as much as the whole image', () => {
    assert.equal(readJpeg(costlyLogos['scans that are drawn of a large JPEG']?.(20_000) ?? START).width, 2048)
    assert.throws(() => readJpeg(costlyLogos['scans of a small JPEG']?.(2000) ?? START), /more than 32 scans/)
  })

  test('a metadata directory that declares more entries than it holds is read to its end', () => {
    const exif = segment(0xe1, 'Exif\0\0MM\0*\0\0\0\x08\0\x7f\0\0')
    assert.equal(readJpeg(progressive(exif)).orientation, 1)
  })
})
