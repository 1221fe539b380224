import type { QrSymbol } from '../encoder/encoder.ts'
import { box, circle, type Path } from './path.ts'

export const eyeShapes = ['square', 'rounded', 'circle', 'leaf'] as const
export type EyeShape = (typeof eyeShapes)[number]

/** Modules of a side of a finder pattern, an eye. */
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
 * The least version of a symbol whose eyes have that shape. In the smallest, which has no alignment pattern, zbar places
 * the modules by the eyes' edges alone, and misplaces them where these are not straight.
 */
export function leastVersion(frame: EyeShape): number {
  return frame === 'square' ? 1 : 2
}

/**
 * From here on eyes are square, whatever their shape: decoders tell the number of modules from the width of the eyes, and
 * rounded ones, which look a little narrower, lead them astray where there are many (zbar 0.23, zxing-cpp 1.4).
 */
const SQUARE_EYES_FROM = 20

function eyeShapeOf({ version }: QrSymbol, shape: EyeShape): EyeShape {
  return version < SQUARE_EYES_FROM ? shape : 'square'
}

/**
 * Radii of a frame's corners outside, clockwise from the upper left one. That of a circle leaves a short straight edge in
 * its middle: decoders fit lines to the edges, which an arc of its whole length tilts (zbar missed one true circle in
 * eight). A leaf is pointed towards the middle of the symbol and away from it.
 */
function frameRadii(shape: EyeShape, isDiagonal: boolean): number[] {
  const radius = { square: 0, rounded: 2.2, circle: 3.1, leaf: 2.2 }[shape]
  return cornersOf(shape, isDiagonal, [radius, 0])
}

/** Round ones and pointed ones, where a leaf has either. */
function cornersOf(shape: EyeShape, isDiagonal: boolean, [round, pointed]: readonly [number, number]): number[] {
  if (shape !== 'leaf') return [round, round, round, round]
  return isDiagonal ? [pointed, round, pointed, round] : [round, pointed, round, pointed]
}

/** The rings of the eyes; to be filled by the rule evenodd. */
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

/** Half of the width of what is in an eye, and its radii, round and pointed. */
type Ball = readonly [half: number, round: number, pointed: number]

/**
 * What is in the eyes, by the shape of their frames. ZXing looks along the diagonals too for the widths 1:1:3:1:1, and
 * there a frame of round corners needs a smaller ball than one of square corners: a square in a circle, drawn to full
 * size, was missed in nine images of ten. A diamond is not among the shapes: along its diagonals it is too small.
 */
const balls: Record<'angular' | 'circular', Record<EyeShape, Ball>> = {
  angular: { square: [1.5, 0, 0], rounded: [1.5, 1, 1], circle: [1.6, 1.3, 1.3], leaf: [1.5, 1, 0] },
  circular: { square: [1.35, 0.3, 0.3], rounded: [1.5, 1, 1], circle: [1.6, 1.6, 1.6], leaf: [1.45, 1, 0.6] },
}

/** What is in the eyes' frames. */
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
