import { escapeXml } from '../xml.ts'
import { readXml, XmlError, type XmlElement } from './xml-reader.ts'

const drawn = new Set(
  'svg g defs path rect circle ellipse line polyline polygon linearGradient radialGradient stop clipPath'.split(' '),
)
/** Elements without a mark on paper, which are left out. */
const silent = new Set('title desc metadata'.split(' '))

const kept = new Set(
  (
    'id d x y x1 y1 x2 y2 cx cy r rx ry fx fy width height viewBox points transform fill fill-opacity fill-rule stroke ' +
    'stroke-width stroke-linecap stroke-linejoin stroke-miterlimit stroke-opacity opacity offset stop-color stop-opacity ' +
    'gradientUnits gradientTransform spreadMethod clip-path clip-rule clipPathUnits color preserveAspectRatio display'
  ).split(' '),
)

/**
 * An SVG reduced to what it draws: known shapes with known attributes. What could run, load or refer to anything outside
 * is not left out but refused, because the drawing would not be what its owner made.
 * @returns the markup of an `svg` element without a place of its own, to stand inside another one
 * @throws {XmlError} with what is wrong, to follow "the logo"
 */
export function sanitizeSvg(text: string): { markup: string; ratio: number } {
  const root = readXml(text.replace(/^\ufeff/, ''))
  if (root.name !== 'svg') throw new XmlError('must be an <svg> element')
  const box = viewBoxOf(root)
  const inner = root.children.map((child) => write(child, false)).join('')
  const attributes = new Map([...root.attributes].filter(([name]) => !/^(?:x|y|width|height|viewBox)$/.test(name)))
  const [, , width = 1, height = 1] = box
  return {
    markup: `viewBox="${box.join(' ')}"${writeAttributes({ ...root, attributes }, false)}>${inner}</svg>`,
    ratio: width / height,
  }
}

function viewBoxOf({ attributes }: XmlElement): number[] {
  const given = attributes
    .get('viewBox')
    ?.trim()
    .split(/[\s,]+/)
    .map(Number)
  const size = (name: string) => Number.parseFloat(attributes.get(name) ?? '')
  const box = given ?? [0, 0, size('width'), size('height')]
  const [, , width = 0, height = 0] = box
  const ratio = width / height
  if (box.length !== 4 || !box.every((each) => Math.abs(each) <= 1e6) || !(ratio >= 1 / 20 && ratio <= 20)) {
    throw new XmlError('must have a viewBox, or a width and a height, of a ratio of at most 20:1')
  }
  return box
}

function write(element: XmlElement, isClip: boolean): string {
  const { name, children } = element
  if (silent.has(name) || name.includes(':')) return ''
  if (!drawn.has(name)) throw new XmlError(`must not hold <${name}>: only shapes, gradients and clip paths are drawn`)
  const inside = isClip || name === 'clipPath'
  const inner = children.map((child) => write(child, inside)).join('')
  return `<${name}${writeAttributes(element, inside)}${inner === '' ? '/>' : `>${inner}</${name}>`}`
}

function writeAttributes({ attributes }: XmlElement, isClip: boolean): string {
  const all = [...attributes].flatMap(([name, value]) =>
    name === 'style' ? readStyle(value) : [[name, value] as const],
  )
  return all
    .map(([name, value]) => {
      if (/^on/i.test(name)) throw new XmlError(`must not hold the script of ${name}`)
      const isReference = /(?:^|:)href$/i.test(name)
      if (isReference && !value.startsWith('#')) throw new XmlError('must not refer to anything outside itself')
      // A clip path that is clipped itself could multiply without bound.
      if (!kept.has(name) || (isClip && name === 'clip-path')) return ''
      return ` ${name}="${escapeXml(name === 'id' ? ownId(value) : ownReference(value))}"`
    })
    .join('')
}

function readStyle(style: string): (readonly [name: string, value: string])[] {
  return style
    .split(';')
    .map((part) => part.split(':').map((each) => each.trim()))
    .flatMap(([name = '', ...value]) => (name === '' ? [] : [[name, value.join(':')] as const]))
}

/** Ids of its own, which cannot be mistaken for those of the image around it. */
function ownId(id: string): string {
  return `logo-${id}`
}

function ownReference(value: string): string {
  if (!/url\s*\(|@import|javascript:|expression/i.test(value)) return value
  const id = /^url\(\s*["']?#([\w.:-]+)["']?\s*\)$/.exec(value.trim())?.[1]
  if (id === undefined) throw new XmlError('must not refer to anything outside itself')
  return `url(#${ownId(id)})`
}
