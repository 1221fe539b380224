/** What is wrong with a text that should be XML. */
export class XmlError extends Error {}

export interface XmlElement {
  name: string
  attributes: Map<string, string>
  children: XmlElement[]
  /** What stands directly in a `style`; the text of others is not kept. */
  text: string
}

const MAX_DEPTH = 40
const MAX_ELEMENTS = 5000

const name = '[A-Za-z_][\\w.:-]*'
const attribute = new RegExp(`\\s+(${name})\\s*=\\s*(?:"([^"<]*)"|'([^'<]*)')`, 'y')
const opening = new RegExp(`<(${name})`, 'y')
const closing = new RegExp(`</(${name})\\s*>`, 'y')
const tagEnd = /\s*(\/?)>/y
/** The document type that programs write over an SVG 1.1; what it names is not loaded, and it declares nothing itself. */
const doctype = '<!DOCTYPE\\s+svg(?:\\s+PUBLIC\\s+"-//W3C//DTD SVG [^"<>]*"\\s+"[^"<>]*")?\\s*>'
const skipped = new RegExp(`<!--[\\s\\S]*?-->|<\\?xml\\s[^>]*\\?>|${doctype}`, 'y')
const written = /([^<]+)|<!\[CDATA\[([\s\S]*?)\]\]>/y
const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" }

/**
 * Reads the elements of an XML text, of which a drawing needs no more than this: no declarations, so no entities of its
 * own that could grow without bound, no processing instructions.
 * @throws {XmlError}
 */
export function readXml(text: string): XmlElement {
  const root: XmlElement = { name: '', attributes: new Map(), children: [], text: '' }
  const open = [root]
  let [at, elements] = [0, 0]
  const take: Take = (pattern) => {
    pattern.lastIndex = at
    const match = pattern.exec(text)
    if (match !== null) at = pattern.lastIndex
    return match
  }
  while (at < text.length) {
    if (takeText(open.at(-1), take)) continue
    const end = take(closing)
    if (end === null) {
      if (++elements > MAX_ELEMENTS) throw new XmlError(`has more than ${MAX_ELEMENTS} elements`)
      openElement(open, take)
    } else if (open.length === 1 || open.pop()?.name !== end[1]) {
      throw new XmlError(`closes <${end[1]}>, which is not open`)
    }
  }
  if (open.length > 1) throw new XmlError(`ends before <${open.at(-1)?.name}> is closed`)
  const [only] = root.children
  if (only === undefined || root.children.length > 1) throw new XmlError('must have one root element')
  return only
}

/** Takes what stands at the present place, if it is that. */
type Take = (pattern: RegExp) => RegExpExecArray | null

/** Takes what is no tag, and keeps the text of a `style`. */
function takeText(element: XmlElement | undefined, take: Take): boolean {
  if (take(skipped)) return true
  const [whole, plain, literal = ''] = take(written) ?? []
  if (element?.name === 'style') element.text += plain === undefined ? literal : decode(plain)
  return whole !== undefined
}

function openElement(open: XmlElement[], take: Take): void {
  const element = readOpening(take)
  const end = take(tagEnd)
  if (end === null) throw new XmlError(`has a tag <${element.name}> that is not well-formed`)
  open.at(-1)?.children.push(element)
  if (end[1] !== '/') open.push(element)
  if (open.length > MAX_DEPTH) throw new XmlError(`is nested more than ${MAX_DEPTH} deep`)
}

function readOpening(take: Take): XmlElement {
  const start = take(opening)
  if (start === null) throw new XmlError('has a document type, an instruction or a mark that drawings do not need')
  const attributes = new Map<string, string>()
  for (let each = take(attribute); each !== null; each = take(attribute)) {
    const [, key = '', double, single = ''] = each
    if (attributes.has(key)) throw new XmlError(`has the attribute ${key} twice`)
    attributes.set(key, decode(double ?? single))
  }
  return { name: start[1] ?? '', attributes, children: [], text: '' }
}

function decode(text: string): string {
  return text.replace(
    /&(?:#(\d{1,7})|#x([\da-fA-F]{1,6})|(\w+));?/g,
    (all, decimal, hex, named: string | undefined) => {
      const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
      if (named === undefined && code > 0 && code <= 0x10ffff) return String.fromCodePoint(code)
      const known = all.endsWith(';') && named !== undefined ? entities[named] : undefined
      if (known === undefined) throw new XmlError(`has the entity ${all.slice(0, 20)}, which it does not define`)
      return known
    },
  )
}
