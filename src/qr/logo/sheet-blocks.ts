import { tokenTypes as types } from 'css-tree/tokenizer'
import { tokensOf, type CssToken } from './css.ts'
import { externalReference } from './presentation.ts'
import { XmlError } from './xml-reader.ts'

/** A rule: its selectors, and the declarations in its braces. */
export type Block = [selectors: string, declarations: string]

/**
 * Parses the rules of a style sheet.
 * @throws {XmlError} for anything except plain rules
 */
export function blocksOf(sheet: string): Block[] {
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
