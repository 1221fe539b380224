import { blocksOf } from './sheet-blocks.ts'
import { XmlError, type XmlElement } from './xml-reader.ts'

const MAX_SELECTORS = 5000
/** Characters of rules, written on each element that they are for: rules by elements could multiply without bound. */
const MAX_WRITTEN = 1024 * 1024

/** What one selector's elements look like. */
interface Rule {
  /** The larger one wins. */
  weight: number
  declarations: string
}

/** The rules of a drawing, by the selector that they are for. */
type Rules = Map<string, Rule[]>

const identifier = '-?[A-Za-z_\\u{80}-\\u{10ffff}][\\w\\u{80}-\\u{10ffff}-]*'
const selector = new RegExp(`^(${identifier})?(?:([.#])${identifier})?$`, 'u')

/**
 * Writes the rules of a drawing's style sheets into the style of each element that they are for, in front of its own, as
 * they follow each other in CSS (Cascading and Inheritance 4, 6.1). So they are read as a style is, wherever that is read.
 * @returns the drawing without its `style` elements
 * @throws {XmlError} for a sheet of more than plain selectors with declarations, or with too many of them
 */
export function inlineStyles(root: XmlElement): XmlElement {
  const rules: Rules = new Map()
  let selectors = 0
  for (const [selectorList, declarations] of sheetsIn(root).flatMap(blocksOf)) {
    for (const each of selectorList.split(',')) {
      if (++selectors > MAX_SELECTORS) throw new XmlError(`has more than ${MAX_SELECTORS} selectors in its <style>`)
      addRule(rules, wordsOf(each).join(' '), { weight: selectors, declarations })
    }
  }
  let written = 0
  const inline = (element: XmlElement): XmlElement => {
    const said = saidOf(element, rules)
    written += said.reduce((sum, { length }) => sum + length + 1, 0)
    if (written > MAX_WRITTEN) {
      const most = `${MAX_WRITTEN.toLocaleString('en')} characters`
      throw new XmlError(`has a <style> whose rules, written on each element that they are for, are more than ${most}`)
    }
    const children = element.children.filter(({ name }) => name !== 'style').map(inline)
    if (said.length === 0) return { ...element, children }
    const style = [...said, element.attributes.get('style') ?? ''].join(';')
    return { ...element, children, attributes: new Map([...element.attributes, ['style', style]]) }
  }
  return inline(root)
}

/** The texts of the `style` elements, wherever they stand: they are for the whole drawing. */
function sheetsIn(element: XmlElement): string[] {
  if (element.name !== 'style') return element.children.flatMap(sheetsIn)
  const { attributes, children, text } = element
  const type = attributes.get('type') ?? ''
  const media = (attributes.get('media') ?? '').trim().toLowerCase()
  // Renderers do not read another language, and draw without it.
  if (type !== '' && type !== 'text/css') return []
  if (!['', 'all', 'screen'].includes(media))
    throw new XmlError(`must not hold a <style> for the media ${media.slice(0, 40)}`)
  if (children.length > 0) throw new XmlError(`must not hold <${children[0]?.name}> in a <style>`)
  return [text]
}

function addRule(rules: Rules, key: string, { weight, declarations }: Rule): void {
  const [all, type, mark] = selector.exec(key) ?? []
  if (!all) {
    const known = 'only names of elements, .classes and #ids are known'
    throw new XmlError(`must not hold the selector "${key.slice(0, 60)}" in its <style>: ${known}`)
  }
  if (declarations === '') return
  const specificity = Number(type !== undefined) + (mark === '#' ? 4 : 0) + (mark === '.' ? 2 : 0)
  const rule = { weight: specificity * MAX_SELECTORS + weight, declarations }
  const others = rules.get(key)
  if (others === undefined) rules.set(key, [rule])
  else others.push(rule)
}

/** What stands between the blanks of CSS and XML, of which a space that does not break is none. */
function wordsOf(text: string): string[] {
  return text.split(/[\t\n\f\r ]+/).filter((word) => word !== '')
}

/** What the rules for an element declare, the weightiest last. */
function saidOf({ name, attributes }: XmlElement, rules: Rules): string[] {
  const classes = new Set(wordsOf(attributes.get('class') ?? ''))
  const marks = [...[...classes].map((each) => `.${each}`), `#${attributes.get('id') ?? ''}`]
  return [name, ...marks.flatMap((mark) => [mark, name + mark])]
    .flatMap((key) => rules.get(key) ?? [])
    .toSorted((one, other) => one.weight - other.weight)
    .map(({ declarations }) => declarations)
}
