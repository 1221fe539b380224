import { SaxesParser } from 'saxes'

/** Invalid or unsupported XML. The message follows "the logo". */
export class XmlError extends Error {}

export interface XmlElement {
  name: string
  attributes: Map<string, string>
  children: XmlElement[]
  /** The text of a `style` element; that of other elements is dropped. */
  text: string
}

const MAX_DEPTH = 40
const MAX_ELEMENTS = 5000
const MAX_ATTRIBUTES = 200
/** Characters of an attribute; a style that Inkscape writes has some 2,000. */
const MAX_VALUE = 4096
/** Attributes that may be as long as the file: a whole drawing may be one path. */
const unlimited = new Set(['d', 'points'])
/** Attributes for editors and screen readers, whose values are dropped. */
const isUnread = (name: string) => /^(?:data|aria)-/.test(name) || (name.includes(':') && !/^(?:xlink|xml):/.test(name))

const MAX_DOCTYPE = 512
/** The document type that programs write into SVG 1.1: it declares no entities, and its DTD is not loaded. */
const doctype = /^svg(?:\s+PUBLIC\s+"-\/\/W3C\/\/DTD SVG [^"<>]*"\s+"[^"<>]*")?$/

/**
 * Parses the elements of an XML text. It refuses declarations, whose entities could grow without bound, and processing
 * instructions; drawings need neither.
 * @throws {XmlError}
 */
export function readXml(text: string): XmlElement {
  const document: XmlElement = { name: '', attributes: new Map(), children: [], text: '' }
  const open = [document]
  let elements = 0
  const parser = new SaxesParser({ position: false })
  parser.on('opentagstart', ({ name }) => {
    if (++elements > MAX_ELEMENTS) throw new XmlError(`has more than ${MAX_ELEMENTS} elements`)
    const element: XmlElement = { name, attributes: new Map(), children: [], text: '' }
    open.at(-1)?.children.push(element)
    open.push(element)
    if (open.length > MAX_DEPTH + 1) throw new XmlError(`is nested more than ${MAX_DEPTH} deep`)
  })
  parser.on('attribute', ({ name, value }) => takeAttribute(open.at(-1) ?? document, name, value))
  parser.on('closetag', ({ name }) => closeElement(open, name))
  const takeText = (part: string) => {
    const element = open.at(-1)
    if (element?.name === 'style') element.text += part
  }
  parser.on('text', takeText)
  parser.on('cdata', takeText)
  parser.on('doctype', requireHarmless)
  parser.on('processinginstruction', () => requireHarmless(''))
  // The first error ends parsing: what follows it is unreliable.
  parser.on('error', ({ message }) => {
    throw new XmlError(`is not well-formed XML: ${message.replace(/\.$/, '').slice(0, 100)}`)
  })
  parser.write(text).close()
  const [only] = document.children
  if (only === undefined) throw new XmlError('must have one root element')
  return only
}

function takeAttribute({ name: element, attributes }: XmlElement, name: string, value: string): void {
  if (attributes.has(name)) throw new XmlError(`has the attribute ${name.slice(0, 40)} twice`)
  if (attributes.size === MAX_ATTRIBUTES) {
    throw new XmlError(`has more than ${MAX_ATTRIBUTES} attributes on <${element.slice(0, 40)}>`)
  }
  const kept = isUnread(name) ? '' : value
  if (kept.length > MAX_VALUE && !unlimited.has(name)) {
    throw new XmlError(`has ${name.slice(0, 40)} of more than ${MAX_VALUE.toLocaleString('en')} characters`)
  }
  attributes.set(name, kept)
}

function closeElement(open: XmlElement[], name: string): void {
  if (open.pop()?.name !== name) throw new XmlError(`closes <${name.slice(0, 40)}>, which is not open`)
}

function requireHarmless(declared: string): void {
  if (declared.length <= MAX_DOCTYPE && doctype.test(declared.trim())) return
  throw new XmlError('has a document type, a processing instruction or a declaration that drawings do not need')
}
