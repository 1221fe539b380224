import type { QrSymbol } from '../encoder/encoder.ts'
import { alignmentCenters } from '../encoder/tables.ts'
import { isOfEye } from './eyes.ts'
import { box, circle, polygon, type Path } from './path.ts'

export const moduleShapes = ['square', 'rounded', 'dots', 'diamond', 'classy'] as const
export type ModuleShape = (typeof moduleShapes)[number]

/** A rectangle of modules that are left out. */
export interface Hole {
  x: number
  y: number
  width: number
  height: number
}

export function isInHole(x: number, y: number, hole: Hole | undefined): boolean {
  if (hole === undefined) return false
  return x >= hole.x && x < hole.x + hole.width && y >= hole.y && y < hole.y + hole.height
}

/** Draws all dark modules except those of the eyes and of the hole. */
export function drawModules(symbol: QrSymbol, shape: ModuleShape, hole: Hole | undefined): Path {
  const { size, modules } = symbol
  const anchors = alignmentsOf(symbol).filter(([x, y]) => !isNearHole(x, y, hole))
  const isAnchor = anchorMap(size, anchors)
  const isDark = (x: number, y: number) =>
    Math.min(x, y) >= 0 &&
    Math.max(x, y) < size &&
    modules[y * size + x] === 1 &&
    !isAnchor(x, y) &&
    !isOfEye(x, y, size) &&
    !isInHole(x, y, hole)
  const path: Path = []
  if (shape === 'dots' || shape === 'diamond') drawEach(path, size, shape, isDark)
  else {
    for (const loop of traceLoops(size, isDark)) {
      polygon(
        path,
        loop.map((corner) => [corner.x, corner.y, radiusOf(corner, shape)] as const),
      )
    }
  }
  for (const [x, y] of anchors) drawAnchor(path, x, y)
  return path
}

/** Whether a hole covers any part of an alignment pattern. */
export function coversAlignment(symbol: QrSymbol, hole: Hole | undefined): boolean {
  return alignmentsOf(symbol).some(([x, y]) => isNearHole(x, y, hole))
}

/** The centres of the alignment patterns. */
function alignmentsOf({ version, size }: QrSymbol): (readonly [x: number, y: number])[] {
  const centers = alignmentCenters(version)
  return centers.flatMap((y) => centers.map((x) => [x, y] as const)).filter(([x, y]) => !isOfEye(x, y, size))
}

function isNearHole(x: number, y: number, hole: Hole | undefined): boolean {
  return [-2, 2].some((across) => [-2, 2].some((down) => isInHole(x + across, y + down, hole)))
}

function anchorMap(size: number, anchors: (readonly [x: number, y: number])[]): (x: number, y: number) => boolean {
  const covered = new Uint8Array(size * size)
  for (const [x, y] of anchors) {
    for (let row = y - 2; row <= y + 2; row++) covered.fill(1, row * size + x - 2, row * size + x + 3)
  }
  return (x, y) => covered[y * size + x] === 1
}

/**
 * Draws an alignment pattern, which is square for every shape: scanners locate all other modules by its centre. Its ring
 * is four bars, so that it is the same with any fill rule.
 */
function drawAnchor(path: Path, x: number, y: number): void {
  box(path, [x - 2, y - 2, 5, 1], [])
  box(path, [x - 2, y + 2, 5, 1], [])
  box(path, [x - 2, y - 1, 1, 3], [])
  box(path, [x + 2, y - 1, 1, 3], [])
  box(path, [x, y, 1, 1], [])
}

/** Half a module makes ends round; inner corners have a smaller radius. */
function radiusOf({ convex, of }: Corner, shape: ModuleShape): number {
  if (shape === 'square') return 0
  if (shape === 'rounded') return convex ? 0.5 : 0.2
  return convex && (of === 'topLeft' || of === 'bottomRight') ? 0.5 : 0
}

// As large as the visible gaps allow: smaller dots scan worse.
const DOT_RADIUS = 0.46
/** Half a diagonal: the tips overlap the neighbours a little, so that rows stay connected. */
const DIAMOND_REACH = 0.6

function drawEach(
  path: Path,
  size: number,
  shape: 'dots' | 'diamond',
  isDark: (x: number, y: number) => boolean,
): void {
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (!isDark(x, y)) continue
      if (shape === 'dots') circle(path, x + 0.5, y + 0.5, DOT_RADIUS)
      else drawDiamond(path, x + 0.5, y + 0.5, DIAMOND_REACH)
    }
  }
}

function drawDiamond(path: Path, x: number, y: number, reach: number): void {
  polygon(path, [
    [x, y - reach, 0],
    [x + reach, y, 0],
    [x, y + reach, 0],
    [x - reach, y, 0],
  ])
}

/** A point where an edge turns around the one module at the point whose colour differs. */
interface Corner {
  x: number
  y: number
  /** Whether the edge turns around a dark module and not around a light one. */
  convex: boolean
  /** Which corner of that module it is. */
  of: 'topLeft' | 'topRight' | 'bottomRight' | 'bottomLeft'
}

/** Right, down, left, up: the directions in which edges run, with dark modules on their right. */
const steps = [
  [1, 0],
  [0, 1],
  [-1, 0],
  [0, -1],
] as const

const corners = ['topRight', 'bottomRight', 'bottomLeft', 'topLeft'] as const

/**
 * The edges of all dark modules as closed loops of corners. Modules that touch only at a corner stay separate.
 * @param isDark whether a module is dark; false outside the symbol
 */
function traceLoops(size: number, isDark: (x: number, y: number) => boolean): Corner[][] {
  const loops: Corner[][] = []
  const seen = new Uint8Array(size * size)
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      // The upper edge of a dark module below a light one belongs to just one loop.
      if (!isDark(x, y) || isDark(x, y - 1) || seen[y * size + x] === 1) continue
      loops.push(follow({ x, y, direction: 0 }, isDark, (column, row) => void (seen[row * size + column] = 1)))
    }
  }
  return loops
}

/** A point of the grid, and the direction in which the edge continues. */
interface Edge {
  x: number
  y: number
  direction: number
}

function follow(start: Edge, isDark: (x: number, y: number) => boolean, see: (x: number, y: number) => void): Corner[] {
  const loop: Corner[] = []
  let { x, y, direction } = start
  do {
    if (direction === 0) see(x, y)
    const [byX, byY] = steps[direction as 0]
    x += byX
    y += byY
    // The two modules ahead: on the right of the edge, and on its left.
    const [aheadRight, aheadLeft] = ahead(x, y, direction).map(([column, row]) => isDark(column, row))
    if (!aheadRight) {
      loop.push({ x, y, convex: true, of: corners[direction as 0] })
      direction = (direction + 1) % 4
    } else if (aheadLeft) {
      // The edge turns around the light module on the left, of which this is the opposite corner.
      loop.push({ x, y, convex: false, of: corners[((direction + 1) % 4) as 0] })
      direction = (direction + 3) % 4
    }
  } while (x !== start.x || y !== start.y || direction !== start.direction)
  return loop
}

/** The modules ahead of a point, on the right and on the left of the direction. */
function ahead(x: number, y: number, direction: number): (readonly [x: number, y: number])[] {
  const around = [
    [x, y],
    [x - 1, y],
    [x - 1, y - 1],
    [x, y - 1],
  ] as const
  return [around[direction as 0], around[((direction + 3) % 4) as 0]]
}
