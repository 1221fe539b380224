import { contrastRatio, luminance, type Rgb } from '../lib/color.ts'

/** Red, green, blue and opacity, 0 to 255 each. */
export type Color = readonly [red: number, green: number, blue: number, alpha: number]

/** Parses `#rgb`, `#rrggbb` or `#rrggbbaa`, with or without the `#`, or `transparent`. The text must be valid. */
export function parseColor(text: string): Color {
  if (text === 'transparent') return [255, 255, 255, 0]
  const digits = text.replace('#', '')
  const long = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits
  const byte = (at: number) => Number.parseInt(long.slice(at, at + 2), 16)
  return [byte(0), byte(2), byte(4), long.length === 8 ? byte(6) : 255]
}

/** `#rrggbb`, without the opacity. */
export function hex([red, green, blue]: Color): string {
  return `#${[red, green, blue].map((part) => part.toString(16).padStart(2, '0')).join('')}`
}

/** The opacity for SVG, 0 to 1. */
export function opacity(color: Color): number {
  return Number((color[3] / 255).toFixed(4))
}

/** Below this contrast ratio no scanner can distinguish the colours. */
export const MIN_CONTRAST = 1.2
/** Below this one only good scanners in good light can. */
const GOOD_CONTRAST = 3

/** A contrast ratio (WCAG 2, 1 to 21), and whether the foreground is the lighter colour. */
export interface Contrast {
  ratio: number
  inverted: boolean
}

/** Whether many scanners cannot read such a code. */
export function isPoor({ ratio, inverted }: Contrast): boolean {
  return inverted || ratio < GOOD_CONTRAST
}

const white: Rgb = [255, 255, 255]

/** The contrast of two colours on white paper. */
export function contrast(foreground: Color, background: Color): Contrast {
  const paper = over(background, white)
  const ink = over(foreground, paper)
  return { ratio: contrastRatio(ink, paper), inverted: luminance(ink) > luminance(paper) }
}

function over([red, green, blue, alpha]: Color, below: Rgb): Rgb {
  const share = alpha / 255
  const mix = (top: number, bottom: number) => top * share + bottom * (1 - share)
  return [mix(red, below[0]), mix(green, below[1]), mix(blue, below[2])]
}
