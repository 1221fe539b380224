import { encodeAround } from '../../qr/design/logo-place.ts'
import { createReadOnce, readLogo } from '../../qr/logo/logo.ts'
import type { Font } from '../../qr/design/font.ts'
import { composeScene } from '../../qr/design/scene.ts'
import { sceneToSvg } from '../../qr/design/scene-svg.ts'
import type { Design } from '../../qr/design/schema.ts'
import { readStyle } from '../../qr/design/style.ts'
import { createEncodeText, type QrSymbol } from '../../qr/matrix.ts'
import { rasterOf } from '../../qr/raster.ts'
import { renderSvg } from '../../qr/svg.ts'

/** Pixels of width; the same that the image of a link has when nothing else is asked for. */
const SIZE = 512

/**
 * Draws a design as the server does, byte for byte.
 * @throws {Problem} for what the server would refuse without looking at the image
 */
export type DrawPicture = (design: Design, font: Font) => string

/** @param text what the image says */
export function createDrawPicture(text: string): DrawPicture {
  const encode = createEncodeText()
  const readOnce = createReadOnce((dataUri) => readLogo(dataUri))
  return (design, font) => {
    if (Object.keys(design).length === 0) return drawPlain(encode(text, { level: 'M' }), text)
    const style = readStyle(design, '/design', { font, readLogo: readOnce })
    const marked = encodeAround(encode, text, style, { boost: true, at: '/design' })
    return sceneToSvg(composeScene(marked, style, { size: SIZE, text, font }))
  }
}

/** As it is without a design. */
function drawPlain(symbol: QrSymbol, text: string): string {
  const raster = rasterOf(symbol.size, { size: SIZE, margin: 4 })
  return renderSvg(symbol, raster, { foreground: [0, 0, 0, 255], background: [255, 255, 255, 255] }, text)
}
