import { readFileSync } from 'node:fs'
import type { Font as Parsed, GlyphRun } from 'fontkit'
import { createBoundedCache } from '../../lib/bounded-cache.ts'

/** The fonts of printed pages: WOFF files of Roboto, Roboto Slab and Roboto Condensed. They have Latin, Greek and Cyrillic letters. */
export const fontNames = [
  'Roboto-Bold',
  'Roboto-Regular',
  'Roboto-Slab-Bold',
  'Roboto-Slab-Regular',
  'Roboto-Condensed-Bold',
  'Roboto-Condensed-Regular',
] as const

export type FontName = (typeof fontNames)[number]

/** The height of a capital in all of them, for letters of size 1. */
export const CAPITAL = 0.711

/** A font that measures texts, and that pages embed or draw. */
export interface PrintFont {
  name: FontName
  /** The characters of a text that the font cannot set. */
  missing: (text: string) => string[]
  /** The width of a text of size 1, with kerning. */
  width: (text: string) => number
  /** The glyphs of a text, and where they stand. */
  run: (text: string) => GlyphRun
  parsed: Parsed
}

export type PrintFonts = (name: FontName) => PrintFont

/** Words and titles whose widths are kept, in bytes: they are measured again for each size that is tried. */
const CACHE_BYTES = 256 * 1024
const MAX_CACHED = 256
/** Without ligatures each character has a glyph of its own, so that what is copied out of a page is what was written. */
const ONE_EACH = { liga: false, ccmp: false }

/** Loads what reads fonts, and returns the fonts; each is read when it is first needed. */
export async function openPrintFonts(): Promise<PrintFonts> {
  const { create } = await import('fontkit')
  const fonts = new Map<FontName, PrintFont>()
  return (name) => {
    const known = fonts.get(name)
    if (known !== undefined) return known
    const font = createFont(name, create(readFileSync(new URL(`fonts/${name}.woff`, import.meta.url))))
    fonts.set(name, font)
    return font
  }
}

function createFont(name: FontName, parsed: Parsed): PrintFont {
  const characters = new Set(parsed.characterSet)
  const widths = createBoundedCache<number>(CACHE_BYTES)
  const run = (text: string) => parsed.layout(text, ONE_EACH)
  const measure = (text: string) => run(text).advanceWidth / parsed.unitsPerEm
  return {
    name,
    parsed,
    run,
    // The fonts say nothing of where a mark stands: letters with one are single characters.
    missing: (text) =>
      Array.from(text).filter((each) => !characters.has(each.codePointAt(0) ?? 0) || /\p{M}/u.test(each)),
    width(text) {
      if (text.length > MAX_CACHED) return measure(text)
      const known = widths.get(text)
      if (known !== undefined) return known
      const width = measure(text)
      widths.set(text, width, 64 + 2 * text.length)
      return width
    },
  }
}

/** What a character of a script takes at most in common fonts, for letters of size 1. */
const estimates: [RegExp, number][] = [
  [/^\p{M}|\u200d/u, 0],
  [/\p{Extended_Pictographic}|\p{Regional_Indicator}/u, 1.4],
  [/\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|[\u3000-\u303f\uff00-\uff60]/u, 1.05],
  [/\s/, 0.35],
  // One character that is a whole sentence, or a line.
  [/\ufdfd/, 12],
  [/[\ufdf0-\ufdfc]|[\u2e3a\u2e3b]/, 3.1],
]
const OTHERS = 0.95

/** The width of a text of size 1 in a font that is not known, no less than what common ones take. */
export function estimateWidth(text: string): number {
  return Array.from(text).reduce(
    (sum, character) => sum + (estimates.find(([pattern]) => pattern.test(character))?.[1] ?? OTHERS),
    0,
  )
}
