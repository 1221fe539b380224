import { encodeWithLogo } from '../../qr/design/logo-placement.ts'
import { createReadOnce, readLogo } from '../../qr/logo/logo.ts'
import type { Font } from '../../qr/design/font.ts'
import { composeScene } from '../../qr/design/scene.ts'
import { sceneToSvg } from '../../qr/design/scene-svg.ts'
import type { Design } from '../../qr/design/schema.ts'
import { readStyle } from '../../qr/design/style.ts'
import { createEncodeText, type QrSymbol } from '../../qr/matrix.ts'
import { rasterOf } from '../../qr/raster.ts'
import { renderSvg } from '../../qr/svg.ts'

/** Pixels of width: the default size of a link's image. */
const SIZE = 512

/**
 * Draws the code of a text with a design as an SVG, byte for byte as the server does.
 * @throws {Problem} when the server would refuse the design without decoding its image
 */
export type DrawDesign = (text: string, design: Design, font: Font) => string

export function createDrawDesign(): DrawDesign {
  const encode = createEncodeText()
  const readOnce = createReadOnce((dataUri) => readLogo(dataUri))
  return (text, design, font) => {
    if (Object.keys(design).length === 0) return drawPlain(encode(text, { level: 'M' }), text)
    const style = readStyle(design, '/design', { font, readLogo: readOnce })
    const marked = encodeWithLogo(encode, text, style, { boost: true, at: '/design' })
    return sceneToSvg(composeScene(marked, style, { size: SIZE, text, font }))
  }
}

/** Draws the image of a link without a design. */
function drawPlain(symbol: QrSymbol, text: string): string {
  const raster = rasterOf(symbol.size, { size: SIZE, margin: 4 })
  return renderSvg(symbol, raster, { foreground: [0, 0, 0, 255], background: [255, 255, 255, 255] }, text)
}
