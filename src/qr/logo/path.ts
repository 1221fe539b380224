import { XmlError } from './xml-reader.ts'

const number = /[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?/iy
const counts: Record<string, number> = { m: 2, l: 2, h: 1, v: 1, c: 6, s: 4, q: 4, t: 2, a: 7, z: 0 }

/**
 * The commands of a path (SVG 1.1, 8.3.9), each with its own numbers.
 * @throws {XmlError} for a path that is not one
 */
export function* commandsOf(d: string): Generator<{ letter: string; values: number[] }> {
  const gap = /[\s,]*/y
  const text = d.trimEnd()
  let at = 0
  const take = (pattern: RegExp) => {
    gap.lastIndex = at
    gap.exec(text)
    pattern.lastIndex = gap.lastIndex
    const [match] = pattern.exec(text) ?? []
    if (match !== undefined) at = pattern.lastIndex
    return match
  }
  let letter = ''
  while (at < text.length) {
    const own = take(/[a-z]/iy)
    // Coordinates without a letter go on as before; after a move they are lines.
    letter = own ?? (letter === 'm' ? 'l' : letter === 'M' ? 'L' : letter)
    const count = counts[letter.toLowerCase()]
    if (count === undefined || (own === undefined && count === 0)) throw damagedPath(d, at)
    const values = Array.from({ length: count }, (_, index) => {
      const isFlag = count === 7 && (index === 3 || index === 4)
      const value = Number(take(isFlag ? /[01]/y : number) ?? Number.NaN)
      if (!Number.isFinite(value)) throw damagedPath(d, at)
      return value
    })
    yield { letter, values }
  }
}

function damagedPath(d: string, at: number): XmlError {
  return new XmlError(`has a path that is damaged at "${d.slice(at, at + 20)}"`)
}

export type Point = readonly [x: number, y: number]

/**
 * Two corners of a square in which an arc lies (F.6.5): for the small part of an ellipse about its ends, for the large one
 * about its middle.
 * @param values of its command: radii, turn in degrees, whether it is the large part, whether it runs clockwise
 */
export function arcHull(from: Point, to: Point, values: readonly number[]): Point[] {
  const [radiusX = 0, radiusY = 0, degrees = 0, isLarge, isClockwise] = values
  const [rx, ry, turn] = [Math.abs(radiusX), Math.abs(radiusY), (degrees * Math.PI) / 180]
  if (rx === 0 || ry === 0) return []
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)]
  const middle: Point = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]
  const [halfX, halfY] = [(from[0] - to[0]) / 2, (from[1] - to[1]) / 2]
  // Where the ellipse is a circle of radius 1, half of the chord is:
  const [x, y] = [(cos * halfX + sin * halfY) / rx, (cos * halfY - sin * halfX) / ry]
  const half = Math.hypot(x, y)
  const around = ([left, top]: Point, reach: number): Point[] => [
    [left - reach, top - reach],
    [left + reach, top + reach],
  ]
  // Radii that are too short for the chord are stretched to it (F.6.6), so that its middle is theirs.
  if (!isLarge || half >= 1 || half === 0) return around(middle, Math.max(rx, ry) * half)
  const away = (isLarge === isClockwise ? -1 : 1) * Math.sqrt(1 / half ** 2 - 1)
  const [centreX, centreY] = [away * y * rx, -away * x * ry]
  return around(
    [middle[0] + cos * centreX - sin * centreY, middle[1] + sin * centreX + cos * centreY],
    Math.max(rx, ry),
  )
}
