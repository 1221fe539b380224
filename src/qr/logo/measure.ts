import { ownValue } from '../../lib/own-value.ts'
import type { Extent } from './geometry.ts'
import { lengthOf, lengthUnits, numberOf, numbersOf, writeNumbers } from './numbers.ts'
import { writePath } from './path.ts'
import { matrixOf } from './transform.ts'
import { XmlError } from './xml-reader.ts'

// A renderer may read a number otherwise than what measures the drawing here: another length of `ex`, the other side for a
// percentage, a transform of seven numbers. Therefore the markup has no number of the file: it has what was measured, in
// units of the viewBox, and a drawing of which anything was not understood is refused.

/** Lengths of a dash pattern, which is parsed for each shape that uses it. */
const MAX_DASHES = 100

/** What percentages are shares of. */
interface Sides {
  width: number
  height: number
  /** For lengths that have no direction (SVG 1.1, 7.10). */
  diagonal: number
}

/** Writes a value anew; '' when it says nothing, undefined when it is not understood. */
type Rewrite = (value: string, sides: Sides) => string | undefined

const written = (number: number | undefined) => (number === undefined ? undefined : writeNumbers([number]))
const notNegative = (number: number | undefined) => (number !== undefined && number >= 0 ? number : undefined)
const word: Rewrite = (value) => value

const along =
  (side: keyof Sides): Rewrite =>
  (value, sides) =>
    written(lengthOf(value, sides[side]))

/** A length that has no direction: what a negative one means differs. */
const extent =
  (side: keyof Sides): Rewrite =>
  (value, sides) =>
    written(notNegative(lengthOf(value, sides[side])))

const [horizontal, vertical, diagonal] = [along('width'), along('height'), along('diagonal')]
const [wide, high, radius] = [extent('width'), extent('height'), extent('diagonal')]
const orAuto =
  (rewrite: Rewrite): Rewrite =>
  (value, sides) =>
    value === 'auto' ? '' : rewrite(value, sides)

/** A coordinate of a gradient, whose percentages depend on what it is applied to. No layer is larger by it. */
const ofGradient: Rewrite = (value) => {
  const percent = value.endsWith('%') ? written(numberOf(value.slice(0, -1))) : undefined
  return percent === undefined ? written(lengthOf(value, Number.NaN)) : `${percent}%`
}

/** A share from 0 to 1; others are read as the nearest. */
const share: Rewrite = (value) => {
  const number = value.endsWith('%') ? lengthOf(value, 1) : numberOf(value)
  return written(number === undefined ? undefined : Math.min(1, Math.max(0, number)))
}

const transform: Rewrite = (value) => {
  const matrix = matrixOf(value)
  return matrix.join(' ') === '1 0 0 1 0 0' ? '' : `matrix(${matrix.join(' ')})`
}

const points: Rewrite = (value) => {
  const numbers = numbersOf(value)
  return numbers === undefined || numbers.length % 2 > 0 ? undefined : writeNumbers(numbers)
}

const dashes: Rewrite = (value, sides) => {
  if (value === 'none') return value
  const parts = value.split(/[ \t\n\f\r]*,[ \t\n\f\r]*|[ \t\n\f\r]+/)
  if (parts.length > MAX_DASHES) throw new XmlError(`has a stroke-dasharray of more than ${MAX_DASHES} lengths`)
  const lengths = parts.map((each) => notNegative(lengthOf(each, sides.diagonal)))
  const known = lengths.filter((each) => each !== undefined)
  if (known.length < lengths.length) return undefined
  return known.some((each) => each > 0) ? known.join(' ') : 'none'
}

/** A limit below 1 cuts off all corners, as 1 does. */
const miterLimit: Rewrite = (value) => {
  const limit = notNegative(numberOf(value))
  return limit === undefined ? undefined : written(Math.max(1, limit))
}

/** Presentation properties that have numbers; any element may have them. */
const properties: Record<string, Rewrite> = {
  opacity: share,
  'fill-opacity': share,
  'stop-opacity': share,
  'stroke-opacity': share,
  'stroke-width': radius,
  'stroke-dasharray': dashes,
  'stroke-dashoffset': diagonal,
  'stroke-miterlimit': miterLimit,
}
/** Those that elements inherit anyway. */
const isInherited = (name: string) => name.startsWith('stroke-') || name === 'fill-opacity'

/** What the attributes of the geometry of elements are. */
const coordinates: Record<string, Rewrite> = {
  transform,
  gradientTransform: transform,
  d: (value) => writePath(value),
  points,
  x: horizontal,
  y: vertical,
  x1: horizontal,
  y1: vertical,
  x2: horizontal,
  y2: vertical,
  cx: horizontal,
  cy: vertical,
  r: radius,
  width: orAuto(wide),
  height: orAuto(high),
  rx: orAuto(wide),
  ry: orAuto(high),
  offset: share,
}
const shared = 'gradientUnits gradientTransform spreadMethod '
/** Those that each element can have. */
const geometry: Record<string, string> = {
  g: 'transform',
  clipPath: 'transform clipPathUnits',
  path: 'transform d',
  polygon: 'transform points',
  polyline: 'transform points',
  rect: 'transform x y width height rx ry',
  circle: 'transform cx cy r',
  ellipse: 'transform cx cy rx ry',
  line: 'transform x1 y1 x2 y2',
  linearGradient: `${shared}x1 y1 x2 y2`,
  radialGradient: `${shared}cx cy r fx fy`,
  stop: 'offset',
}

/** Attributes of the geometry of elements. */
const names = new Set(`${Object.values(geometry).join(' ')} viewBox preserveAspectRatio`.split(' '))
/** Whether an attribute is of the geometry of an element, not a property that every element may have. */
export const isGeometry = (name: string): boolean => names.has(name)

/** @returns undefined for one that the element cannot have */
function rewriteOf(element: string, name: string): Rewrite | undefined {
  if (ownValue(geometry, element)?.split(' ').includes(name) !== true) return undefined
  return element.endsWith('Gradient') && name.length < 3 ? ofGradient : (ownValue(coordinates, name) ?? word)
}

/**
 * The attributes of an element with each length, transform and path as plain numbers in units of the viewBox.
 * @throws {XmlError} for one that is not understood
 */
export function measured(element: string, attributes: ReadonlyMap<string, string>, box: Extent): Map<string, string> {
  const [width, height] = [box[2] - box[0], box[3] - box[1]]
  const sides: Sides = { width, height, diagonal: Math.hypot(width, height) / Math.SQRT2 }
  const kept = new Map<string, string>()
  for (const [name, value] of attributes) {
    const rewrite = isGeometry(name) ? rewriteOf(element, name) : (ownValue(properties, name) ?? word)
    const number = isInherited(name) && value === 'inherit' ? '' : rewrite?.(value, sides)
    if (rewrite === undefined) continue
    if (number === undefined) throw notUnderstood(name, value)
    if (number !== '') kept.set(name, number)
  }
  return kept
}

function notUnderstood(name: string, value: string): XmlError {
  return new XmlError(`has ${name}="${value.slice(0, 40)}", which is not understood: units are ${lengthUnits}`)
}
