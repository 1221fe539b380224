import { declarationsOf } from './css.ts'
import { matrixOf } from './geometry.ts'
import { referenceOf } from './reference.ts'
import { XmlError, type XmlElement } from './xml-reader.ts'

const set = (words: string) => new Set(words.split(' '))

/** Attributes that say where an element is. */
const places = set(
  'd points x y x1 y1 x2 y2 cx cy r rx ry fx fy width height viewBox transform gradientUnits gradientTransform ' +
    'spreadMethod offset clipPathUnits preserveAspectRatio',
)
/** Properties (SVG 1.1, appendix N; SVG 2, appendix H) that say how it looks, and that every renderer draws alike. */
const looks = set(
  'clip-path clip-rule color display fill fill-opacity fill-rule opacity paint-order shape-rendering stop-color ' +
    'stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit ' +
    'stroke-opacity stroke-width visibility',
)
/**
 * What would change the drawing and is not kept, with the values that change nothing. All the rest of SVG is left out
 * without harm: it is about text, pointers, filters, programs and editors, or advice on colours and speed.
 */
const refused: Record<string, RegExp> = {
  animation: /^none$/,
  'animation-name': /^none$/,
  'backdrop-filter': /^none$/,
  background: /^(?:none|transparent)$/,
  'background-color': /^transparent$/,
  'background-image': /^none$/,
  clip: /^auto$/,
  filter: /^none$/,
  fr: /^0%?$/,
  marker: /^none$/,
  'marker-end': /^none$/,
  'marker-mid': /^none$/,
  'marker-start': /^none$/,
  mask: /^none$/,
  'mask-image': /^none$/,
  'mix-blend-mode': /^normal$/,
  'offset-path': /^none$/,
  pathLength: /^$/,
  requiredExtensions: /^$/,
  rotate: /^none$/,
  scale: /^none$/,
  systemLanguage: /^$/,
  'transform-origin': /^0(?:px|%)?(?: 0(?:px|%)?)?$/,
  translate: /^none$/,
  'vector-effect': /^none$/,
}

const color = /^(?:#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})|[a-z]+|(?:rgb|hsl)a?\([\d\s.,%/+-]+\))$/i
const isColor = (value: string) => color.test(value)
const isPaint = (value: string) => {
  const { rest } = referenceOf(value) ?? { rest: value }
  return rest === '' ? value !== '' : isColor(rest)
}
/** The values that are understood; those of other properties are words and numbers. */
const values: Record<string, (value: string) => boolean> = {
  fill: isPaint,
  stroke: isPaint,
  color: isColor,
  'stop-color': isColor,
  'clip-path': (value) => value.toLowerCase() === 'none' || referenceOf(value)?.rest === '',
}
const isPlain = (value: string) => /^[^()\\/*!"'<>&]*$/.test(value)

/**
 * What of an element is drawn: its attributes, and in their place what its style says (CSS 2.2, 6.4).
 * @throws {XmlError} for what would be drawn otherwise than its owner made it
 */
export function lookOf({ attributes }: XmlElement): Map<string, string> {
  const kept = new Map<string, string>()
  for (const [name, value] of attributes) {
    requireHarmless(name, value)
    if (name === 'style' || !isDrawn(name, value)) continue
    requireKnown(name, value)
    kept.set(name, value.trim())
  }
  for (const [name, value] of declarations(attributes.get('style') ?? '')) {
    if (!isDrawn(name, value)) continue
    if (isKnown(name, value)) kept.set(name, value)
    // What is not understood gives way to what was said before, as in CSS.
    else if (!kept.has(name)) requireKnown(name, value)
  }
  for (const name of ['transform', 'gradientTransform']) matrixOf(kept.get(name) ?? '')
  return kept
}

function requireHarmless(name: string, value: string): void {
  if (/^on/i.test(name)) throw new XmlError(`must not hold the script of ${name}`)
  if (/(?:^|:)href$/i.test(name) && !value.trim().startsWith('#')) throw outside()
}

export function outside(): XmlError {
  return new XmlError('must not refer to anything outside itself')
}

function isDrawn(name: string, value: string): boolean {
  if (refused[name]?.test(value.trim()) === false) {
    throw new XmlError(`must not hold ${name}="${value.slice(0, 40)}", which is not drawn`)
  }
  return places.has(name) || looks.has(name)
}

function isKnown(name: string, value: string): boolean {
  return /[tT]ransform$/.test(name) || (values[name] ?? isPlain)(value.trim())
}

/** What begins an address, or a program that older browsers ran. */
const foreign = ['url(', '@import', 'javascript:', 'expression']

function requireKnown(name: string, value: string): void {
  if (isKnown(name, value)) return
  if (foreign.some((word) => value.toLowerCase().includes(word))) throw outside()
  throw new XmlError(`has ${name}="${value.slice(0, 40)}", which is not understood`)
}

/** What a style says, the important last, so that it stays. */
function declarations(style: string): [name: string, value: string][] {
  const all = declarationsOf(style)
  if (all.some(({ property }) => property === 'd')) throw new XmlError('must not hold a path in a style')
  const sorted = [...all.filter(({ isImportant }) => !isImportant), ...all.filter(({ isImportant }) => isImportant)]
  return sorted.map(({ property, value }) => [property, value])
}
