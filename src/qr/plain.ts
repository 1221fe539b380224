import type { EncodeOptions } from './encoder/encoder.ts'
import type { EncodeText, Level } from './matrix.ts'
import type { DesignJob } from './design/job.ts'
import { place, readAppearance, type Appearance } from './options.ts'
import { renderPng } from './png/png.ts'
import { renderSvg } from './svg.ts'

/** An image without a design to draw. */
export interface PlainJob {
  text: string
  appearance: Appearance
  options: EncodeOptions
}

export interface PlainImage {
  body: Uint8Array
  level: Level
}

/** Converts a request for a designed image to one for a plain image; undefined when it has a design, or is a PDF. */
export function plainOf({ text, design, format, size, dpi, level = 'M', boost }: DesignJob): PlainJob | undefined {
  if (format === 'pdf' || Object.keys(design).length > 0) return undefined
  const appearance = readAppearance({ size, ...(dpi !== undefined && { dpi }) }, format)
  return { text, appearance, options: { level, ...(boost !== undefined && { boost }) } }
}

/**
 * Draws an image of two colours.
 * @throws {Problem} 400 when the data or the size do not fit
 */
export function drawPlain(encode: EncodeText, { text, appearance, options }: PlainJob): PlainImage {
  const symbol = encode(text, options)
  const raster = place(symbol.size, appearance)
  const body =
    appearance.format === 'png'
      ? renderPng(symbol, raster, appearance)
      : Buffer.from(renderSvg(symbol, raster, appearance, text))
  return { body, level: symbol.level }
}
