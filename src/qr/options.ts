import { Type, type Static } from 'typebox'
import { invalidRequest } from '../http/problem.ts'
import { RULE } from '../http/validate.ts'
import { contrast, parseColor, type Color } from './color.ts'
import type { Level } from './matrix.ts'
import { rasterOf, type Raster } from './raster.ts'

export type Format = 'png' | 'svg'

const MAX_PNG_SIZE = 4096
const MAX_SVG_SIZE = 1_000_000
const MAX_DPI = 9600

/** Under this contrast ratio no scanner can tell the colours apart. */
const MIN_CONTRAST = 1.2
/** Under this one only good scanners in good light can. */
const GOOD_CONTRAST = 3

const hexDigits = '(?:[0-9A-Fa-f]{3}|[0-9A-Fa-f]{6}|[0-9A-Fa-f]{8})'

/** The parameters that every QR image takes. */
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
      description: 'Pixels an inch, which a PNG then carries: programs for print take its size from it.',
    }),
  ),
  fg: Type.Optional(
    Type.String({
      pattern: `^#?${hexDigits}$`,
      [RULE]: 'must be a colour: #rgb, #rrggbb or #rrggbbaa, with # written as %23 or left out',
      default: '#000000',
      description: 'Foreground colour.',
    }),
  ),
  bg: Type.Optional(
    Type.String({
      pattern: `^(?:#?${hexDigits}|transparent)$`,
      [RULE]: 'must be "transparent" or a colour: #rgb, #rrggbb or #rrggbbaa, with # written as %23 or left out',
      default: '#ffffff',
      description: 'Background colour, or `transparent`.',
    }),
  ),
}

/** The query of an image of a link. */
export const codeImageQuery = Type.Object(appearance)

/** The query of an image of any data. */
export const dataImageQuery = Type.Object({
  data: Type.String({
    minLength: 1,
    maxLength: 2953,
    description: 'What to encode: 1 to 2,953 bytes of UTF-8, fewer at higher levels.',
    examples: ['https://example.com/'],
  }),
  ...appearance,
  format: Type.Optional(Type.Enum(['png', 'svg'], { default: 'png' })),
  ecl: Type.Optional(
    Type.String({
      pattern: '^[LMQHlmqh]$',
      [RULE]: 'must be L, M, Q or H',
      default: 'M',
      description: 'Error-correction level: about 7, 15, 25 or 30 % of the symbol may be lost.',
    }),
  ),
  boost: Type.Optional(
    Type.Enum(['0', '1'], {
      default: '1',
      description: 'Whether to raise the level where that costs no larger symbol; the header `QR-Level` tells it.',
    }),
  ),
})

/** How an image is to look. */
export interface Look {
  format: Format
  /** Pixels of width and height. */
  size: number
  /** Modules of quiet zone, at least. */
  margin: number
  foreground: Color
  background: Color
  /** Pixels an inch, when the file is to say so. */
  dpi?: number
  /** Whether scanners may have trouble with the colours. */
  poor: boolean
}

/**
 * Completes the parameters of an image, which their schema has accepted one by one.
 * @throws {Problem} 400 for a size past the format's bound, or for colours that no scanner can tell apart
 */
export function readLook(query: Static<typeof codeImageQuery>, format: Format): Look {
  const { size = 512, margin = 4, fg = '#000000', bg = '#ffffff' } = query
  if (format === 'png' && size > MAX_PNG_SIZE) {
    throw invalidRequest([{ pointer: '/size', detail: `must be at most ${MAX_PNG_SIZE} for PNG` }])
  }
  const [foreground, background] = [parseColor(fg), parseColor(bg)]
  const { ratio, inverted } = contrast(foreground, background)
  if (ratio < MIN_CONTRAST) {
    const detail = `and bg have a contrast of ${ratio.toFixed(2)}:1, no scanner can tell them apart under ${MIN_CONTRAST}:1`
    throw invalidRequest([{ pointer: '/fg', detail }])
  }
  const poor = inverted || ratio < GOOD_CONTRAST
  return { format, size, margin, foreground, background, poor, ...(query.dpi !== undefined && { dpi: query.dpi }) }
}

export function readLevel(ecl = 'M'): Level {
  return ecl.toUpperCase() as Level
}

/**
 * Where the modules of a symbol lie in an image.
 * @throws {Problem} 400 with the smallest size that works
 */
export function place(modules: number, look: Pick<Look, 'size' | 'margin'>): Raster {
  const raster = rasterOf(modules, look)
  if (raster.scale > 0) return raster
  const needed = modules + 2 * look.margin
  throw invalidRequest([{ pointer: '/size', detail: `must be at least ${needed} for this data and margin` }])
}
