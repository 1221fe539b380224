import { close, curveTo, lineTo, moveTo, type Path } from './path.ts'

/** A font whose letters are drawn as shapes, so that an image is the same in every program. */
export interface Font {
  /** The characters of a text that the font does not have. */
  missing: (text: string) => string[]
  /** The width of a text of height 1. */
  width: (text: string) => number
  /** Draws a text: from `x` to the right, with the baseline at `y`, capitals `height * 0.71` high. */
  draw: (path: Path, text: string, at: { x: number; y: number; height: number }) => void
}

interface Letter {
  /** In units of the font. */
  width: number
  /** SVG path data: relative m, l, q and z, the y axis upwards. */
  outline: string
}

/** @param file letters.txt, which `build/letters.ts` writes */
export function readFont(file: string): Font {
  const [units, ...lines] = file.trimEnd().split('\n')
  const unitsPerEm = Number(units)
  const letters = new Map(lines.map(readLetter))
  const lettersOf = (text: string) => Array.from(text, (letter) => letters.get(letter) ?? { width: 0, outline: '' })
  return {
    missing: (text) => Array.from(text).filter((letter) => !letters.has(letter)),
    width: (text) => lettersOf(text).reduce((sum, { width }) => sum + width, 0) / unitsPerEm,
    draw(path, text, { x, y, height }) {
      const scale = height / unitsPerEm
      let left = x
      for (const { width, outline } of lettersOf(text)) {
        drawOutline(path, outline, { x: left, y, scale })
        left += width * scale
      }
    },
  }
}

/** A line has the width of a letter, a space, the letter, and its outline. */
function readLetter(line: string): [string, Letter] {
  const at = line.indexOf(' ')
  const letter = String.fromCodePoint(line.codePointAt(at + 1) ?? 0)
  return [letter, { width: Number(line.slice(0, at)), outline: line.slice(at + 1 + letter.length) }]
}

type Point = readonly [x: number, y: number]

function drawOutline(path: Path, outline: string, { x, y, scale }: { x: number; y: number; scale: number }): void {
  const place = ([right, up]: Point): Point => [x + right * scale, y - up * scale]
  let from: Point = [0, 0]
  let start = from
  for (const [, step, text = ''] of outline.matchAll(/([mlqz])([^mlqz]*)/g)) {
    const [x1 = 0, y1 = 0, x2 = x1, y2 = y1] = text.split(' ').map(Number)
    const control: Point = [from[0] + x1, from[1] + y1]
    const to: Point = [from[0] + x2, from[1] + y2]
    if (step === 'm') moveTo(path, ...place((start = to)))
    else if (step === 'l') lineTo(path, ...place(to))
    else if (step === 'q') quadraticTo(path, place(from), place(control), place(to))
    else close(path)
    from = step === 'z' ? start : to
  }
}

/** Draws a quadratic curve as the equivalent cubic one. */
function quadraticTo(path: Path, from: Point, control: Point, to: Point): void {
  const third = (end: Point, axis: 0 | 1) => end[axis] + ((control[axis] - end[axis]) * 2) / 3
  curveTo(path, [third(from, 0), third(from, 1), third(to, 0), third(to, 1), ...to])
}
