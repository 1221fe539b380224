// The part of opentype.js 2 that quirl uses; the published types are of version 1 and include the browser's types.
declare module 'opentype.js' {
  export type PathCommand =
    | { type: 'M' | 'L'; x: number; y: number }
    | { type: 'Q'; x1: number; y1: number; x: number; y: number }
    | { type: 'C' }
    | { type: 'Z' }

  interface Path {
    commands: PathCommand[]
    getBoundingBox(): Record<'x1' | 'y1' | 'x2' | 'y2', number>
  }

  export interface Font {
    unitsPerEm: number
    hasChar(letter: string): boolean
    /** The path is in units of the font, the y axis upwards. */
    charToGlyph(letter: string): { advanceWidth: number; path: Path }
    getPath(text: string, x: number, y: number, fontSize: number, options: { kerning: boolean; features: object }): Path
  }

  const opentype: { parse(file: ArrayBuffer): Font }
  // oxlint-disable-next-line import/no-default-export -- the package has only a default export
  export default opentype
}
