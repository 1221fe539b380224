import type { EncodeOptions } from './encoder/encoder.ts'
import type { EncodeText, Level } from './matrix.ts'
import type { DesignJob } from './design/job.ts'
import { place, readLook, type Look } from './options.ts'
import { renderPng } from './png/png.ts'
import { renderSvg } from './svg.ts'

/** An image without a design that is to be drawn. */
export interface PlainJob {
  text: string
  look: Look
  options: EncodeOptions
}

export interface PlainImage {
  body: Uint8Array
  level: Level
}

/** An image that is asked for like a designed one, but without a design, as the plain one that it is. */
export function plainOf({ text, design, format, size, dpi, level = 'M', boost }: DesignJob): PlainJob | undefined {
  if (format === 'pdf' || Object.keys(design).length > 0) return undefined
  const look = readLook({ size, ...(dpi !== undefined && { dpi }) }, format)
  return { text, look, options: { level, ...(boost !== undefined && { boost }) } }
}

/**
 * Draws a symbol of two colours.
 * @throws {Problem} 400 when the data or the size do not fit
 */
export function drawPlain(encode: EncodeText, { text, look, options }: PlainJob): PlainImage {
  const symbol = encode(text, options)
  const raster = place(symbol.size, look)
  const body =
    look.format === 'png' ? renderPng(symbol, raster, look) : Buffer.from(renderSvg(symbol, raster, look, text))
  return { body, level: symbol.level }
}
