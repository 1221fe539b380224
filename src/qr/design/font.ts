import { close, curveTo, lineTo, moveTo, type Path } from './path.ts'
import { readWoff, type Inflate } from './woff.ts'

/** A font whose letters are drawn as shapes, so that an image looks the same wherever it is opened. */
export interface Font {
  /** The characters of a text that the font has no letter for. */
  missing: (text: string) => string[]
  /** The width of a text of height 1. */
  width: (text: string) => number
  /** Adds the letters of a text: from `x` to the right, standing on `y`, capitals `height * 0.71` high. */
  draw: (path: Path, text: string, at: { x: number; y: number; height: number }) => void
}

/** The tables of a TrueType font (OpenType specification 1.9) that outlines and widths need. */
interface Tables {
  glyphs: DataView
  /** Where each glyph starts in `glyphs`. */
  offsets: number[]
  advances: DataView
  advanceCount: number
  unitsPerEm: number
}

/** Reads a WOFF file. */
export async function readFont(file: Uint8Array<ArrayBuffer>, inflate: Inflate): Promise<Font> {
  const tables = await readWoff(file, inflate)
  const table = (name: string) => {
    const data = tables.get(name)
    if (data === undefined) throw new Error(`the font has no table ${name}`)
    return data
  }
  const glyphOf = readCharacterMap(table('cmap'))
  const [head, places] = [table('head'), table('loca')]
  const isLong = head.getInt16(50) === 1
  const font: Tables = {
    glyphs: table('glyf'),
    offsets: Array.from({ length: table('maxp').getUint16(4) + 1 }, (_, at) =>
      isLong ? places.getUint32(at * 4) : places.getUint16(at * 2) * 2,
    ),
    advances: table('hmtx'),
    advanceCount: table('hhea').getUint16(34),
    unitsPerEm: head.getUint16(18),
  }
  const glyphsOf = (text: string) => Array.from(text, (character) => glyphOf(character.codePointAt(0) ?? 0))
  return {
    missing: (text) => Array.from(text).filter((character) => glyphOf(character.codePointAt(0) ?? 0) === 0),
    width: (text) => glyphsOf(text).reduce((sum, glyph) => sum + advanceOf(font, glyph), 0) / font.unitsPerEm,
    draw(path, text, { x, y, height }) {
      const scale = height / font.unitsPerEm
      let left = x
      for (const glyph of glyphsOf(text)) {
        drawGlyph(font, glyph, path, [scale, 0, 0, -scale, left, y])
        left += advanceOf(font, glyph) * scale
      }
    },
  }
}

function advanceOf({ advances, advanceCount }: Tables, glyph: number): number {
  return advances.getUint16(Math.min(glyph, advanceCount - 1) * 4)
}

/** Reads the table of format 4, which every font has for the Basic Multilingual Plane. */
function readCharacterMap(cmap: DataView): (codePoint: number) => number {
  const count = cmap.getUint16(2)
  const starts = Array.from({ length: count }, (_, at) => cmap.getUint32(8 + at * 8))
  const start = starts.find((offset) => cmap.getUint16(offset) === 4)
  if (start === undefined) throw new Error('the font has no character map of format 4')
  const segments = cmap.getUint16(start + 6) / 2
  const field = (column: number, segment: number) =>
    start + 14 + column * segments * 2 + segment * 2 + (column > 0 ? 2 : 0)
  return (codePoint) => {
    for (let segment = 0; segment < segments; segment++) {
      if (codePoint > cmap.getUint16(field(0, segment))) continue
      const first = cmap.getUint16(field(1, segment))
      if (codePoint < first) return 0
      const delta = cmap.getUint16(field(2, segment))
      const range = cmap.getUint16(field(3, segment))
      if (range === 0) return (codePoint + delta) & 0xffff
      const glyph = cmap.getUint16(field(3, segment) + range + (codePoint - first) * 2)
      return glyph === 0 ? 0 : (glyph + delta) & 0xffff
    }
    return 0
  }
}

/** From the font's units to ours: x' = a x + c y + e, y' = b x + d y + f. */
type Transform = readonly [a: number, b: number, c: number, d: number, e: number, f: number]

function drawGlyph(font: Tables, glyph: number, path: Path, transform: Transform): void {
  const [start = 0, end = 0] = [font.offsets[glyph], font.offsets[glyph + 1]]
  if (end === start) return
  const data = new DataView(font.glyphs.buffer, font.glyphs.byteOffset + start, end - start)
  const contours = data.getInt16(0)
  if (contours < 0) drawParts(font, data, path, transform)
  else for (const contour of readContours(data, contours)) drawContour(contour, path, transform)
}

// Flags of a part of a composite glyph ("glyf", component glyph flags).
const ARE_WORDS = 0x1
const HAS_SCALE = 0x8
const MORE = 0x20
const HAS_TWO_SCALES = 0x40
const HAS_MATRIX = 0x80

/** A letter with an accent is made of two glyphs, each moved to its place. */
function drawParts(font: Tables, data: DataView, path: Path, [a, b, c, d, e, f]: Transform): void {
  let at = 10
  let flags = MORE
  while (flags & MORE) {
    flags = data.getUint16(at)
    const glyph = data.getUint16(at + 2)
    const isWide = (flags & ARE_WORDS) !== 0
    const [x, y] = isWide
      ? [data.getInt16(at + 4), data.getInt16(at + 6)]
      : [data.getInt8(at + 4), data.getInt8(at + 5)]
    at += isWide ? 8 : 6
    // None of the letters that we draw is scaled as a part; were one, it would keep its own size.
    if (flags & HAS_SCALE) at += 2
    else if (flags & HAS_TWO_SCALES) at += 4
    else if (flags & HAS_MATRIX) at += 8
    drawGlyph(font, glyph, path, [a, b, c, d, e + a * x + c * y, f + b * x + d * y])
  }
}

interface ContourPoint {
  x: number
  y: number
  /** Whether the edge passes through it, or is only drawn towards it. */
  on: boolean
}

// Flags of a point of a simple glyph.
const ON_CURVE = 0x1
const REPEATED = 0x8
const SHORT = { x: 0x2, y: 0x4 }
const SAME_OR_POSITIVE = { x: 0x10, y: 0x20 }

function readContours(data: DataView, count: number): ContourPoint[][] {
  const ends = Array.from({ length: count }, (_, at) => data.getUint16(10 + at * 2))
  const total = (ends.at(-1) ?? -1) + 1
  let at = 10 + count * 2
  at += 2 + data.getUint16(at)
  const flags: number[] = []
  while (flags.length < total) {
    const flag = data.getUint8(at++)
    const times = flag & REPEATED ? data.getUint8(at++) : 0
    for (let each = 0; each <= times; each++) flags.push(flag)
  }
  const readAxis = (axis: 'x' | 'y') => {
    let value = 0
    return flags.map((flag) => {
      const isSet = (flag & SAME_OR_POSITIVE[axis]) !== 0
      if (flag & SHORT[axis]) value += isSet ? data.getUint8(at++) : -data.getUint8(at++)
      else if (!isSet) {
        value += data.getInt16(at)
        at += 2
      }
      return value
    })
  }
  const [xs, ys] = [readAxis('x'), readAxis('y')]
  const points = flags.map((flag, index) => ({ x: xs[index] ?? 0, y: ys[index] ?? 0, on: (flag & ON_CURVE) !== 0 }))
  return ends.map((end, index) => points.slice(index === 0 ? 0 : (ends[index - 1] ?? 0) + 1, end + 1))
}

/** Between two points off the edge there is one on it, half-way. */
function drawContour(points: ContourPoint[], path: Path, [a, b, c, d, e, f]: Transform): void {
  const place = ({ x, y }: { x: number; y: number }) => [a * x + c * y + e, b * x + d * y + f] as const
  const between = (one: ContourPoint, other: ContourPoint) => ({ x: (one.x + other.x) / 2, y: (one.y + other.y) / 2 })
  const first = points.findIndex(({ on }) => on)
  const start = points[first]
  if (start === undefined) return
  moveTo(path, ...place(start))
  let from = place(start)
  for (let step = 1; step <= points.length; step++) {
    const point = points[(first + step) % points.length] ?? start
    const next = points[(first + step + 1) % points.length] ?? start
    if (point.on) {
      from = place(point)
      if (step < points.length) lineTo(path, ...from)
      continue
    }
    const to = place(next.on ? next : between(point, next))
    quadraticTo(path, from, place(point), to)
    from = to
    if (next.on) step++
  }
  close(path)
}

/** A quadratic curve as the cubic one that is the same. */
function quadraticTo(path: Path, from: readonly number[], control: readonly number[], to: readonly number[]): void {
  const third = (end: readonly number[], axis: 0 | 1) =>
    (end[axis] ?? 0) + (((control[axis] ?? 0) - (end[axis] ?? 0)) * 2) / 3
  curveTo(path, [third(from, 0), third(from, 1), third(to, 0), third(to, 1), to[0] ?? 0, to[1] ?? 0])
}
