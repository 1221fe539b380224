import type { Subset } from 'fontkit'
import { decimal } from '../design/path.ts'
import type { PdfFile } from '../design/pdf-file.ts'
import type { PrintFont } from './fonts.ts'

/** A text as the glyphs of a font, by their numbers in it: plain data, which threads can send each other. */
export interface GlyphLine {
  text: string
  glyphs: Uint16Array
  /** By how much the next glyph stands nearer than the width of each, in units of the font. */
  nearer: Int16Array
}

/** The fonts of a PDF file: each is embedded with the glyphs that its texts have used (ISO 32000-1, 9.6.6 and 9.7). */
export interface EmbeddedFonts {
  /**
   * The operators that show a text, with its kerning.
   * @param at in the page's units, the y axis downwards
   */
  show: (font: PrintFont, line: GlyphLine, at: { x: number; baseline: number; size: number }) => string
  /** Adds the fonts to the file, after all texts. @returns the entry of the resources of each page, with its name */
  embed: () => string
}

/** A font of the file: the glyphs that its texts have used, numbered in their order. */
interface Used {
  name: string
  font: PrintFont
  subset: Subset
  /** Of each glyph: its width in thousandths, and the character that it stands for first. */
  glyphs: Map<number, { width: number; character: string }>
}

export function createEmbeddedFonts(pdf: PdfFile): EmbeddedFonts {
  const fonts = new Map<string, Used>()
  const use = (font: PrintFont) => {
    const known = fonts.get(font.name)
    if (known !== undefined) return known
    const used = { name: `F${fonts.size}`, font, subset: font.parsed.createSubset(), glyphs: new Map() }
    fonts.set(font.name, used)
    return used
  }
  return {
    show(font, line, { x, baseline, size }) {
      const used = use(font)
      return `BT /${used.name} 1 Tf ${[size, 0, 0, -size, x, baseline].map(decimal).join(' ')} Tm ${shown(used, line)} TJ ET`
    },
    embed() {
      if (fonts.size === 0) return ''
      return `/Font<<${[...fonts.values()].map((used) => `/${used.name} ${embedFont(pdf, used)}`).join('')}>>`
    },
  }
}

export function lineOf(font: PrintFont, text: string): GlyphLine {
  const { glyphs, positions } = font.run(text)
  return {
    text,
    glyphs: Uint16Array.from(glyphs, ({ id }) => id),
    nearer: Int16Array.from(glyphs, ({ advanceWidth }, at) => advanceWidth - (positions[at]?.xAdvance ?? advanceWidth)),
  }
}

/** An array for the operator TJ: glyphs in hexadecimal, and by how many thousandths the next one stands further left. */
function shown({ font: { parsed }, subset, glyphs }: Used, line: GlyphLine): string {
  const scale = 1000 / parsed.unitsPerEm
  const characters = Array.from(line.text)
  let array = ''
  let hex = ''
  for (const [at, glyph] of line.glyphs.entries()) {
    const id = subset.includeGlyph(glyph)
    if (!glyphs.has(id))
      glyphs.set(id, { width: parsed.getGlyph(glyph).advanceWidth * scale, character: characters[at] ?? '' })
    hex += hexOf(id)
    const nearer = (line.nearer[at] ?? 0) * scale
    if (Math.abs(nearer) < 0.5) continue
    array += `<${hex}>${decimal(nearer)}`
    hex = ''
  }
  return `[${array}${hex === '' ? '' : `<${hex}>`}]`
}

function hexOf(id: number): string {
  return id.toString(16).toUpperCase().padStart(4, '0')
}

/** Six capitals, from the glyphs, begin the name of a subset (9.6.4). */
function tagOf(glyphs: Used['glyphs']): string {
  let sum = glyphs.size
  for (const [id, { character }] of glyphs) sum = (sum * 31 + id + (character.codePointAt(0) ?? 0)) % 26 ** 6
  return Array.from({ length: 6 }, (_, at) => String.fromCodePoint(65 + (Math.floor(sum / 26 ** at) % 26))).join('')
}

function embedFont(pdf: PdfFile, { font: { name, parsed }, subset, glyphs }: Used): string {
  const scale = 1000 / parsed.unitsPerEm
  const base = `${tagOf(glyphs)}+${name}`
  const bytes = Buffer.from(subset.encode())
  const file = pdf.addStream(`/Length1 ${bytes.length}`, bytes)
  const { minX, minY, maxX, maxY } = parsed.bbox
  const box = [minX, minY, maxX, maxY].map((each) => decimal(each * scale)).join(' ')
  const [ascent, descent, capital] = [parsed.ascent, parsed.descent, parsed.capHeight].map((each) =>
    decimal(each * scale),
  )
  // 4: its glyphs are not those of the standard Latin set alone. The thickness of stems is unknown, which 0 says.
  const descriptor = pdf.add(
    `<</Type/FontDescriptor/FontName/${base}/Flags 4/FontBBox[${box}]/ItalicAngle 0/Ascent ${ascent}/Descent ${descent}` +
      `/CapHeight ${capital}/StemV 0/FontFile2 ${file}>>`,
  )
  const widths = [...glyphs].map(([id, { width }]) => `${id}[${decimal(width)}]`).join('')
  const descendant = pdf.add(
    `<</Type/Font/Subtype/CIDFontType2/BaseFont/${base}/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)/Supplement 0>>` +
      `/FontDescriptor ${descriptor}/CIDToGIDMap/Identity/W[${widths}]>>`,
  )
  const unicode = pdf.addStream('', Buffer.from(toUnicode(glyphs), 'latin1'))
  return pdf.add(
    `<</Type/Font/Subtype/Type0/BaseFont/${base}/Encoding/Identity-H/DescendantFonts[${descendant}]/ToUnicode ${unicode}>>`,
  )
}

/** Entries that one block may have (Adobe's technical note 5411). */
const BLOCK = 100

/** The character of each glyph, so that a text can be searched and copied (9.10.3). */
function toUnicode(glyphs: Used['glyphs']): string {
  const entries = [...glyphs].map(([id, { character }]) => {
    const text = Buffer.from(character, 'utf16le').swap16()
    return `<${hexOf(id)}> <${text.toString('hex').toUpperCase()}>`
  })
  const blocks = Array.from({ length: Math.ceil(entries.length / BLOCK) }, (_, at) => {
    const some = entries.slice(at * BLOCK, (at + 1) * BLOCK)
    return `${some.length} beginbfchar\n${some.join('\n')}\nendbfchar`
  })
  return [
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap',
    '/CIDSystemInfo <</Registry (Adobe) /Ordering (UCS) /Supplement 0>> def',
    '/CMapName /Adobe-Identity-UCS def /CMapType 2 def',
    '1 begincodespacerange <0000> <FFFF> endcodespacerange',
    ...blocks,
    'endcmap CMapName currentdict /CMap defineresource pop end end',
  ].join('\n')
}
