import { decimal } from '../design/path.ts'
import type { Scene } from '../design/scene.ts'
import { placedLogo, sceneToSvg } from '../design/scene-svg.ts'
import type { Logo } from '../logo/logo.ts'
import { escapeXml } from '../xml.ts'
import { estimateWidth, type PrintFont, type PrintFonts } from './fonts.ts'
import type { Part, PrintPage, TextPart } from './page.ts'
import { isRightToLeft, type Face } from './set-text.ts'

/**
 * A font for pages that browsers print: a text with characters that the font lacks is measured by what fonts of other scripts take at
 * most, and the browser sets it with a font of its own.
 */
export function faceForBrowsers(font: PrintFont): Face {
  return {
    name: font.name,
    width: (text) => (font.missing(text).length === 0 ? font.width(text) : estimateWidth(text)),
  }
}

/**
 * A page as an SVG in millimetres, as a PDF file has it, without the marks for a cut. It shows the texts as outlines; those that the fonts
 * lack are texts, so that a browser prints them.
 */
export function pageToSvg(
  { template, faces }: PrintPage,
  scene: Scene,
  logo: Logo | undefined,
  fontOf: PrintFonts,
): string {
  const { width, height, folds } = template
  const code = sceneToSvg(scene).trim()
  const drawn = faces.map((face) => {
    const turn = face.isTurned ? `rotate(180 ${decimal(face.width / 2)} ${decimal(face.height / 2)})` : ''
    const parts = face.parts.map((part) => drawPart(part, { code, logo, fontOf }))
    return `<g transform="translate(${decimal(face.x)} ${decimal(face.y)})${turn}">${parts.join('')}</g>`
  })
  const lines = folds.map((y) => `<path class="page-fold" d="M0 ${y}H${width}"/>`)
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" class="page-sheet" lang="" viewBox="0 0 ${width} ${height}" ` +
    `width="${width}mm" height="${height}mm">${drawn.join('')}${lines.join('')}</svg>`
  )
}

interface Drawn {
  code: string
  logo: Logo | undefined
  fontOf: PrintFonts
}

function drawPart(part: Part, { code, logo, fontOf }: Drawn): string {
  if (part.kind === 'text') return drawText(part, fontOf(part.font))
  const place = (['x', 'y', 'width', 'height'] as const).map((name) => `${name}="${decimal(part[name])}"`).join(' ')
  if (part.kind === 'black') return `<rect ${place}/>`
  if (part.kind === 'logo') return logo === undefined ? '' : placedLogo(logo, place)
  return code.replace(/ width="\d+" height="\d+" /, ` ${place} `)
}

function drawText(part: TextPart, font: PrintFont): string {
  const { text, size, x, baseline, isWhite } = part
  const fill = isWhite ? ' fill="#fff"' : ''
  if (font.missing(text).length > 0) return textForBrowsers(part, fill)
  const { glyphs, positions } = font.run(text)
  const scale = size / font.parsed.unitsPerEm
  let left = 0
  const outlines = glyphs.map((glyph, at) => {
    const data = glyph.path.toSVG()
    const outline = data === '' ? '' : `<path transform="translate(${left})" d="${data}"/>`
    left += positions[at]?.xAdvance ?? 0
    return outline
  })
  const place = `translate(${decimal(x)} ${decimal(baseline)})scale(${scale.toFixed(6)} ${(-scale).toFixed(6)})`
  return `<g transform="${place}"${fill}><title>${escapeXml(text)}</title>${outlines.join('')}</g>`
}

/**
 * A text that the browser sets. Its font may be wider than any that was measured: `data-most` is what its line has, so that a script
 * may narrow it.
 */
function textForBrowsers({ text, font, size, x, width, most, align, baseline }: TextPart, fill: string): string {
  const weight = font.endsWith('Bold') ? ' font-weight="700"' : ''
  const family = font.startsWith('Roboto-Slab') ? 'serif' : 'sans-serif'
  const isFromRight = isRightToLeft(text)
  const direction = isFromRight ? ' direction="rtl"' : ''
  // The start of a text that is written from right to left is on its right.
  const [start, finish] = isFromRight ? ['end', 'start'] : ['start', 'end']
  const anchor = { left: start, middle: 'middle', right: finish }[align]
  const left = x + width * { left: 0, middle: 0.5, right: 1 }[align]
  const place = `x="${decimal(left)}" y="${decimal(baseline)}" text-anchor="${anchor}" data-most="${decimal(most)}"`
  return `<text ${place} font-family="${family}" font-size="${decimal(size)}"${weight}${direction}${fill}>${escapeXml(text)}</text>`
}
