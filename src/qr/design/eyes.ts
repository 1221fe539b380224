import type { QrSymbol } from '../encoder/encoder.ts'
import { box, circle, type Path } from './path.ts'

export const eyeShapes = ['square', 'rounded', 'circle', 'leaf'] as const
export type EyeShape = (typeof eyeShapes)[number]

/** Modules of a side of an eye, that is, a finder pattern. */
const EYE = 7

/** The upper left corners of the eyes. */
function eyesOf(size: number): (readonly [x: number, y: number])[] {
  return [
    [0, 0],
    [size - EYE, 0],
    [0, size - EYE],
  ]
}

/** Whether a module is part of an eye. */
export function isOfEye(x: number, y: number, size: number): boolean {
  return eyesOf(size).some(([left, top]) => x >= left && x < left + EYE && y >= top && y < top + EYE)
}

/**
 * The smallest version of a symbol whose eyes have that shape. In version 1, which has no alignment pattern, zbar locates
 * modules by the edges of the eyes alone, and fails where these are not straight.
 */
export function leastVersion(frame: EyeShape): number {
  return frame === 'square' ? 1 : 2
}

/**
 * From this version on eyes are always square: decoders derive the number of modules from the width of the eyes, and
 * rounded ones, which measure a little narrower, mislead them in large symbols (zbar 0.23, zxing-cpp 1.4).
 */
const SQUARE_EYES_FROM = 20

function eyeShapeOf({ version }: QrSymbol, shape: EyeShape): EyeShape {
  return version < SQUARE_EYES_FROM ? shape : 'square'
}

/**
 * Outer radii of a frame's corners, clockwise from the upper left one. A circle keeps short straight edges: decoders fit
 * lines to the edges, which a full arc tilts (zbar missed one true circle in eight). A leaf points towards the middle of
 * the symbol and away from it.
 */
function frameRadii(shape: EyeShape, isDiagonal: boolean): number[] {
  const radius = { square: 0, rounded: 2.2, circle: 3.1, leaf: 2.2 }[shape]
  return cornersOf(shape, isDiagonal, [radius, 0])
}

/** The radii of all corners: a leaf has two round and two pointed ones. */
function cornersOf(shape: EyeShape, isDiagonal: boolean, [round, pointed]: readonly [number, number]): number[] {
  if (shape !== 'leaf') return [round, round, round, round]
  return isDiagonal ? [pointed, round, pointed, round] : [round, pointed, round, pointed]
}

/** Draws the rings of the eyes, for the fill rule evenodd. */
export function drawEyeFrames(symbol: QrSymbol, chosen: EyeShape): Path {
  const shape = eyeShapeOf(symbol, chosen)
  const path: Path = []
  for (const [x, y] of eyesOf(symbol.size)) {
    const radii = frameRadii(shape, isOnDiagonal(x, y))
    box(path, [x, y, EYE, EYE], radii)
    box(
      path,
      [x + 1, y + 1, EYE - 2, EYE - 2],
      radii.map((radius) => Math.max(0, radius - 1)),
    )
  }
  return path
}

/** Whether an eye lies on the diagonal from the upper left. */
function isOnDiagonal(x: number, y: number): boolean {
  return x === y
}

/** Half of the width of an eye ball, and its radii, round and pointed. */
type Ball = readonly [half: number, round: number, pointed: number]

/**
 * Eye balls by the shape of their frames. ZXing also checks the diagonals for the widths 1:1:3:1:1, where a frame with
 * round corners needs a smaller ball than one with square corners: it missed a full-size square in a circle in nine images
 * of ten. There is no diamond, which is too narrow along the diagonals.
 */
const balls: Record<'angular' | 'circular', Record<EyeShape, Ball>> = {
  angular: { square: [1.5, 0, 0], rounded: [1.5, 1, 1], circle: [1.6, 1.3, 1.3], leaf: [1.5, 1, 0] },
  circular: { square: [1.35, 0.3, 0.3], rounded: [1.5, 1, 1], circle: [1.6, 1.6, 1.6], leaf: [1.45, 1, 0.6] },
}

/** Draws the eye balls. */
export function drawEyeBalls(symbol: QrSymbol, chosen: EyeShape, frame: EyeShape): Path {
  const shape = eyeShapeOf(symbol, chosen)
  const [half, round, pointed] = balls[eyeShapeOf(symbol, frame) === 'circle' ? 'circular' : 'angular'][shape]
  const path: Path = []
  for (const [x, y] of eyesOf(symbol.size)) {
    const [left, top] = [x + EYE / 2 - half, y + EYE / 2 - half]
    if (round === half) circle(path, x + EYE / 2, y + EYE / 2, half)
    else box(path, [left, top, 2 * half, 2 * half], cornersOf(shape, isOnDiagonal(x, y), [round, pointed]))
  }
  return path
}
