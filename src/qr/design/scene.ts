import { invalidRequest } from '../../http/problem.ts'
import type { Color } from '../color.ts'
import { rasterOf } from '../raster.ts'
import { drawEyeBalls, drawEyeFrames } from './eyes.ts'
import type { Font } from './font.ts'
import type { Logo } from '../logo/logo.ts'
import type { SymbolWithLogo } from './logo-placement.ts'
import { box, type Path } from './path.ts'
import { drawModules } from './shapes.ts'
import type { Fill, Frame, Style } from './style.ts'

/** A filled shape. */
export interface Shape {
  path: Path
  fill: Fill
  /** Whether to fill by the rule evenodd. */
  evenOdd: boolean
}

/** Everything to draw, from back to front. */
export interface Scene {
  /** Pixels. */
  width: number
  height: number
  /** Behind everything; without a frame it fills the image. */
  background: Color
  /** In pixels. */
  frame: Shape[]
  /** The symbol: its upper left corner in pixels, pixels of a module, modules of a side. */
  symbol: { x: number; y: number; scale: number; size: number }
  /** In modules. */
  shapes: Shape[]
  /** In modules. */
  logo: { image: Logo; x: number; y: number; width: number; height: number } | undefined
  /** The text that the symbol encodes. */
  text: string
}

/** Modules that a frame takes on each side. */
const BORDER = 1
/** The height of the bar with the text, as a share of the image's width. */
const BAR = 0.17

/** Modules that a frame, if there is one, takes on each side. */
export const frameBorder = (frame: object | undefined): number => (frame === undefined ? 0 : BORDER)

/** Modules from edge to edge: the symbol, its quiet zone and the sides of a frame. */
export function columnsOf({ symbol }: SymbolWithLogo, { margin, frame }: Style): number {
  return symbol.size + 2 * (margin + frameBorder(frame))
}

/**
 * Lays out a design: modules are whole pixels, and remaining pixels widen the quiet zone. With a frame the image is higher
 * than wide; `size` is its width.
 * @throws {Problem} 400 with the smallest size that works
 */
export function composeScene(
  marked: SymbolWithLogo,
  style: Style,
  options: { size: number; text: string; font: Font },
): Scene {
  const { symbol, hole } = marked
  const { size, font, text } = options
  const columns = columnsOf(marked, style)
  const { scale, offset } = rasterOf(symbol.size, { size, margin: (columns - symbol.size) / 2 })
  if (scale === 0) {
    const detail = `must be at least ${columns} for this data, margin and frame`
    throw invalidRequest([{ pointer: '/size', detail }])
  }
  const bar = style.frame === undefined ? 0 : Math.round(size * BAR)
  const shapes: Shape[] = [
    {
      path: drawModules(symbol, style.shape, style.logo?.knockout ? hole : undefined),
      fill: style.ink,
      evenOdd: false,
    },
    { path: drawEyeFrames(symbol, style.eyeFrame), fill: style.eyeFrameInk, evenOdd: true },
    { path: drawEyeBalls(symbol, style.eyeBall, style.eyeFrame), fill: style.eyeBallInk, evenOdd: false },
  ]
  const onTop = style.frame?.position === 'top'
  return {
    width: size,
    height: size + bar,
    background: style.background,
    frame:
      style.frame === undefined
        ? []
        : drawFrame(style.frame, { size, bar, border: scale * BORDER, font, background: style.background }),
    symbol: { x: offset, y: offset + (onTop ? bar : 0), scale, size: symbol.size },
    shapes,
    logo: style.logo && hole && { image: style.logo.image, ...inset(hole, style.logo.knockout) },
    text,
  }
}

/** Leaves a gap between a logo and the modules around it. */
function inset({ x, y, width, height }: { x: number; y: number; width: number; height: number }, knockout: boolean) {
  const gap = knockout ? 0.4 : 0
  return { x: x + gap, y: y + gap, width: width - 2 * gap, height: height - 2 * gap }
}

interface FrameMeasures {
  size: number
  bar: number
  border: number
  font: Font
  background: Color
}

/** Draws a box with a hole for the symbol, the background of the symbol, and the text in the bar. */
function drawFrame(frame: Frame, { size, bar, border, font, background }: FrameMeasures): Shape[] {
  const radius = frame.isRounded ? size * 0.05 : 0
  const isTop = frame.position === 'top'
  const inner = [border, border + (isTop ? bar : 0), size - 2 * border, size - 2 * border] as const
  const [outside, inside, letters]: Path[] = [[], [], []]
  box(outside as Path, [0, 0, size, size + bar], [radius])
  box(inside as Path, inner, [Math.max(0, radius - border)])
  // As high as the bar allows, and no wider than the frame.
  const height = Math.min((bar + border) * 0.62, (size * 0.88) / font.width(frame.text))
  const middle = isTop ? (bar + border) / 2 : size + (bar - border) / 2
  const x = (size - font.width(frame.text) * height) / 2
  font.draw(letters as Path, frame.text, { x, y: middle + height * 0.355, height })
  return [
    { path: [...(outside as Path), ...(inside as Path)], fill: { color: frame.color }, evenOdd: true },
    ...(background[3] === 0 ? [] : [{ path: inside as Path, fill: { color: background }, evenOdd: false }]),
    { path: letters as Path, fill: { color: frame.textColor }, evenOdd: false },
  ]
}

/** The ends of a linear gradient across a square of `size` modules. */
export function gradientLine(angle: number, size: number): { x1: number; y1: number; x2: number; y2: number } {
  const [across, down] = [Math.cos((angle * Math.PI) / 180), Math.sin((angle * Math.PI) / 180)]
  // Half of the extent of the square in that direction.
  const half = ((Math.abs(across) + Math.abs(down)) * size) / 2
  const middle = size / 2
  return {
    x1: middle - across * half,
    y1: middle - down * half,
    x2: middle + across * half,
    y2: middle + down * half,
  }
}

/** The radius of a radial gradient, which reaches the corners of the square. */
export function gradientRadius(size: number): number {
  return (size / 2) * Math.SQRT2
}
