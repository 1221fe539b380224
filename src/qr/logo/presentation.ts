import { declarationsOf } from './css.ts'
import { isGeometry } from './measure.ts'
import { referenceOf } from './url-reference.ts'
import { XmlError, type XmlElement } from './xml-reader.ts'
import { ownValue } from '../../lib/own-value.ts'

const set = (words: string) => new Set(words.split(' '))

/** Presentation properties (SVG 1.1, appendix N; SVG 2, appendix H) that all renderers draw alike. */
const presentationProperties = set(
  'clip-path clip-rule color display fill fill-opacity fill-rule opacity paint-order shape-rendering stop-color ' +
    'stop-opacity stroke stroke-dasharray stroke-dashoffset stroke-linecap stroke-linejoin stroke-miterlimit ' +
    'stroke-opacity stroke-width visibility',
)
/**
 * Properties that would change the drawing and are not supported, with the values that change nothing. All other ones can
 * be dropped: they concern text, pointers, filters, scripts and editors, or are rendering hints.
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
/** Valid values; those of other properties are words and numbers. */
const values: Record<string, (value: string) => boolean> = {
  fill: isPaint,
  stroke: isPaint,
  color: isColor,
  'stop-color': isColor,
  'clip-path': (value) => value.toLowerCase() === 'none' || referenceOf(value)?.rest === '',
}
const isPlain = (value: string) => /^[^()\\/*!"'<>&]*$/.test(value)

/**
 * The attributes of an element that affect how it is drawn, overridden by those of its style (CSS 2.2, 6.4).
 * @throws {XmlError} for properties that would be drawn differently from the original
 */
export function presentationOf({ attributes }: XmlElement): Map<string, string> {
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
    // An invalid value does not override an earlier one, as in CSS.
    else if (!kept.has(name)) requireKnown(name, value)
  }
  return kept
}

function requireHarmless(name: string, value: string): void {
  if (/^on/i.test(name)) throw new XmlError(`must not have the script ${name}`)
  if (/(?:^|:)href$/i.test(name) && !value.trim().startsWith('#')) throw externalReference()
}

export function externalReference(): XmlError {
  return new XmlError('must not refer to anything outside itself')
}

function isDrawn(name: string, value: string): boolean {
  if (ownValue(refused, name)?.test(value.trim()) === false) {
    throw new XmlError(`must not have ${name}="${value.slice(0, 40)}", which is not supported`)
  }
  return isGeometry(name) || presentationProperties.has(name)
}

function isKnown(name: string, value: string): boolean {
  return /[tT]ransform$/.test(name) || (ownValue(values, name) ?? isPlain)(value.trim())
}

/** Beginnings of URLs, and of scripts that older browsers ran. */
const foreign = ['url(', '@import', 'javascript:', 'expression']

function requireKnown(name: string, value: string): void {
  if (isKnown(name, value)) return
  if (foreign.some((word) => value.toLowerCase().includes(word))) throw externalReference()
  throw new XmlError(`has ${name}="${value.slice(0, 40)}", which is not understood`)
}

/** The declarations of a style; `!important` ones come last, to override the others. */
function declarations(style: string): [name: string, value: string][] {
  const all = declarationsOf(style)
  if (all.some(({ property }) => property === 'd')) throw new XmlError('must not have a path in a style')
  const sorted = [...all.filter(({ isImportant }) => !isImportant), ...all.filter(({ isImportant }) => isImportant)]
  return sorted.map(({ property, value }) => [property, value])
}
