import { type Color, hex, opacity } from './color.ts'
import type { QrSymbol } from './encoder/encoder.ts'
import { traceOutline } from './outline.ts'
import type { Raster } from './raster.ts'
import { escapeXml } from './xml.ts'

/** The colours of an image. */
export interface Paint {
  foreground: Color
  background: Color
}

/**
 * Renders an SVG whose dark modules are one path, in units of modules, on whole pixels. It has no scripts or references.
 * @param text the encoded text, for screen readers
 */
export function renderSvg(
  symbol: QrSymbol,
  { size, scale, offset }: Raster,
  { foreground, background }: Paint,
  text: string,
): string {
  const paper = background[3] === 0 ? '' : `<path ${fill(background)} d="M0 0h${size}v${size}H0z"/>`
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="0 0 ${size} ${size}" ` +
    `shape-rendering="crispEdges" role="img"><title>QR code</title><desc>${escapeXml(text)}</desc>${paper}` +
    `<path ${fill(foreground)} fill-rule="evenodd" transform="translate(${offset} ${offset})scale(${scale})" ` +
    `d="${traceOutline(symbol)}"/></svg>\n`
  )
}

function fill(color: Color): string {
  return `fill="${hex(color)}"${color[3] === 255 ? '' : ` fill-opacity="${opacity(color)}"`}`
}
