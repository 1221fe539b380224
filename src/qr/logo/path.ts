import { ownValue } from '../../lib/own-value.ts'
import { numberOf, numberPattern, writeNumbers } from './numbers.ts'
import { XmlError } from './xml-reader.ts'

const number = new RegExp(numberPattern, 'y')
const counts: Record<string, number> = { m: 2, l: 2, h: 1, v: 1, c: 6, s: 4, q: 4, t: 2, a: 7, z: 0 }

/**
 * Parses the commands of a path (SVG 1.1, 8.3.9).
 * @throws {XmlError} for an invalid path
 */
export function* commandsOf(d: string): Generator<{ letter: string; values: number[] }> {
  const gap = /[ \t\n\f\r]*(?:,[ \t\n\f\r]*)?/y
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
    const explicit = take(/[a-z]/iy)
    // Coordinates without a letter repeat the command; after a move they are lines.
    letter = explicit ?? (letter === 'm' ? 'l' : letter === 'M' ? 'L' : letter)
    const count = ownValue(counts, letter.toLowerCase())
    if (count === undefined || (explicit === undefined && count === 0)) throw damagedPath(d, at)
    const values = Array.from({ length: count }, (_, index) => {
      const isFlag = count === 7 && (index === 3 || index === 4)
      const value = numberOf(take(isFlag ? /[01]/y : number) ?? '')
      if (value === undefined) throw damagedPath(d, at)
      return value
    })
    yield { letter, values }
  }
}

/**
 * Writes a path anew, each command with its letter.
 * @throws {XmlError} for an invalid path
 */
export function writePath(d: string): string {
  let written = ''
  for (const { letter, values } of commandsOf(d)) written += letter + writeNumbers(values)
  return written
}

function damagedPath(d: string, at: number): XmlError {
  return new XmlError(`has a path that is damaged at "${d.slice(at, at + 20)}"`)
}

export type Point = readonly [x: number, y: number]

/**
 * Two corners of a square that contains an arc (F.6.5): around its ends for the small arc, around the centre of the ellipse
 * for the large one.
 * @param values of the command: radii, rotation in degrees, large-arc flag, sweep flag
 */
export function arcHull(from: Point, to: Point, values: readonly number[]): Point[] {
  const [radiusX = 0, radiusY = 0, degrees = 0, isLarge, isClockwise] = values
  const [rx, ry, turn] = [Math.abs(radiusX), Math.abs(radiusY), (degrees * Math.PI) / 180]
  if (rx === 0 || ry === 0) return []
  const [cos, sin] = [Math.cos(turn), Math.sin(turn)]
  const middle: Point = [(from[0] + to[0]) / 2, (from[1] + to[1]) / 2]
  const [halfX, halfY] = [(from[0] - to[0]) / 2, (from[1] - to[1]) / 2]
  // Half of the chord, in coordinates where the ellipse is the unit circle.
  const [x, y] = [(cos * halfX + sin * halfY) / rx, (cos * halfY - sin * halfX) / ry]
  const half = Math.hypot(x, y)
  const around = ([left, top]: Point, reach: number): Point[] => [
    [left - reach, top - reach],
    [left + reach, top + reach],
  ]
  // Radii that are too short for the chord are scaled up to it (F.6.6); its middle is then the centre.
  if (!isLarge || half >= 1 || half === 0) return around(middle, Math.max(rx, ry) * half)
  const away = (isLarge === isClockwise ? -1 : 1) * Math.sqrt(1 / half ** 2 - 1)
  const [centreX, centreY] = [away * y * rx, -away * x * ry]
  return around(
    [middle[0] + cos * centreX - sin * centreY, middle[1] + sin * centreX + cos * centreY],
    Math.max(rx, ry),
  )
}
