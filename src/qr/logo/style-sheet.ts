import { blocksOf } from './sheet-blocks.ts'
import { XmlError, type XmlElement } from './xml-reader.ts'

const MAX_SELECTORS = 5000
/** Characters of all rules, copied to each element that they match: their product must be bounded. */
const MAX_WRITTEN = 1024 * 1024

/** The declarations of one selector. */
interface Rule {
  /** The rule with the larger weight wins. */
  weight: number
  declarations: string
}

/** The rules of a drawing, by selector. */
type Rules = Map<string, Rule[]>

const identifier = '-?[A-Za-z_\\u{80}-\\u{10ffff}][\\w\\u{80}-\\u{10ffff}-]*'
const selector = new RegExp(`^(${identifier})?(?:([.#])${identifier})?$`, 'u')

/**
 * Copies the rules of style sheets to the `style` attributes of the elements that they match, before the declarations
 * there, in the order of the cascade (CSS Cascading and Inheritance 4, 6.1).
 * @returns the drawing without its `style` elements
 * @throws {XmlError} for anything except plain selectors with declarations, or for too many of them
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
    const matching = declarationsFor(element, rules)
    written += matching.reduce((sum, { length }) => sum + length + 1, 0)
    if (written > MAX_WRITTEN) {
      const most = `${MAX_WRITTEN.toLocaleString('en')} characters`
      throw new XmlError(`has a <style> whose rules, copied to each element that they match, have more than ${most}`)
    }
    const children = element.children.filter(({ name }) => name !== 'style').map(inline)
    if (matching.length === 0) return { ...element, children }
    const style = [...matching, element.attributes.get('style') ?? ''].join(';')
    return { ...element, children, attributes: new Map([...element.attributes, ['style', style]]) }
  }
  return inline(root)
}

/** The texts of all `style` elements, which apply to the whole drawing. */
function sheetsIn(element: XmlElement): string[] {
  if (element.name !== 'style') return element.children.flatMap(sheetsIn)
  const { attributes, children, text } = element
  const type = attributes.get('type') ?? ''
  const media = (attributes.get('media') ?? '').trim().toLowerCase()
  // Renderers ignore other style sheet languages.
  if (type !== '' && type !== 'text/css') return []
  if (!['', 'all', 'screen'].includes(media))
    throw new XmlError(`must not have a <style> for the media ${media.slice(0, 40)}`)
  if (children.length > 0) throw new XmlError(`must not have <${children[0]?.name}> in a <style>`)
  return [text]
}

function addRule(rules: Rules, key: string, { weight, declarations }: Rule): void {
  const [all, type, mark] = selector.exec(key) ?? []
  if (!all) {
    const supported = 'only names of elements, .classes and #ids are supported'
    throw new XmlError(`must not have the selector "${key.slice(0, 60)}" in its <style>: ${supported}`)
  }
  if (declarations === '') return
  const specificity = Number(type !== undefined) + (mark === '#' ? 4 : 0) + (mark === '.' ? 2 : 0)
  const rule = { weight: specificity * MAX_SELECTORS + weight, declarations }
  const others = rules.get(key)
  if (others === undefined) rules.set(key, [rule])
  else others.push(rule)
}

/** Splits at the whitespace of CSS and XML, which a no-break space is not. */
function wordsOf(text: string): string[] {
  return text.split(/[\t\n\f\r ]+/).filter((word) => word !== '')
}

/** The declarations of all rules that match an element, by ascending weight. */
function declarationsFor({ name, attributes }: XmlElement, rules: Rules): string[] {
  const classes = new Set(wordsOf(attributes.get('class') ?? ''))
  const marks = [...[...classes].map((each) => `.${each}`), `#${attributes.get('id') ?? ''}`]
  return [name, ...marks.flatMap((mark) => [mark, name + mark])]
    .flatMap((key) => rules.get(key) ?? [])
    .toSorted((one, other) => one.weight - other.weight)
    .map(({ declarations }) => declarations)
}
