import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync, inflateSync } from 'node:zlib'
import { fc } from '../../../test/support/fast-check.ts'
import { createEncoder, type QrSymbol } from '../encoder/encoder.ts'
import { rasterOf, type Raster } from '../raster.ts'
import { renderPng, paintRows } from './png.ts'

const encode = createEncoder()
const black = { foreground: [0, 0, 0, 255], background: [255, 255, 255, 255] } as const

function symbolOf(text: string, minVersion = 1) {
  const symbol = encode(Buffer.from(text), { level: 'L', minVersion })
  assert.ok(symbol)
  return symbol
}

test('every pixel is that of its module, or of the quiet zone, at any size', () => {
  const image = fc
    .record({ version: fc.integer({ min: 1, max: 40 }), margin: fc.nat(16), extra: fc.nat(1400) })
    .map(({ version, margin, extra }) => {
      const symbol = symbolOf('some text', version)
      return { symbol, raster: rasterOf(symbol.size, { size: symbol.size + 2 * margin + extra, margin }) }
    })
  fc.assert(
    fc.property(image, ({ symbol, raster }) => assertPixels(symbol, raster)),
    { numRuns: 100 },
  )
})

test('so is every pixel of the largest images', () => {
  for (const [version, size] of [
    [1, 4096],
    [4, 4096],
    [40, 4096],
    [1, 4095],
    [5, 2049],
  ] as const) {
    const symbol = symbolOf('some text', version)
    assertPixels(symbol, rasterOf(symbol.size, { size, margin: 4 }))
  }
})

/** Reads a PNG of one bit a pixel as the standard says (ISO/IEC 15948), and compares it with the modules. */
function assertPixels(symbol: QrSymbol, raster: Raster): void {
  const { size, scale, offset } = raster
  const stride = 1 + Math.ceil(size / 8)
  const rows = inflateSync(chunkOf(renderPng(symbol, raster, black), 'IDAT'))
  assert.equal(rows.length, stride * size)
  let above = Buffer.alloc(stride - 1)
  for (let y = 0; y < size; y++) {
    const [filter, ...bytes] = rows.subarray(y * stride, (y + 1) * stride)
    assert.ok(filter === 0 || filter === 2)
    const row = Buffer.from(filter === 0 ? bytes : bytes.map((byte, at) => byte + (above[at] ?? 0)))
    if (y === 0 || (y - offset) % scale === 0 || !row.equals(above))
      assert.ok(row.equals(expectedRow(y)), `row ${y} of ${size} px`)
    above = row
  }

  function expectedRow(y: number): Buffer {
    const expected = Buffer.alloc(stride - 1)
    const row = Math.floor((y - offset) / scale)
    for (let x = 0; x < size; x++) {
      const column = Math.floor((x - offset) / scale)
      const isInside = [row, column].every((at) => at >= 0 && at < symbol.size)
      if (isInside && symbol.modules[row * symbol.size + column] === 1)
        expected[x >> 3] = (expected[x >> 3] ?? 0) | (0x80 >> (x & 7))
    }
    return expected
  }
}

function chunkOf(png: Buffer, type: string): Buffer {
  for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at)) {
    if (png.toString('latin1', at + 4, at + 8) === type) return png.subarray(at + 8, at + 8 + png.readUInt32BE(at))
  }
  throw new Error(`there is no ${type}`)
}

test('files are as small as promised, and no larger than zlib by more than half', () => {
  const symbol = symbolOf('https://quirl.example/menu/summer-2026/table-12?utm_source=q')
  for (const [size, most] of [
    [512, 1024],
    [1024, 3 * 1024],
    [4096, 12 * 1024],
  ] as const) {
    const raster = rasterOf(symbol.size, { size, margin: 4 })
    const png = renderPng(symbol, raster, black)
    assert.ok(png.length <= most, `${png.length} bytes at ${size} px`)
    const packed = deflateSync(paintRows(symbol, raster), { level: 6 }).length
    assert.ok(png.length - 75 <= packed * 1.5, `${png.length} bytes at ${size} px, zlib makes ${packed}`)
  }
})

test('a density is written before the image data, in pixels per metre, and only if requested', () => {
  const symbol = symbolOf('some text')
  const raster = rasterOf(symbol.size, { size: 300, margin: 4 })
  const png = renderPng(symbol, raster, { ...black, dpi: 300 })
  const at = png.indexOf('pHYs')
  assert.ok(at > 0 && at < png.indexOf('IDAT'))
  assert.deepEqual([png.readUInt32BE(at + 4), png.readUInt32BE(at + 8), png[at + 12]], [11_811, 11_811, 1])
  assert.equal(renderPng(symbol, raster, black).indexOf('pHYs'), -1)
})
