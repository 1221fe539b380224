import { XmlError, type XmlElement } from './xml-reader.ts'
import { tokenTypes as types } from 'css-tree/tokenizer'
import { tokensOf, type CssToken } from './css.ts'
import { externalReference } from './presentation.ts'

const MAX_SELECTORS = 5000
/** Characters of all rules, copied to each element that they match: their product must be bounded. */
const MAX_WRITTEN = 1024 * 1024
/** A rule: its selectors, and the declarations in its braces. */
type Block = [selectors: string, declarations: string]

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

/**
 * Parses the rules of a style sheet.
 * @throws {XmlError} for anything except plain rules
 */
function blocksOf(sheet: string): Block[] {
  const tokens = tokensOf(sheet)
  requireAllowed(tokens)
  const blocks: Block[] = []
  let selectors: string | undefined
  let part: CssToken[] = []
  for (const token of tokens) {
    if (token.type === types.LeftCurlyBracket && selectors === undefined) {
      selectors = textOf(part)
      part = []
    } else if (token.type === types.RightCurlyBracket && selectors !== undefined) {
      const declarations = textOf(part)
      if (!isPlain(part)) throw notUnderstood(`${selectors}{${declarations}`)
      blocks.push([selectors, declarations.trim()])
      selectors = undefined
      part = []
    } else {
      part.push(token)
    }
  }
  const rest = selectors === undefined ? textOf(part) : `${selectors}{${textOf(part)}`
  if (rest.trim() !== '') throw notUnderstood(rest)
  return blocks
}

const urls = new Set([types.Url, types.BadUrl])

const strings = new Set([types.String, types.BadString])

/** @throws {XmlError} for tokens that must not occur anywhere in a style sheet, even without effect */
function requireAllowed(tokens: readonly CssToken[]): void {
  let before = ''
  for (const { type, text } of tokens) {
    if (type === types.AtKeyword) throw new XmlError(`must not have ${text.slice(0, 40)} in its <style>`)
    if (text.includes('\\')) throw new XmlError('must not have escapes (\\) in its <style>')
    if (urls.has(type) && !text.slice(4).trimStart().startsWith('#')) throw externalReference()
    if (strings.has(type) && /^url\($/i.test(before) && text[1] !== '#') throw externalReference()
    // Other Unicode whitespace is part of a name in CSS.
    if (/[^\S\t\n\f\r ]/.test(text)) throw notUnderstood(before + text)
    if (type !== types.WhiteSpace) before = text
  }
}

/** Whether no string or bracket continues past a semicolon or the end of the block. */
function isPlain(tokens: readonly CssToken[]): boolean {
  let isOpen = false
  for (const { type, text } of tokens) {
    const opens = type === types.Function || type === types.LeftParenthesis
    const closes = type === types.RightParenthesis
    if (isOpen ? opens || type === types.Semicolon : closes) return false
    if (opens || closes) isOpen = opens
    if (!isWhole(type, text)) return false
  }
  return !isOpen
}

const neverWhole = new Set([
  types.BadString,
  types.BadUrl,
  types.LeftSquareBracket,
  types.RightSquareBracket,
  types.LeftCurlyBracket,
])

function isWhole(type: number, text: string): boolean {
  if (neverWhole.has(type)) return false
  const isString = type === types.String
  if (!isString && type !== types.Url) return true
  const end = isString ? text.charAt(0) : ')'
  return text.length > 1 && text.endsWith(end) && !text.includes(';')
}

function textOf(tokens: readonly CssToken[]): string {
  return tokens.map(({ text }) => text).join('')
}

function notUnderstood(css: string): XmlError {
  return new XmlError(`has "${css.trim().slice(0, 60)}" in its <style>, which is not understood`)
}
