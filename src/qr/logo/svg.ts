import { escapeXml } from '../xml.ts'
import { areasOf, layerCost, layeredArea, MAX_STOPS, NO_COST } from './cost.ts'
import { requireCost, requireLayered, requireLayers } from './cost.ts'
import { requireNear, requirePrecise, shapeExtent, type Cost, type Layer } from './cost.ts'
import { joinExtents, moveExtent, type Extent } from './geometry.ts'
import { measured } from './measure.ts'
import { lengthOf, numbersOf } from './numbers.ts'
import { presentationOf } from './presentation.ts'
import { isGradient, referencesIn, type References } from './references.ts'
import { inlineStyles } from './style-sheet.ts'
import { referenceOf } from './url-reference.ts'
import { absolute, identity, matrixOf, multiply, type Matrix } from './transform.ts'
import { readXml, XmlError, type XmlElement } from './xml-reader.ts'

const shapes = new Set('path rect circle ellipse line polyline polygon'.split(' '))
const supported = new Set([...shapes, 'linearGradient', 'radialGradient', 'g', 'defs', 'stop', 'clipPath'])
/** Elements that draw nothing, which are dropped. */
const ignored = new Set('title desc metadata'.split(' '))
/** Inherited properties that affect the cost of drawing. */
const inherited = ['fill', 'stroke', 'stroke-width', 'stroke-linejoin', 'stroke-miterlimit', 'stroke-dasharray']

/** The state of a drawing while it is written. */
interface Drawing {
  box: Extent
  references: References
  cost: Cost
  /** The cost of each clip path for a layer as large as the drawing. */
  clips: Map<string, Cost>
  clipUses: ClipUse[]
}

/** A layer that is clipped. */
interface ClipUse {
  id: string
  /** Its area, in those of the viewBox. */
  areas: number
}

/** What an element inherits. */
interface Context {
  /** The transform of the element around it alone, */
  own: Matrix
  /** and the product of all. */
  matrix: Matrix
  /** The product of the absolute values of all transforms. */
  largest: Matrix
  properties: ReadonlyMap<string, string>
  /** Nested layers. */
  layers: number
  /** The cost of the clip path around the element. */
  clip: Cost | undefined
}

/**
 * Reduces an SVG to known shapes with known attributes. Scripts and external references are refused instead of dropped,
 * because the drawing would differ from the original; drawings that cost too much are refused as well.
 * @returns the markup of an `svg` element without position, to be nested in another one
 * @throws {XmlError} whose message follows "the logo"
 */
export function sanitizeSvg(text: string): { markup: string; ratio: number } {
  const root = inlineStyles(readXml(text.replace(/^\ufeff/, '')))
  if (root.name !== 'svg') throw new XmlError('must be an <svg> element')
  const [left, top, width, height] = viewBoxOf(root)
  const drawing: Drawing = {
    box: [left, top, left + width, top + height],
    references: referencesIn(root, text),
    cost: { ...NO_COST },
    clips: new Map(),
    clipUses: [],
  }
  const properties = new Map([...presentationOf(root)].filter(([name]) => !/^(?:x|y|width|height|viewBox)$/.test(name)))
  if (properties.has('transform')) throw new XmlError('must not have a transform on <svg>')
  const group = { ...root, name: 'g', attributes: properties }
  const { markup, layered } = write(group, drawing, {
    own: identity,
    matrix: identity,
    largest: identity,
    properties: new Map(),
    layers: 0,
    clip: undefined,
  })
  for (const { id, areas } of drawing.clipUses) {
    const { segments, overdraw, length } = drawing.clips.get(id) ?? NO_COST
    add(drawing.cost, { segments, overdraw: overdraw * areas, length: length * areas })
  }
  requireLayered(layered)
  requireCost(drawing.cost)
  return { markup: `viewBox="${[left, top, width, height].join(' ')}">${markup}</svg>`, ratio: width / height }
}

function viewBoxOf({ attributes }: XmlElement): [number, number, number, number] {
  const given = attributes.get('viewBox')
  const size = (name: string) => lengthOf(attributes.get(name)?.trim() ?? '', Number.NaN) ?? Number.NaN
  const box = given === undefined ? [0, 0, size('width'), size('height')] : (numbersOf(given) ?? [])
  const [left = 0, top = 0, width = 0, height = 0] = box
  const isNear = [left, top].every((each) => Math.abs(each) <= 1e6)
  if (box.length !== 4 || !isNear || ![width, height].every((side) => side >= 0.001 && side <= 1e6)) {
    throw new XmlError('must have a viewBox, or a width and a height, of sides from 0.001 to 1,000,000')
  }
  if (width > height * 20 || height > width * 20) throw new XmlError('must have a viewBox of a ratio of at most 20:1')
  return [left, top, width, height]
}

interface Written {
  markup: string
  /**
   * In the coordinates around the element: the renderer takes for a group the box of the boxes of what is in it, which grows with each
   * rotation, also where they cancel each other out.
   */
  extent: Extent | undefined
  /** The area of layers in one another, in those of the viewBox. */
  layered: number
}

const nothing: Written = { markup: '', extent: undefined, layered: 0 }

function write(element: XmlElement, drawing: Drawing, context: Context): Written {
  const { name, children } = element
  if (ignored.has(name) || (name.includes(':') && !name.startsWith('svg:'))) return nothing
  if (!supported.has(name))
    throw new XmlError(`must not have <${name}>: only shapes, gradients and clip paths are supported`)
  const own = measured(name, presentationOf(element), drawing.box)
  if (shapes.has(name)) return writeShape(name, own, drawing, context)
  if (isGradient(element)) requireStops(element)
  const clip = name === 'clipPath' ? openClip(element, drawing) : context.clip
  const layer = layerOf(own, clip)
  const inside: Context = {
    ...transformedBy(own, context),
    properties: inheritedBy(own, context.properties),
    layers: context.layers + Number(layer !== undefined),
    clip,
  }
  requireLayers(inside.layers)
  const inner = children.map((child) => write(child, drawing, inside))
  const box = inner.reduce<Extent | undefined>((all, each) => joinExtents(all, each.extent), undefined)
  const drawn = box && moveExtent(box, inside.matrix)
  const extent = box && moveExtent(box, inside.own)
  const layered = inner.reduce((most, each) => Math.max(most, each.layered), 0) + addLayer(layer, drawn, own, drawing)
  const markup = inner.map((each) => each.markup).join('')
  const attributes = writeProperties(own, drawing) + drawing.references.attributes(element)
  return { markup: `<${name}${attributes}${markup === '' ? '/>' : `>${markup}</${name}>`}`, extent, layered }
}

/** @returns its area, in those of the viewBox */
function addLayer(
  layer: Layer | undefined,
  extent: Extent | undefined,
  own: ReadonlyMap<string, string>,
  { cost, box, clipUses }: Drawing,
): number {
  if (layer === undefined) return 0
  add(cost, layerCost(extent, box))
  const clip = referenceOf(own.get('clip-path') ?? '')
  if (clip) clipUses.push({ id: clip.id, areas: areasOf(extent, box) })
  return layeredArea(layer, extent, box)
}

function openClip({ attributes }: XmlElement, { clips }: Drawing): Cost {
  const cost = { ...NO_COST }
  clips.set(attributes.get('id') ?? '', cost)
  return cost
}

function writeShape(name: string, own: Map<string, string>, drawing: Drawing, context: Context): Written {
  const { box } = drawing
  const properties = new Map([...own, ...inheritedBy(own, context.properties)])
  const layer = layerOf(own, context.clip)
  const transforms = { ...transformedBy(own, context), box }
  const { extent, around, cost, largest } = shapeExtent(name, properties, transforms)
  if (extent === undefined) return nothing
  const markup = `<${name}${writeProperties(own, drawing)}/>`
  if (context.clip !== undefined) {
    // Wherever a clip path is used, its shapes may cover all of what it clips, and each of its lines may cross it.
    const { segments } = cost
    add(context.clip, { segments, overdraw: 1, length: segments })
    return { markup, extent: undefined, layered: 0 }
  }
  // Shapes outside of the box are invisible, but would cost the renderer memory.
  if (extent[0] > box[2] || extent[1] > box[3] || extent[2] < box[0] || extent[3] < box[1]) return nothing
  requireNear(extent, box)
  requirePrecise(largest, box)
  add(drawing.cost, cost)
  if (layer !== undefined) requireLayers(context.layers + 1)
  return {
    markup,
    extent: around,
    layered: addLayer(layer, extent, own, drawing),
  }
}

function transformedBy(
  properties: ReadonlyMap<string, string>,
  context: Context,
): Pick<Context, 'own' | 'matrix' | 'largest'> {
  const own = matrixOf(properties.get('transform') ?? '')
  return { own, matrix: multiply(context.matrix, own), largest: multiply(context.largest, absolute(own)) }
}

/**
 * Whether an element is a layer.
 * @param clip the cost of the clip path that it is, or is part of
 */
function layerOf(own: ReadonlyMap<string, string>, clip: Cost | undefined): Layer | undefined {
  const isClipped = (own.get('clip-path') ?? 'none') !== 'none'
  // The cost of nested clip paths would multiply.
  if (clip && isClipped) throw new XmlError('must not clip its clip paths')
  const opacity = own.get('opacity') ?? '1'
  if (isClipped) return 'clipped'
  return opacity === '1' ? undefined : 'translucent'
}

/** The inherited properties, overridden by those of the element. */
function inheritedBy(own: ReadonlyMap<string, string>, outer: ReadonlyMap<string, string>): Map<string, string> {
  const properties = new Map(outer)
  for (const name of inherited) {
    const value = own.get(name)
    if (value !== undefined && value !== 'inherit') properties.set(name, value)
  }
  return properties
}

function add(cost: Cost, { segments, overdraw, length }: Cost): void {
  cost.segments += segments
  cost.overdraw += overdraw
  cost.length += length
}

function requireStops({ children }: XmlElement): void {
  if (children.length > MAX_STOPS) throw new XmlError(`has a gradient of more than ${MAX_STOPS} stops`)
}

function writeProperties(properties: ReadonlyMap<string, string>, { references }: Drawing): string {
  return [...properties]
    .map(([name, value]) => ` ${name}="${escapeXml(/^url/i.test(value) ? references.paint(name, value) : value)}"`)
    .join('')
}
