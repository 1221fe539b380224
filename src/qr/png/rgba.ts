import { deflateSync } from 'node:zlib'
import { joinPng } from './png.ts'

const CHANNELS = 4
const UP = 2

/**
 * Encodes a PNG of eight bits a channel: red, green, blue, opacity. Transparent pixels are white, so that programs that
 * ignore opacity show dark on light.
 * @param pixels row by row, colours premultiplied by their opacity; modified in place
 */
export function renderRgbaPng(pixels: Uint8Array, width: number, height: number): Buffer {
  unpremultiply(pixels)
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Bit depth 8, colour type 6 (truecolour with alpha); compression, filter and interlace methods 0.
  header.set([8, 6, 0, 0, 0], 8)
  return joinPng([
    ['IHDR', header],
    ['IDAT', deflateSync(filterUp(pixels, width * CHANNELS, height))],
    ['IEND', Buffer.alloc(0)],
  ])
}

function unpremultiply(pixels: Uint8Array): void {
  for (let at = 0; at < pixels.length; at += CHANNELS) {
    const alpha = pixels[at + 3] ?? 0
    if (alpha === 0) pixels.fill(255, at, at + 3)
    else if (alpha < 255) {
      for (let each = at; each < at + 3; each++) pixels[each] = Math.min(255, ((pixels[each] ?? 0) * 255) / alpha)
    }
  }
}

/** Stores each row as the difference from the one above (ISO/IEC 15948, 9.2): the rows of a module are equal. */
function filterUp(pixels: Uint8Array, stride: number, height: number): Buffer {
  const rows = Buffer.allocUnsafe((1 + stride) * height)
  for (let y = 0, to = 0; y < height; y++) {
    rows[to++] = UP
    for (let at = y * stride, end = at + stride; at < end; at++) {
      rows[to++] = (pixels[at] ?? 0) - (y === 0 ? 0 : (pixels[at - stride] ?? 0))
    }
  }
  return rows
}
