/** The part of fontkit 2.0.4 that pages use; its package has no types. */
declare module 'fontkit' {
  export interface Glyph {
    id: number
    /** In units of the font, as all measures. */
    advanceWidth: number
    /** The y axis goes up. */
    path: { toSVG(): string }
  }

  export interface GlyphRun {
    glyphs: Glyph[]
    positions: { xAdvance: number }[]
    advanceWidth: number
  }

  /** The glyphs that texts use, as a font file of its own. */
  export interface Subset {
    /** @returns the glyph's number in the subset */
    includeGlyph(id: number): number
    encode(): Uint8Array
  }

  export interface Font {
    characterSet: number[]
    unitsPerEm: number
    ascent: number
    descent: number
    capHeight: number
    bbox: { minX: number; minY: number; maxX: number; maxY: number }
    getGlyph(id: number): Glyph
    layout(text: string, features: Record<string, boolean>): GlyphRun
    createSubset(): Subset
  }

  export function create(file: Uint8Array): Font
}
