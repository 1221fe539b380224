import { ownValue } from '../../lib/own-value.ts'
import { between, numbersOf } from './numbers.ts'
import { XmlError } from './xml-reader.ts'

/** A transform from coordinates of an element to those of the drawing: x' = a x + c y + e, y' = b x + d y + f. */
export type Matrix = readonly [a: number, b: number, c: number, d: number, e: number, f: number]

export const identity: Matrix = [1, 0, 0, 1, 0, 0]

/**
 * Parses a `transform`.
 * @throws {XmlError} when it is not one of SVG 1.1, 7.6: the shape would be drawn in another position
 */
export function matrixOf(text: string): Matrix {
  const step = new RegExp(`([a-zA-Z]+)[ \\t\\n\\f\\r]*\\(([^()]*)\\)${between}`, 'y')
  const steps = text.trim()
  let matrix = identity
  if (steps === 'none') return matrix
  if (steps.endsWith(',')) throw unknownTransform(text)
  while (step.lastIndex < steps.length) {
    const [, name = '', inside = ''] = step.exec(steps) ?? []
    const values = numbersOf(inside)
    const kind = ownValue(kinds, name)
    if (values === undefined || kind?.counts.includes(values.length) !== true) throw unknownTransform(text)
    matrix = multiply(matrix, kind.matrix(values))
  }
  if (!matrix.every(Number.isFinite)) throw unknownTransform(text)
  return matrix
}

function unknownTransform(text: string): XmlError {
  return new XmlError(`has the transform ${text.slice(0, 60)}, which SVG 1.1 does not have`)
}

const radians = (degrees: number) => (degrees * Math.PI) / 180

/** Transforms by name: how many numbers they may have. */
const kinds: Record<string, { counts: readonly number[]; matrix: (values: readonly number[]) => Matrix }> = {
  matrix: { counts: [6], matrix: ([a = 1, b = 0, c = 0, d = 1, e = 0, f = 0]) => [a, b, c, d, e, f] },
  translate: { counts: [1, 2], matrix: ([x = 0, y = 0]) => [1, 0, 0, 1, x, y] },
  scale: { counts: [1, 2], matrix: ([x = 1, y = x]) => [x, 0, 0, y, 0, 0] },
  skewX: { counts: [1], matrix: ([angle = 0]) => [1, 0, Math.tan(radians(angle)), 1, 0, 0] },
  skewY: { counts: [1], matrix: ([angle = 0]) => [1, Math.tan(radians(angle)), 0, 1, 0, 0] },
  rotate: {
    counts: [1, 3],
    matrix: ([angle = 0, x = 0, y = 0]) => {
      const [cos, sin] = [Math.cos(radians(angle)), Math.sin(radians(angle))]
      return [cos, sin, -sin, cos, x - cos * x + sin * y, y - sin * x - cos * y]
    },
  },
}

export function multiply([a, b, c, d, e, f]: Matrix, [g, h, i, j, k, l]: Matrix): Matrix {
  return [a * g + c * h, b * g + d * h, a * i + c * j, b * i + d * j, a * k + c * l + e, b * k + d * l + f]
}

/** The matrix of absolute values: what it makes of the largest coordinates bounds every number on the way. */
export function absolute([a, b, c, d, e, f]: Matrix): Matrix {
  return [Math.abs(a), Math.abs(b), Math.abs(c), Math.abs(d), Math.abs(e), Math.abs(f)]
}
