// Simplifies the outlines of countries into src/web/statistics/world.ts, which is committed. Run `npm run world` after an update of
// world-atlas. Why these bounds: docs/adr/0079-map-of-countries.md.
import { readFileSync, writeFileSync } from 'node:fs'
import { cut, pathOf, type Point } from '../src/web/statistics/outline.ts'

/** A TopoJSON document: countries are rings of arcs, which neighbours share. */
interface Topology {
  transform: { scale: Point; translate: Point }
  /** Each point relative to the one before it. */
  arcs: Point[][]
  objects: { countries: { geometries: Geometry[] } }
}

interface Geometry {
  type: 'Polygon' | 'MultiPolygon'
  /** ISO 3166-1, three digits; absent for areas without a code. */
  id?: string
  properties: { name: string }
  arcs: number[][] | number[][][]
}

const WIDTH = 1200
/** How far an outline may be from the real one, in units of the map. */
const TOLERANCE = 0.6
/** Without Antarctica, from which nobody scans posters. */
const LEFT_OUT = new Set(['AQ'])
/** Those that have no number of their own there. */
const byName: Record<string, string> = { Kosovo: 'XK', 'N. Cyprus': 'CY', Somaliland: 'SO' }

/** What is drawn of a country. */
interface Shape {
  path: string
  box: Box
}

/** The text of the module: the size, each outline by its country, and the places of countries too small to have one. */
export function drawWorld(): string {
  const shapes = outline(read('countries-110m.json'))
  const places = placesIn(read('countries-50m.json'), shapes)
  const texts = Array.from(shapes, ([country, { path, box }]): [string, string] => [
    country,
    `'${box.map(Math.round).join(' ')} ${path}'`,
  ])
  return `// Written by build/world.ts from world-atlas, which has it from Natural Earth (public domain): do not edit.

/** The size of the map of the world, in the units of its outlines. */
export const WORLD = { width: ${WIDTH}, height: ${Math.ceil((TOP - BOTTOM) * SCALE)} }

/**
 * Of countries (ISO 3166-1 alpha-2, and XK for Kosovo): the box around the largest part (left, top, right, bottom), and the outline
 * as SVG path data.
 */
export const shapes: Record<string, string> = {
${linesOf(texts)}}

/** The middle of each country that is too small for an outline. */
export const places: Record<string, readonly [x: number, y: number]> = {
${linesOf(places)}}
`
}

function linesOf(entries: [country: string, value: string][]): string {
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1))
  return sorted.map(([country, value]) => `  ${country}: ${value},\n`).join('')
}

function outline(world: Topology): Map<string, Shape> {
  const arcs = arcsOf(world).map(simplify)
  const shapes = new Map<string, Shape>()
  for (const geometry of world.objects.countries.geometries) {
    const country = codeOf(geometry)
    if (country === undefined) continue
    const rings = drawn(geometry, arcs)
    const known = shapes.get(country)
    const path = (known?.path ?? '') + rings.map(pathOf).join('')
    shapes.set(country, { path, box: known?.box ?? largestOf(rings) })
  }
  return shapes
}

/** The middles of the countries that have no shape. */
function placesIn(world: Topology, shapes: ReadonlyMap<string, Shape>): [country: string, place: string][] {
  const arcs = arcsOf(world)
  return world.objects.countries.geometries.flatMap((geometry): [string, string][] => {
    const country = codeOf(geometry)
    if (country === undefined || shapes.has(country)) return []
    const [left, top, right, bottom] = largestOf(drawn(geometry, arcs))
    return [[country, `[${Math.round((left + right) / 2)}, ${Math.round((top + bottom) / 2)}]`]]
  })
}

function read(name: string): Topology {
  return JSON.parse(readFileSync(new URL(import.meta.resolve(`world-atlas/${name}`)), 'utf8')) as Topology
}

/** CLDR knows which letters have these digits. */
function codeOf({ id, properties: { name } }: Geometry): string | undefined {
  const country = id === undefined ? byName[name] : new Intl.Locale(`und-${id}`).region
  return country === undefined || !/^[A-Z]{2}$/.test(country) || LEFT_OUT.has(country) ? undefined : country
}

function ringsOf({ type, arcs }: Geometry): number[][] {
  return type === 'Polygon' ? (arcs as number[][]) : (arcs as number[][][]).flat()
}

/** Equal Earth (Šavrič, Patterson, Jenny 2018): areas compare, which shades need. */
const [A1, A2, A3, A4] = [1.340264, -0.081106, 0.000893, 0.003796] as const
const M = Math.sqrt(3) / 2

function equalEarth([longitude, latitude]: Point): Point {
  const theta = Math.asin(M * Math.sin((latitude * Math.PI) / 180))
  const [square, sixth] = [theta ** 2, theta ** 6]
  const x =
    ((longitude * Math.PI) / 180) *
    (Math.cos(theta) / (M * (A1 + 3 * A2 * square + sixth * (7 * A3 + 9 * A4 * square))))
  return [x, theta * (A1 + A2 * square + sixth * (A3 + A4 * square))]
}

const [RIGHT] = equalEarth([180, 0])
const [, TOP] = equalEarth([0, 83.7])
/** South of Cape Horn. */
const [, BOTTOM] = equalEarth([0, -57])
const SCALE = WIDTH / (2 * RIGHT)

/** A point, in the units of the map. */
function project(point: Point): Point {
  const [right, up] = equalEarth(point)
  return [(right + RIGHT) * SCALE, (TOP - up) * SCALE]
}

/** The arcs in degrees. */
function arcsOf({ transform: { scale, translate }, arcs }: Topology): Point[][] {
  return arcs.map((arc) => {
    let [x, y] = [0, 0]
    return unrolled(
      arc.map(([byX, byY]) => {
        x += byX
        y += byY
        return [x * scale[0] + translate[0], y * scale[1] + translate[1]]
      }),
    )
  })
}

/** Goes on beyond 180 degrees where a line crosses it: the longitude would jump to the other side of the map. */
function unrolled(points: Point[]): Point[] {
  let shift = 0
  return points.map(([longitude, latitude], at) => {
    const before = points[at - 1]?.[0] ?? longitude
    if (Math.abs(longitude - before) > 180) shift += longitude < before ? 360 : -360
    return [longitude + shift, latitude]
  })
}

/** The parts of a ring on both sides of 180 degrees. */
function partsOf(ring: Point[]): (readonly Point[])[] {
  const shifted = (by: number) => ring.map(([longitude, latitude]): Point => [longitude + by, latitude])
  return [0, -360, 360].map((by) => cut(cut(shifted(by), 0, 180, 1), 0, -180, -1)).filter((part) => part.length > 2)
}

/** Leaves out points that would hardly be seen (Ramer, Douglas, Peucker). Neighbours share arcs, so that no gap opens between them. */
function simplify(points: Point[]): Point[] {
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined || points.length < 3) return points
  const distances = points.map((point) => distance(project(point), project(first), project(last)))
  const most = Math.max(...distances)
  if (most <= TOLERANCE) return [first, last]
  const at = distances.indexOf(most)
  return [...simplify(points.slice(0, at + 1)), ...simplify(points.slice(at)).slice(1)]
}

function distance([x, y]: Point, [fromX, fromY]: Point, [toX, toY]: Point): number {
  const length = Math.hypot(toX - fromX, toY - fromY)
  if (length === 0) return Math.hypot(x - fromX, y - fromY)
  return Math.abs((toX - fromX) * (fromY - y) - (fromX - x) * (toY - fromY)) / length
}

/** The parts of a geometry, in the units of the map. */
function drawn(geometry: Geometry, arcs: Point[][]): Point[][] {
  const rings = ringsOf(geometry).map((ring) => unrolled(ring.flatMap((number) => arcAt(arcs, number))))
  return rings.flatMap(partsOf).map((ring) => ring.map(project))
}

/** An arc of a ring: one whose number is negative is walked backwards. */
function arcAt(arcs: Point[][], number: number): Point[] {
  return number < 0 ? (arcs[~number] ?? []).toReversed() : (arcs[number] ?? [])
}

type Box = [left: number, top: number, right: number, bottom: number]

/** The box around the largest ring. */
function largestOf(rings: Point[][]): Box {
  const boxes = rings.map((ring): Box => {
    const [xs, ys] = [ring.map(([x]) => x), ring.map(([, y]) => y)]
    return [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
  })
  const areas = boxes.map(([left, top, right, bottom]) => (right - left) * (bottom - top))
  return boxes[areas.indexOf(Math.max(...areas))] ?? [0, 0, 0, 0]
}

if (import.meta.main) writeFileSync(new URL('../src/web/statistics/world.ts', import.meta.url), drawWorld())
