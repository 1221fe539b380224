import { arcHull, commandsOf, type Point } from './path.ts'
import type { Matrix } from './transform.ts'

/** A bounding box. */
export type Extent = readonly [left: number, top: number, right: number, bottom: number]

/** The measures of a shape that its cost depends on. */
export interface Outline {
  /** A bounding box without the stroke; undefined for an empty shape. */
  extent: Extent | undefined
  /** Lines and curves. */
  segments: number
  /** The approximate length, rather too long than too short. */
  length: number
}

/** Transforms an extent, enlarged by `around` on each side. */
export function moveExtent([left, top, right, bottom]: Extent, [a, b, c, d, e, f]: Matrix, around = 0): Extent {
  const corners = [left - around, right + around].flatMap((x) =>
    [top - around, bottom + around].map((y) => [a * x + c * y + e, b * x + d * y + f] as const),
  )
  return extentOf(
    corners.map(([x]) => x),
    corners.map(([, y]) => y),
  )
}

export function joinExtents(one: Extent | undefined, other: Extent | undefined): Extent | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return extentOf([one[0], one[2], other[0], other[2]], [one[1], one[3], other[1], other[3]])
}

function extentOf(xs: readonly number[], ys: readonly number[]): Extent {
  const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b), Infinity)
  const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), -Infinity)
  return [least(xs), least(ys), most(xs), most(ys)]
}

/**
 * Measures a shape.
 * @param attributes as `measured` writes them
 * @throws {XmlError} for an invalid path
 */
export function outlineOf(name: string, attributes: ReadonlyMap<string, string>): Outline {
  const at = (key: string) => Number(attributes.get(key) ?? '0')
  const between = (left: number, top: number, right: number, bottom: number, segments: number): Outline => ({
    extent: extentOf([left, right], [top, bottom]),
    segments,
    length: 2 * (Math.abs(right - left) + Math.abs(bottom - top)),
  })
  switch (name) {
    case 'path':
      return pathOutline(attributes.get('d') ?? '')
    case 'polygon':
    case 'polyline':
      return pathOutline(`M${attributes.get('points') ?? ''}Z`.replace('MZ', ''))
    case 'rect':
      return between(at('x'), at('y'), at('x') + at('width'), at('y') + at('height'), 8)
    case 'line':
      return between(at('x1'), at('y1'), at('x2'), at('y2'), 1)
    default: {
      const [rx, ry] = name === 'circle' ? [at('r'), at('r')] : [at('rx') || at('ry'), at('ry') || at('rx')]
      return between(at('cx') - rx, at('cy') - ry, at('cx') + rx, at('cy') + ry, 4)
    }
  }
}

/** The current position in a path. */
interface Pen {
  at: Point
  start: Point
  /** The last control point of the previous command, if that was a curve, */
  control: Point
  /** and its letter. */
  kind: string
}

/** Measures the hull of a path's points, in which its curves lie (SVG 1.1, 8.3). */
function pathOutline(d: string): Outline {
  const [xs, ys]: [number[], number[]] = [[], []]
  let pen: Pen = { at: [0, 0], start: [0, 0], control: [0, 0], kind: 'm' }
  let [segments, length] = [0, 0]
  for (const { letter, values } of commandsOf(d)) {
    const kind = letter.toLowerCase()
    const ends = pointsOf(kind, values, { pen, isRelative: letter === kind })
    const [fromX, fromY] = pen.at
    const end = ends.at(-1) ?? pen.at
    const points = kind === 'a' ? [...arcHull(pen.at, end, values), ...ends] : ends
    segments += kind === 'a' ? 4 : 1
    length += points.reduce((sum, [x, y]) => sum + Math.hypot(x - fromX, y - fromY), 0)
    xs.push(...points.map(([x]) => x))
    ys.push(...points.map(([, y]) => y))
    pen = { at: end, start: kind === 'm' ? end : pen.start, control: points.at(-2) ?? end, kind }
  }
  return { extent: segments === 0 ? undefined : extentOf(xs, ys), segments, length }
}

function pointsOf(
  kind: string,
  values: readonly number[],
  { pen, isRelative }: { pen: Pen; isRelative: boolean },
): Point[] {
  const [x, y] = pen.at
  const [offsetX, offsetY] = isRelative ? pen.at : [0, 0]
  const [first = 0] = values
  if (kind === 'z') return [pen.start]
  if (kind === 'h') return [[first + offsetX, y]]
  if (kind === 'v') return [[x, first + offsetY]]
  const places = kind === 'a' ? values.slice(5) : values
  const points = Array.from({ length: places.length / 2 }, (_, at): Point => [
    (places[at * 2] ?? 0) + offsetX,
    (places[at * 2 + 1] ?? 0) + offsetY,
  ])
  // A smooth curve starts in the direction in which the previous one ended, if that was of its degree.
  const degree = kind === 's' ? 'cs' : kind === 't' ? 'qt' : undefined
  if (degree === undefined) return points
  const [controlX, controlY] = degree.includes(pen.kind) ? pen.control : pen.at
  return [[2 * x - controlX, 2 * y - controlY], ...points]
}
