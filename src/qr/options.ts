import { Type, type Static } from '#typebox'
import { invalidRequest } from '../http/problem.ts'
import { RULE } from '../http/validate.ts'
import { contrast, isPoor, MIN_CONTRAST, parseColor, type Color } from './color.ts'
import { inkColor, paperColor } from './design/schema.ts'
import { papers, type Paper } from './design/sheet-pdf.ts'
import type { Level } from './matrix.ts'
import { rasterOf, type Raster } from './raster.ts'

export type Format = 'png' | 'svg'

export const MAX_PNG_SIZE = 4096
export const MAX_SVG_SIZE = 1_000_000
export const MAX_DPI = 9600

/** Parameters of every QR image. */
const appearance = {
  size: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_SVG_SIZE,
      default: 512,
      description: 'Width and height in pixels: up to 4096 for PNG, up to 1,000,000 for SVG.',
    }),
  ),
  margin: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 16, default: 4, description: 'Quiet zone in modules, at least.' }),
  ),
  dpi: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_DPI,
      description: 'Pixels per inch, for the metadata of a PNG: print programs derive the size from it.',
    }),
  ),
  fg: Type.Optional(inkColor('Foreground colour (`#000000`); `#` may be omitted, or is encoded as `%23`.')),
  bg: Type.Optional(paperColor('Background colour (`#ffffff`), or `transparent`.')),
}

/** The place of a code. */
export const placementParameter = Type.Optional(
  Type.String({
    maxLength: 32,
    description: 'The id of one of `placements`: the code of this place, whose scans the statistics count apart.',
  }),
)

/** The query of an image of a link. */
export const codeImageQuery = Type.Object({
  ...appearance,
  compact: Type.Optional(
    Type.Enum(['0', '1'], {
      default: '0',
      description: 'Encodes the URL in capitals, which take fewer modules. It leads to the same destination.',
    }),
  ),
  placement: placementParameter,
})

const width = { minimum: 5, maximum: 2000 }

/** The query of an SVG of a link. */
export const codeSvgQuery = Type.Object({
  ...codeImageQuery.properties,
  width_mm: Type.Optional(
    Type.Number({ ...width, description: 'Width in millimetres, as print programs take it; without it, in pixels.' }),
  ),
})

/** The query of a PDF of a link. */
export const codePdfQuery = Type.Object({
  ...codeImageQuery.properties,
  width_mm: Type.Optional(Type.Number({ ...width, default: 50, description: 'Width in millimetres.' })),
  sheet: Type.Optional(
    Type.Enum(Object.keys(papers) as Paper[], {
      description: 'Fills a sheet of this paper with copies, as many as fit, with cut marks.',
    }),
  ),
})

export const NOT_UNICODE = 'must be well-formed Unicode, without lone surrogates'

export const DATA_PARAMETER = Type.String({
  minLength: 1,
  maxLength: 2953,
  pattern: '^\\P{Cs}*$',
  [RULE]: NOT_UNICODE,
  description: 'The text to encode: 1 to 2,953 bytes of UTF-8, fewer at higher levels.',
  examples: ['https://example.com/'],
})

/** The query of an image of any data. */
export const dataImageQuery = Type.Object({
  data: DATA_PARAMETER,
  ...appearance,
  format: Type.Optional(Type.Enum(['png', 'svg'], { default: 'png' })),
  ecl: Type.Optional(
    Type.String({
      pattern: '^[LMQHlmqh]$',
      [RULE]: 'must be L, M, Q or H',
      default: 'M',
      description: 'Error-correction level: about 7, 15, 25 or 30% of the symbol may be damaged.',
    }),
  ),
  boost: Type.Optional(
    Type.Enum(['0', '1'], {
      default: '1',
      description:
        'Whether to raise the level where that needs no larger symbol; the header `QR-Level` has the result.',
    }),
  ),
})

/** The appearance of a plain image. */
export interface Appearance {
  format: Format
  /** Pixels of width and height. */
  size: number
  /** Modules of quiet zone, at least. */
  margin: number
  foreground: Color
  background: Color
  /** Pixels per inch, for the metadata of the file. */
  dpi?: number
  /** Whether the colours are hard to scan. */
  poor: boolean
}

/**
 * Completes the parameters of an image, each of which its schema has accepted.
 * @throws {Problem} 400 for a size past the bound of the format, or for too little contrast
 */
export function readAppearance(query: Static<typeof codeImageQuery>, format: Format): Appearance {
  const { size = 512, margin = 4, fg = '#000000', bg = '#ffffff' } = query
  requireSize(size, format)
  const [foreground, background] = [parseColor(fg), parseColor(bg)]
  const between = contrast(foreground, background)
  const { ratio } = between
  if (ratio < MIN_CONTRAST) {
    const detail = `has a contrast of ${ratio.toFixed(2)}:1 to bg; no scanner can distinguish them below ${MIN_CONTRAST}:1`
    throw invalidRequest([{ pointer: '/fg', detail }])
  }
  const poor = isPoor(between)
  return { format, size, margin, foreground, background, poor, ...(query.dpi !== undefined && { dpi: query.dpi }) }
}

/**
 * Limits the pixels of a PNG, which cost memory; vectors do not.
 * @throws {Problem} 400
 */
export function requireSize(size: number, format: string): void {
  if (format !== 'png' || size <= MAX_PNG_SIZE) return
  throw invalidRequest([{ pointer: '/size', detail: `must be at most ${MAX_PNG_SIZE} for PNG` }])
}

export function readLevel(ecl = 'M'): Level {
  return ecl.toUpperCase() as Level
}

/**
 * The position of a symbol's modules in an image.
 * @throws {Problem} 400 with the smallest size that works
 */
export function place(modules: number, appearance: Pick<Appearance, 'size' | 'margin'>): Raster {
  const raster = rasterOf(modules, appearance)
  if (raster.scale > 0) return raster
  const needed = modules + 2 * appearance.margin
  throw invalidRequest([{ pointer: '/size', detail: `must be at least ${needed} for this data and margin` }])
}
