import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { buffer } from 'node:stream/consumers'
import { inflateSync } from 'node:zlib'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader'

// By default, both packages would fetch their code from the network.
await initWasm(wasmOf('@resvg/resvg-wasm/index_bg.wasm'))
await prepareZXingModule({
  overrides: { wasmBinary: wasmOf('zxing-wasm/reader/zxing_reader.wasm') },
  fireImmediately: true,
})

function wasmOf(specifier: string): ArrayBuffer {
  return new Uint8Array(readFileSync(new URL(import.meta.resolve(specifier)))).buffer
}

/** A square of grey pixels, row by row, one byte each: 0 is black, 255 is white. */
export interface Bitmap {
  size: number
  pixels: Uint8Array
}

/** Nearest neighbour: each pixel becomes a square of `times` by `times`. */
export function enlarge(bitmap: Bitmap, times: number): Bitmap {
  if (times === 1) return bitmap
  const { size, pixels } = bitmap
  const wide = size * times
  const enlarged = new Uint8Array(wide * wide)
  for (let y = 0; y < size; y++) {
    const top = y * times * wide
    for (let x = 0; x < size; x++) {
      enlarged.fill(pixels[y * size + x] ?? 0, top + x * times, top + (x + 1) * times)
    }
    for (let repeat = 1; repeat < times; repeat++) enlarged.copyWithin(top + repeat * wide, top, top + wide)
  }
  return { size: wide, pixels: enlarged }
}

/** Encodes a simple image file (netpbm's `P5`) that both decoders read: the size, then the raw pixels. */
export function writePgm({ size, pixels }: Bitmap): Buffer {
  return Buffer.concat([Buffer.from(`P5\n${size} ${size}\n255\n`), pixels])
}

/** Draws an SVG at its own size. @throws if a pixel is anything but opaque black or white */
export function rasterize(svg: string): Bitmap {
  const tree = new Resvg(svg)
  const image = tree.render()
  const { width, height, pixels: rgba } = image
  image.free()
  tree.free()
  assert.equal(width, height)
  const view = new DataView(rgba.buffer, rgba.byteOffset, rgba.byteLength)
  const pixels = new Uint8Array(width * height)
  for (let at = 0; at < pixels.length; at++) {
    const color = view.getUint32(at * 4)
    if (color === 0xffffffff) pixels[at] = 255
    else if (color !== 0x000000ff) throw new Error(`pixel ${at} of the SVG is #${color.toString(16).padStart(8, '0')}`)
  }
  return { size: width, pixels }
}

/** A decoded PNG of palette colours, one bit per pixel. */
export interface Png {
  width: number
  height: number
  /** The types of the chunks, in their order. */
  chunks: string[]
  /** Red, green and blue of each colour. */
  palette: number[][]
  /** The opacity of each colour, where the file has any. */
  opacities: number[] | undefined
  /** The colour of each pixel, as its place in the palette, row by row. */
  indices: Uint8Array
}

/**
 * Takes a PNG apart by ISO/IEC 15948 and none of quirl's code: of the file's forms only palettes of one bit a pixel in rows
 * of the filters none and up, of its faults every one.
 */
export function readPng(file: Buffer): Png {
  assert.equal(file.subarray(0, 8).toString('latin1'), '\x89PNG\r\n\x1a\n', 'the signature')
  const chunks = [...chunksOf(file)]
  const types = chunks.map(({ type }) => type)
  const dataOf = (wanted: string) => chunks.find(({ type }) => type === wanted)?.data
  const header = dataOf('IHDR')
  assert.ok(header !== undefined && header.length === 13, 'the header')
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)]
  assert.deepEqual([...header.subarray(8)], [1, 3, 0, 0, 0], 'one bit a pixel, a palette, no interlacing')
  const colors = dataOf('PLTE') ?? Buffer.alloc(0)
  const packed = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map(({ data }) => data)))
  return {
    width,
    height,
    chunks: types,
    palette: Array.from({ length: colors.length / 3 }, (_, index) => [...colors.subarray(index * 3, index * 3 + 3)]),
    opacities: dataOf('tRNS')?.toJSON().data,
    indices: unpack(packed, width, height),
  }
}

/** The chunks of a PNG, after checking their checksums. */
function* chunksOf(file: Buffer): Generator<{ type: string; data: Buffer }> {
  for (let at = 8; at < file.length;) {
    const end = at + 8 + file.readUInt32BE(at)
    const type = file.toString('latin1', at + 4, at + 8)
    assert.equal(file.readUInt32BE(end), crc(file.subarray(at + 4, end)), `the checksum of ${type}`)
    yield { type, data: file.subarray(at + 8, end) }
    at = end + 4
  }
}

/** CRC-32 as annex D of ISO/IEC 15948 defines it, independent of the renderer's, which is node:zlib's. */
function crc(bytes: Buffer): number {
  let register = 0xffffffff
  for (const byte of bytes) {
    register ^= byte
    for (let bit = 0; bit < 8; bit++) register = (register >>> 1) ^ (register & 1 ? 0xedb88320 : 0)
  }
  return ~register >>> 0
}

function unpack(packed: Buffer, width: number, height: number): Uint8Array {
  const stride = Math.ceil(width / 8)
  assert.equal(packed.length, (1 + stride) * height, 'as many bytes as the rows have')
  const indices = new Uint8Array(width * height)
  let above = new Uint8Array(stride)
  for (let y = 0; y < height; y++) {
    const start = y * (1 + stride)
    const row = new Uint8Array(packed.subarray(start + 1, start + 1 + stride))
    const filter = packed[start]
    assert.ok(filter === 0 || filter === 2, `row ${y} has filter ${filter}`)
    if (filter === 2) for (let x = 0; x < stride; x++) row[x] = (row[x] ?? 0) + (above[x] ?? 0)
    for (let x = 0; x < width; x++) indices[y * width + x] = ((row[x >> 3] ?? 0) >> (7 - (x & 7))) & 1
    above = row
  }
  return indices
}

/** A QR code that zxing read in an image. */
export interface Reading {
  bytes: string
  text: string
  version: number
  level: string
  /** Whether the code is mirrored, which zxing can read, but not every scanner. */
  mirrored: boolean
  /** 1 where no error had to be corrected, 0 where no further one could have been. */
  unusedErrorCorrection: number
}

/** Every QR code that zxing finds in an image file, dark on light. */
export async function readWithZxing(file: Buffer): Promise<Reading[]> {
  const found = await readBarcodes(file, { formats: ['QRCode'], tryInvert: false })
  return found.map(({ bytes, text, version, ecLevel, isMirrored, extra }) => ({
    bytes: Buffer.from(bytes).toString('latin1'),
    text,
    version: Number(version),
    level: ecLevel,
    mirrored: isMirrored,
    unusedErrorCorrection: (JSON.parse(extra) as { UEC: number }).UEC,
  }))
}

/** Draws an SVG in grey on white, as an image file. */
export function photograph(svg: string): Buffer {
  const tree = new Resvg(svg, { background: '#fff' })
  const image = tree.render()
  const { width, height, pixels: rgba } = image
  image.free()
  tree.free()
  const gray = new Uint8Array(width * height)
  for (let at = 0; at < gray.length; at++) {
    gray[at] = 0.299 * (rgba[at * 4] ?? 0) + 0.587 * (rgba[at * 4 + 1] ?? 0) + 0.114 * (rgba[at * 4 + 2] ?? 0)
  }
  return Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), gray])
}

/** Draws the first page of a PDF at that resolution with poppler, as an image file. */
export async function printPdf(pdf: Uint8Array, dpi: number): Promise<Buffer> {
  const printer = spawn('pdftoppm', ['-r', String(dpi), '-gray', '-singlefile', '-'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  printer.stdin.end(pdf)
  return buffer(printer.stdout)
}

/** The pixels of an SVG, in the form that a designed PDF takes for a logo. */
export function logoPixels(svg: string): { width: number; height: number; rgba: Uint8Array } {
  const tree = new Resvg(svg)
  const image = tree.render()
  const { width, height } = image
  const rgba = Uint8Array.from(image.pixels)
  image.free()
  tree.free()
  return { width, height, rgba }
}
