import assert from 'node:assert/strict'
import { test } from 'node:test'
import { deflateSync, inflateSync } from 'node:zlib'
import { fc } from '../../../test/support/fast-check.ts'
import { createEncoder } from '../encoder/encoder.ts'
import { rasterOf } from '../raster.ts'
import { deflateTokens } from './deflate.ts'
import { huffmanCodes } from './huffman.ts'
import { renderPng } from './png.ts'
import { paintRows, tokenizeRows } from './rows.ts'
import { createTokenWriter } from './tokens.ts'

const encode = createEncoder()
const black = { foreground: [0, 0, 0, 255], background: [255, 255, 255, 255] } as const

function symbolOf(text: string, minVersion = 1) {
  const symbol = encode(Buffer.from(text), { level: 'L', minVersion })
  assert.ok(symbol)
  return symbol
}

test('the stream written from modules decompresses to the painted rows, at any size', () => {
  const image = fc
    .record({ version: fc.integer({ min: 1, max: 40 }), margin: fc.nat(16), extra: fc.nat(1400) })
    .map(({ version, margin, extra }) => {
      const symbol = symbolOf('some text', version)
      return { symbol, raster: rasterOf(symbol.size, { size: symbol.size + 2 * margin + extra, margin }) }
    })
  fc.assert(
    fc.property(image, ({ symbol, raster }) => {
      const { tokens, adler } = tokenizeRows(symbol, raster)
      const rows = paintRows(symbol, raster)
      assert.ok(inflateSync(deflateTokens(tokens, adler())).equals(rows), `${symbol.size} modules, ${raster.size} px`)
    }),
    { numRuns: 300 },
  )
})

test('the largest images decompress to the painted rows as well', () => {
  for (const [version, size] of [
    [1, 4096],
    [4, 4096],
    [40, 4096],
    [1, 4095],
    [5, 2049],
  ] as const) {
    const symbol = symbolOf('some text', version)
    const raster = rasterOf(symbol.size, { size, margin: 4 })
    const { tokens, adler } = tokenizeRows(symbol, raster)
    assert.ok(inflateSync(deflateTokens(tokens, adler())).equals(paintRows(symbol, raster)), `${version} at ${size}`)
  }
})

test('runs and repeated rows of every length decompress correctly, checksum included', () => {
  for (let length = 1; length < 1100; length++) {
    const writer = createTokenWriter()
    writer.run(7, 2)
    writer.run(0, length)
    writer.run(255, 1)
    writer.run(2, 1)
    writer.run(0, 4)
    writer.repeatRow(5, 2, length % 300)
    const expected = [
      [7, 7],
      Array(length).fill(0),
      [255],
      ...Array.from({ length: 1 + (length % 300) }, () => [2, 0, 0, 0, 0]),
    ].flat()
    assert.deepEqual([...inflateSync(deflateTokens(writer.tokens, writer.adler()))], expected)
  }
})

test('codes stay within their length limit for any frequencies, and none is a prefix of another', () => {
  const fibonacci = new Uint32Array(30)
  for (let at = 0; at < 30; at++) fibonacci[at] = at < 2 ? 1 : (fibonacci[at - 1] ?? 0) + (fibonacci[at - 2] ?? 0)
  for (const longest of [7, 15]) {
    const { lengths } = huffmanCodes(fibonacci, longest)
    assert.ok(lengths.every((length) => length > 0 && length <= longest))
    // Kraft: a complete code fills the whole tree.
    assert.equal(
      lengths.reduce((sum, length) => sum + 2 ** -length, 0),
      1,
    )
  }
})

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
