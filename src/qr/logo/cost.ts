import { joinExtents, lengthOf, moveExtent, outlineOf, type Extent, type Matrix, type Outline } from './geometry.ts'
import { XmlError } from './xml-reader.ts'

// A renderer takes memory for what a group covers, also outside of the picture, and time for every segment and pixel. These
// bounds keep nearly all of the worst logos to about a second and 150 MB in an image of 1024 pixels; drawings come nowhere
// near. Thousands of curves that lie on each other can take the renderer seven; the pool ends that (`effort`).
/** Lines and curves; stroked ones count four times, dashes each. */
const MAX_SEGMENTS = 12_000
/** How often a logo may paint over its whole area. */
const MAX_COATS = 100
const MAX_LAYERS = 8
/** Lengths in a pattern of dashes, which is read for each shape that is stroked with it. */
const MAX_DASHES = 100
export const MAX_STOPS = 100

/** What drawing costs: segments, and coats over the whole area. */
export interface Cost {
  segments: number
  coats: number
}

/** Times that a plain coat takes. */
const GRADIENT_COAT = 6
const LAYER_COAT = 2

/** Where a drawing lies, and how far something reaches there. */
export function shapeExtent(
  name: string,
  look: ReadonlyMap<string, string>,
  { matrix, box }: { matrix: Matrix; box: Extent },
): { extent: Extent | undefined; cost: Cost } {
  const whole = Math.max(box[2] - box[0], box[3] - box[1])
  const outline = outlineOf(name, look, whole)
  if (outline.extent === undefined) return { extent: undefined, cost: { segments: 0, coats: 0 } }
  const stroke = strokeOf(name, outline, look, whole)
  const extent = moveExtent(outline.extent, matrix, stroke.around)
  const isGradient = ['fill', 'stroke'].some((paint) => /^url/i.test(look.get(paint) ?? ''))
  const coats = shareOf(extent, box) * (isGradient ? GRADIENT_COAT : 1)
  return { extent, cost: { segments: outline.segments + stroke.segments, coats } }
}

/** How far a stroke reaches beyond its line, and what it costs. */
function strokeOf(
  name: string,
  { segments, length }: Outline,
  look: ReadonlyMap<string, string>,
  whole: number,
): { around: number; segments: number } {
  const said = (property: string, otherwise: string) => look.get(property) ?? otherwise
  if (said('stroke', 'none') === 'none') return { around: 0, segments: 0 }
  const width = lengthOf(said('stroke-width', '1'), whole) ?? 1
  const isPointed = name.startsWith('p') && segments > 2 && !/^(?:round|bevel)$/.test(said('stroke-linejoin', 'miter'))
  const reach = isPointed ? Math.max(1.5, Number(said('stroke-miterlimit', '4'))) : 1.5
  const dashes = length / dashLength(look.get('stroke-dasharray'), whole)
  return { around: (width / 2) * reach, segments: segments * 3 + dashes * 4 }
}

/** The mean length of a dash with the gap behind it. */
function dashLength(dashes: string | undefined, whole: number): number {
  if (dashes === undefined || dashes === 'none') return Infinity
  const parts = dashes.split(/[\s,]+/)
  if (parts.length > MAX_DASHES) throw new XmlError(`has a stroke-dasharray of more than ${MAX_DASHES} lengths`)
  const lengths = parts.map((each) => lengthOf(each, whole) ?? 0)
  const sum = lengths.reduce((a, b) => a + b, 0)
  return sum > 0 ? (sum * 2) / lengths.length : Infinity
}

/** How much of a box an extent covers. */
function shareOf([left, top, right, bottom]: Extent, box: Extent): number {
  const width = Math.min(right, box[2]) - Math.max(left, box[0])
  const height = Math.min(bottom, box[3]) - Math.max(top, box[1])
  return (Math.max(0, width) * Math.max(0, height)) / areaOf(box)
}

/** What a group costs that is drawn apart, for its opacity or its clip path. */
export function layerCost(extent: Extent | undefined, box: Extent): Cost {
  return { segments: 0, coats: extent === undefined ? 0 : (areaOf(extent) / areaOf(box)) * LAYER_COAT }
}

function areaOf([left, top, right, bottom]: Extent): number {
  return (right - left) * (bottom - top)
}

/** @throws {XmlError} when something reaches further than once more the drawing's own side */
export function requireNear(extent: Extent, box: Extent): void {
  const [width, height] = [box[2] - box[0], box[3] - box[1]]
  const bounds: Extent = [box[0] - width, box[1] - height, box[2] + width, box[3] + height]
  const all = joinExtents(extent, bounds)
  if (all?.every((each, index) => each === bounds[index])) return
  throw new XmlError('has a shape or stroke that reaches beyond its viewBox by more than the width or height of that')
}

export function requireLayers(layers: number): void {
  if (layers <= MAX_LAYERS) return
  throw new XmlError(`has opacities and clip paths in each other: at most ${MAX_LAYERS} are drawn`)
}

export function requireCost({ segments, coats }: Cost): void {
  if (segments > MAX_SEGMENTS) {
    const count = Math.round(segments).toLocaleString('en')
    throw new XmlError(`has ${count} lines and curves (stroked ones count 4): at most ${MAX_SEGMENTS} are drawn`)
  }
  if (coats <= MAX_COATS) return
  const times = `${MAX_COATS} times (a gradient counts ${GRADIENT_COAT}, an opacity or clip path ${LAYER_COAT})`
  throw new XmlError(`paints over itself ${Math.round(coats)} times: at most ${times}`)
}
