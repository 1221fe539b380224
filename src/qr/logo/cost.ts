import { joinExtents, moveExtent, outlineOf, type Extent, type Outline } from './geometry.ts'
import type { Matrix } from './transform.ts'
import { XmlError } from './xml-reader.ts'

// The renderer needs memory for the extent of a group, also outside of the image, and time for every segment and pixel.
// The costliest drawings within these bounds that were found take 1.5 s of a busy machine, or 93 MB, in an image of 4096 pixels;
// real ones come nowhere near. What takes more all the same, the pool aborts (`cpuTime`), and the renderer has no memory for.
/** Lines and curves; stroked ones count four times, dashes each. */
const MAX_SEGMENTS = 12_000
/** How many times a logo may paint over its whole area. */
const MAX_OVERDRAW = 30
/** Of all lines and curves together, in sides of the drawing; stroked ones count three times, those of gradients six. */
const MAX_LENGTH = 6_000
const MAX_LAYERS = 8
/** Coordinates on the way to the drawing, in sides of the viewBox. */
const MAX_DISTANCE = 1000
/** The area of layers in one another, which the renderer has in memory at once, in areas of the viewBox; clip paths count twice. */
const MAX_LAYERED = 10
export const MAX_STOPS = 100

/** The cost of drawing. */
export interface Cost {
  segments: number
  /** How many times the whole area is painted. */
  overdraw: number
  /** How long the lines and curves are together, in sides of the drawing: the renderer follows each of them row by row. */
  length: number
}

export const NO_COST: Cost = { segments: 0, overdraw: 0, length: 0 }

/** What is drawn separately before it is composited. */
export type Layer = 'clipped' | 'translucent'

/** The cost of painting with a gradient, which is begun anew in each row, and of a layer, relative to a plain colour. */
const GRADIENT_FACTOR = 6
const LAYER_FACTOR = 2
/** The memory of a clipped layer, relative to another: the renderer draws the clip path as large as the layer. */
const CLIPPED_FACTOR = 2

/** What the cost of a shape depends on besides the shape. */
export interface ShapeContext {
  /** The product of all transforms, and of their absolute values. */
  matrix: Matrix
  largest: Matrix
  /** The shape's own transform. */
  own: Matrix
  box: Extent
}

/**
 * The extent of a shape in the drawing and around the shape, and its cost.
 * @returns with the largest coordinate that the renderer may come across on the way to the extent
 */
export function shapeExtent(
  name: string,
  properties: ReadonlyMap<string, string>,
  { matrix, largest, own, box }: ShapeContext,
): { extent: Extent | undefined; around: Extent | undefined; cost: Cost; largest: number } {
  const outline = outlineOf(name, properties)
  if (outline.extent === undefined) return { extent: undefined, around: undefined, cost: NO_COST, largest: 0 }
  const stroke = strokeOf(name, outline, properties)
  const extent = moveExtent(outline.extent, matrix, stroke.around)
  const isGradient = ['fill', 'stroke'].some((paint) => /^url/i.test(properties.get(paint) ?? ''))
  const gradient = isGradient ? GRADIENT_FACTOR : 1
  const [left, top, right, bottom] = outline.extent.map(Math.abs)
  const farthest: Extent = [0, 0, Math.max(left ?? 0, right ?? 0), Math.max(top ?? 0, bottom ?? 0)]
  return {
    extent,
    around: moveExtent(outline.extent, own, stroke.around),
    cost: {
      segments: outline.segments + stroke.segments,
      // Also outside of the drawing, where a layer has it, too.
      overdraw: areasOf(extent, box) * gradient,
      length: outline.length * scaleOf(matrix, box) * (stroke.segments > 0 ? 3 : 1) * gradient,
    },
    largest: Math.max(...moveExtent(farthest, largest, stroke.around)),
  }
}

/** How far a stroke reaches beyond its line, and its cost. */
function strokeOf(
  name: string,
  { segments, length }: Outline,
  properties: ReadonlyMap<string, string>,
): { around: number; segments: number } {
  const valueOf = (property: string, otherwise: string) => properties.get(property) ?? otherwise
  if (valueOf('stroke', 'none') === 'none') return { around: 0, segments: 0 }
  const width = Number(valueOf('stroke-width', '1'))
  const isPointed =
    name.startsWith('p') && segments > 2 && !/^(?:round|bevel)$/.test(valueOf('stroke-linejoin', 'miter'))
  const reach = isPointed ? Math.max(1.5, Number(valueOf('stroke-miterlimit', '4'))) : 1.5
  const dashes = length / dashLength(properties.get('stroke-dasharray'))
  return { around: (width / 2) * reach, segments: segments * 3 + dashes * 4 }
}

/** The mean length of a dash with its gap. */
function dashLength(dashes: string | undefined): number {
  if (dashes === undefined || dashes === 'none') return Infinity
  const lengths = dashes.split(' ').map(Number)
  return (lengths.reduce((a, b) => a + b, 0) * 2) / lengths.length
}

/** The cost of a layer: a group with opacity or a clip path, which is drawn separately. */
export function layerCost(extent: Extent | undefined, box: Extent): Cost {
  return { ...NO_COST, overdraw: areasOf(extent, box) * LAYER_FACTOR }
}

/** The memory of a layer, as `MAX_LAYERED` counts it. */
export function layeredArea(layer: Layer, extent: Extent | undefined, box: Extent): number {
  return areasOf(extent, box) * (layer === 'clipped' ? CLIPPED_FACTOR : 1)
}

/** How long a line of length 1 is on average once it is transformed, in sides of the drawing. */
function scaleOf(matrix: Matrix, box: Extent): number {
  return Math.hypot(...matrix.slice(0, 4)) / Math.sqrt(2 * areaOf(box))
}

/** The area of an extent, in those of a box. */
export function areasOf(extent: Extent | undefined, box: Extent): number {
  return extent === undefined ? 0 : areaOf(extent) / areaOf(box)
}

function areaOf([left, top, right, bottom]: Extent): number {
  return (right - left) * (bottom - top)
}

/** @throws {XmlError} when an extent exceeds the drawing by more than its width or height */
export function requireNear(extent: Extent, box: Extent): void {
  const [width, height] = [box[2] - box[0], box[3] - box[1]]
  const bounds: Extent = [box[0] - width, box[1] - height, box[2] + width, box[3] + height]
  const all = joinExtents(extent, bounds)
  if (all?.every((each, index) => each === bounds[index])) return
  throw new XmlError('has a shape or stroke that exceeds its viewBox by more than its width or height')
}

/**
 * The renderer calculates with 24 bits: of coordinates that are large and cancel each other out, nothing but their error
 * would be left.
 * @throws {XmlError} when the drawing goes through coordinates that are too large for its viewBox
 */
export function requirePrecise(largest: number, box: Extent): void {
  if (largest <= MAX_DISTANCE * Math.max(box[2] - box[0], box[3] - box[1])) return
  throw new XmlError(`has coordinates of more than ${MAX_DISTANCE} times its viewBox`)
}

export function requireLayers(layers: number): void {
  if (layers <= MAX_LAYERS) return
  throw new XmlError(`has nested opacities and clip paths: at most ${MAX_LAYERS} levels are drawn`)
}

/** @throws {XmlError} when layers in one another are larger than the renderer may have at once */
export function requireLayered(area: number): void {
  if (area <= MAX_LAYERED) return
  const times = `${MAX_LAYERED} times its viewBox (a clip path counts ${CLIPPED_FACTOR})`
  throw new XmlError(`has nested opacities and clip paths of ${Math.round(area)} times: at most ${times}`)
}

export function requireCost({ segments, overdraw, length }: Cost): void {
  if (segments > MAX_SEGMENTS) {
    const count = Math.round(segments).toLocaleString('en')
    throw new XmlError(`has ${count} lines and curves (stroked ones count 4): at most ${MAX_SEGMENTS} are drawn`)
  }
  if (length > MAX_LENGTH)
    throw new XmlError(
      `has lines and curves as long as ${Math.round(length)} of its sides together (those of a gradient count ${GRADIENT_FACTOR}): at most ${MAX_LENGTH}`,
    )
  if (overdraw <= MAX_OVERDRAW) return
  const times = `${MAX_OVERDRAW} times (a gradient counts ${GRADIENT_FACTOR}, an opacity or clip path ${LAYER_FACTOR})`
  throw new XmlError(`paints over itself ${Math.round(overdraw)} times: at most ${times}`)
}
