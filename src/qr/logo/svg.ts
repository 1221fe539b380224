import { escapeXml } from '../xml.ts'
import { layerCost, MAX_STOPS, requireCost, requireLayers, requireNear, shapeExtent, type Cost } from './cost.ts'
import { identity, joinExtents, lengthOf, matrixOf, multiply, type Extent, type Matrix } from './geometry.ts'
import { isGradient, linksOf, type Links } from './links.ts'
import { lookOf } from './look.ts'
import { inlineStyles } from './style-sheet.ts'
import { readXml, XmlError, type XmlElement } from './xml-reader.ts'

const shapes = new Set('path rect circle ellipse line polyline polygon'.split(' '))
const drawn = new Set([...shapes, 'linearGradient', 'radialGradient', 'g', 'defs', 'stop', 'clipPath'])
/** Elements without a mark on paper, which are left out. */
const silent = new Set('title desc metadata'.split(' '))
/** What an element has from the one around it, as far as it matters to what it costs. */
const inherited = ['fill', 'stroke', 'stroke-width', 'stroke-linejoin', 'stroke-miterlimit', 'stroke-dasharray']

/** What is known of a drawing while it is written. */
interface Drawing {
  box: Extent
  links: Links
  cost: Cost
  /** What each clip path costs whenever it is used. */
  clips: Map<string, Cost>
}

/** What is around an element. */
interface Around {
  matrix: Matrix
  look: ReadonlyMap<string, string>
  /** Groups that are drawn apart. */
  layers: number
  /** Of the clip path that it belongs to. */
  clip: Cost | undefined
}

/**
 * An SVG reduced to what it draws: known shapes with known attributes. What could run, load or refer to anything outside
 * is not left out but refused, because the drawing would not be what its owner made; so is what would cost too much.
 * @returns the markup of an `svg` element without a place of its own, to stand inside another one
 * @throws {XmlError} with what is wrong, to follow "the logo"
 */
export function sanitizeSvg(text: string): { markup: string; ratio: number } {
  const root = inlineStyles(readXml(text.replace(/^\ufeff/, '')))
  if (root.name !== 'svg') throw new XmlError('must be an <svg> element')
  const [left, top, width, height] = viewBoxOf(root)
  const drawing: Drawing = {
    box: [left, top, left + width, top + height],
    links: linksOf(root, text),
    cost: { segments: 0, coats: 0 },
    clips: new Map(),
  }
  const look = new Map([...lookOf(root)].filter(([name]) => !/^(?:x|y|width|height|viewBox)$/.test(name)))
  if (look.has('transform')) throw new XmlError('must not have a transform on <svg>')
  const group = { ...root, name: 'g', attributes: look }
  const { markup } = write(group, drawing, { matrix: identity, look: new Map(), layers: 0, clip: undefined })
  for (const id of drawing.links.clipUses) add(drawing.cost, drawing.clips.get(id))
  requireCost(drawing.cost)
  return { markup: `viewBox="${[left, top, width, height].join(' ')}">${markup}</svg>`, ratio: width / height }
}

function viewBoxOf({ attributes }: XmlElement): [number, number, number, number] {
  const given = attributes.get('viewBox')
  const size = (name: string) => lengthOf(attributes.get(name)) ?? Number.NaN
  const box =
    given === undefined
      ? [0, 0, size('width'), size('height')]
      : given
          .trim()
          .split(/[\s,]+/)
          .map(Number)
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
  extent: Extent | undefined
}

const nothing: Written = { markup: '', extent: undefined }

function write(element: XmlElement, drawing: Drawing, around: Around): Written {
  const { name, children } = element
  if (silent.has(name) || (name.includes(':') && !name.startsWith('svg:'))) return nothing
  if (!drawn.has(name)) throw new XmlError(`must not hold <${name}>: only shapes, gradients and clip paths are drawn`)
  const own = lookOf(element)
  if (shapes.has(name)) return writeShape(name, own, drawing, around)
  if (isGradient(element)) requireStops(element)
  const isLayer = requireLayer(own, around)
  const inside: Around = {
    matrix: multiply(around.matrix, matrixOf(own.get('transform') ?? '')),
    look: lookWithin(own, around.look),
    layers: around.layers + Number(isLayer),
    clip: name === 'clipPath' ? openClip(element, drawing) : around.clip,
  }
  requireLayers(inside.layers)
  const inner = children.map((child) => write(child, drawing, inside))
  const extent = inner.reduce<Extent | undefined>((all, each) => joinExtents(all, each.extent), undefined)
  if (isLayer) add(drawing.cost, layerCost(extent, drawing.box))
  const markup = inner.map((each) => each.markup).join('')
  const attributes = writeLook(own, drawing) + drawing.links.attributes(element)
  return { markup: `<${name}${attributes}${markup === '' ? '/>' : `>${markup}</${name}>`}`, extent }
}

function openClip({ attributes }: XmlElement, { clips }: Drawing): Cost {
  const cost: Cost = { segments: 0, coats: 0 }
  clips.set(attributes.get('id') ?? '', cost)
  return cost
}

function writeShape(name: string, own: Map<string, string>, drawing: Drawing, around: Around): Written {
  const { box } = drawing
  const matrix = multiply(around.matrix, matrixOf(own.get('transform') ?? ''))
  const { extent, cost } = shapeExtent(name, new Map([...own, ...lookWithin(own, around.look)]), { matrix, box })
  if (extent === undefined) return nothing
  const markup = `<${name}${writeLook(own, drawing)}/>`
  if (around.clip !== undefined) {
    requireLayer(own, around)
    // Wherever it is used, it may lie over everything.
    add(around.clip, { segments: cost.segments, coats: 1 })
    return { markup, extent: undefined }
  }
  // What lies wholly outside is not seen; a renderer would take memory for it.
  if (extent[0] > box[2] || extent[1] > box[3] || extent[2] < box[0] || extent[3] < box[1]) return nothing
  requireNear(extent, box)
  add(drawing.cost, cost)
  if (requireLayer(own, around)) {
    requireLayers(around.layers + 1)
    add(drawing.cost, layerCost(extent, box))
  }
  return { markup, extent }
}

/** Whether an element is drawn apart before it is put onto the others. */
function requireLayer(own: ReadonlyMap<string, string>, { clip }: Around): boolean {
  const isClipped = (own.get('clip-path') ?? 'none') !== 'none'
  // They could multiply without bound.
  if (clip && isClipped) throw new XmlError('must not clip its clip paths')
  const opacity = own.get('opacity') ?? '1'
  return isClipped || (opacity !== '1' && opacity !== '100%')
}

function lookWithin(own: ReadonlyMap<string, string>, around: ReadonlyMap<string, string>): Map<string, string> {
  const look = new Map(around)
  for (const name of inherited) {
    const value = own.get(name)
    if (value !== undefined && value !== 'inherit') look.set(name, value)
  }
  return look
}

function add(cost: Cost, more: Cost | undefined): void {
  cost.segments += more?.segments ?? 0
  cost.coats += more?.coats ?? 0
}

function requireStops({ children }: XmlElement): void {
  if (children.length > MAX_STOPS) throw new XmlError(`has a gradient of more than ${MAX_STOPS} stops`)
}

function writeLook(look: ReadonlyMap<string, string>, { links }: Drawing): string {
  return [...look]
    .map(([name, value]) => ` ${name}="${escapeXml(/^url/i.test(value) ? links.paint(name, value) : value)}"`)
    .join('')
}
