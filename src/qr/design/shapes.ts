import type { QrSymbol } from '../encoder/encoder.ts'
import { alignmentCenters } from '../encoder/tables.ts'
import { traceLoops, type Corner } from './loops.ts'
import { box, circle, polygon, type Path } from './path.ts'

export const moduleShapes = ['square', 'rounded', 'dots', 'diamond', 'classy'] as const
export const eyeFrameShapes = ['square', 'rounded', 'circle', 'leaf'] as const
export const eyeBallShapes = ['square', 'rounded', 'circle', 'leaf', 'diamond'] as const
export type ModuleShape = (typeof moduleShapes)[number]
export type EyeFrameShape = (typeof eyeFrameShapes)[number]
export type EyeBallShape = (typeof eyeBallShapes)[number]

/** Modules of a side of a finder pattern, an eye. */
const EYE = 7

/** A rectangle of modules that are left out. */
export interface Hole {
  x: number
  y: number
  width: number
  height: number
}

/** The upper left corners of the eyes. */
export function eyesOf(size: number): (readonly [x: number, y: number])[] {
  return [
    [0, 0],
    [size - EYE, 0],
    [0, size - EYE],
  ]
}

/** Whether a module is part of an eye. */
function isOfEye(x: number, y: number, size: number): boolean {
  return eyesOf(size).some(([left, top]) => x >= left && x < left + EYE && y >= top && y < top + EYE)
}

export function isInHole(x: number, y: number, hole: Hole | undefined): boolean {
  if (hole === undefined) return false
  return x >= hole.x && x < hole.x + hole.width && y >= hole.y && y < hole.y + hole.height
}

/** All dark modules but those of the eyes and of the hole. */
export function drawModules(symbol: QrSymbol, shape: ModuleShape, hole: Hole | undefined): Path {
  const { size, modules } = symbol
  const isDark = (x: number, y: number) =>
    Math.min(x, y) >= 0 &&
    Math.max(x, y) < size &&
    modules[y * size + x] === 1 &&
    !isOfEye(x, y, size) &&
    !isInHole(x, y, hole)
  const path: Path = []
  if (shape === 'dots' || shape === 'diamond') drawEach(path, symbol, shape, isDark)
  else {
    for (const loop of traceLoops(size, isDark)) {
      polygon(
        path,
        loop.map((corner) => [corner.x, corner.y, radiusOf(corner, shape)] as const),
      )
    }
  }
  return path
}

/** A radius of half a module makes ends round; an inner corner gets a small one, like ink that has run together. */
function radiusOf({ convex, of }: Corner, shape: ModuleShape): number {
  if (shape === 'square') return 0
  if (shape === 'rounded') return convex ? 0.5 : 0.2
  return convex && (of === 'topLeft' || of === 'bottomRight') ? 0.5 : 0
}

// As large as leaves the gaps that make the look; smaller ones cost light between the modules that scanners need.
const DOT_RADIUS = 0.46
/** Half a diagonal: the tips reach a little into the neighbours, so that rows stay connected. */
const DIAMOND_REACH = 0.6

function drawEach(
  path: Path,
  { size, version }: QrSymbol,
  shape: 'dots' | 'diamond',
  isDark: (x: number, y: number) => boolean,
): void {
  const centers = alignmentCenters(version)
  // Scanners look for the square in the middle of an alignment pattern: it stays whole.
  const isAlignment = (x: number, y: number) => centers.includes(x) && centers.includes(y) && !isOfEye(x, y, size)
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      if (!isDark(x, y)) continue
      if (shape === 'dots') circle(path, x + 0.5, y + 0.5, isAlignment(x, y) ? 0.5 : DOT_RADIUS)
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

/** The rings of the eyes; to be filled by the rule evenodd. */
export function drawEyeFrames(size: number, shape: EyeFrameShape): Path {
  const path: Path = []
  for (const [x, y] of eyesOf(size)) {
    if (shape === 'circle') {
      circle(path, x + 3.5, y + 3.5, 3.5)
      circle(path, x + 3.5, y + 3.5, 2.5)
      continue
    }
    const radii = eyeRadii(shape, { x, y, size })
    box(path, [x, y, EYE, EYE], radii)
    box(
      path,
      [x + 1, y + 1, EYE - 2, EYE - 2],
      radii.map((radius) => Math.max(0, radius - 1)),
    )
  }
  return path
}

/** The squares in the eyes. */
export function drawEyeBalls(size: number, shape: EyeBallShape): Path {
  const path: Path = []
  for (const [x, y] of eyesOf(size)) {
    if (shape === 'circle') circle(path, x + 3.5, y + 3.5, 1.6)
    else if (shape === 'diamond') drawDiamond(path, x + 3.5, y + 3.5, 2)
    else
      box(
        path,
        [x + 2, y + 2, 3, 3],
        eyeRadii(shape, { x, y, size }).map((radius) => radius * 0.45),
      )
  }
  return path
}

/** Radii of an eye's corners; a leaf is pointed towards the middle of the symbol and away from it. */
function eyeRadii(
  shape: 'square' | 'rounded' | 'leaf',
  { x, y, size }: { x: number; y: number; size: number },
): number[] {
  if (shape === 'square') return [0, 0, 0, 0]
  if (shape === 'rounded') return [2.2, 2.2, 2.2, 2.2]
  const isDiagonal = x < size / 2 === y < size / 2
  return isDiagonal ? [0, 3, 0, 3] : [3, 0, 3, 0]
}
