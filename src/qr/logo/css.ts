import { tokenize, tokenTypes as types } from 'css-tree/tokenizer'

/** A token of CSS (Syntax Level 3, 4). */
export interface CssToken {
  type: number
  text: string
}

export interface Declaration {
  /** In lower case. */
  property: string
  value: string
  isImportant: boolean
}

const closing = new Map([
  [types.Function, types.RightParenthesis],
  [types.LeftParenthesis, types.RightParenthesis],
  [types.LeftSquareBracket, types.RightSquareBracket],
  [types.LeftCurlyBracket, types.RightCurlyBracket],
])

/** Tokenizes a text; comments, also an unclosed one, become spaces. */
export function tokensOf(css: string): CssToken[] {
  const tokens: CssToken[] = []
  tokenize(css, (type, start, end) => {
    tokens.push(type === types.Comment ? { type: types.WhiteSpace, text: ' ' } : { type, text: css.slice(start, end) })
  })
  return tokens
}

/** Parses declarations, such as those of a `style` attribute; skips everything else. */
export function declarationsOf(css: string): Declaration[] {
  const declarations: Declaration[] = []
  const ends: number[] = []
  let part: CssToken[] = []
  const endPart = () => {
    const declaration = declarationOf(part)
    if (declaration !== undefined) declarations.push(declaration)
    part = []
  }
  for (const token of tokensOf(css)) {
    const end = closing.get(token.type)
    if (end !== undefined) ends.push(end)
    else if (token.type === ends.at(-1)) ends.pop()
    if (token.type === types.Semicolon && ends.length === 0) endPart()
    else part.push(token)
  }
  endPart()
  return declarations
}

function declarationOf(tokens: readonly CssToken[]): Declaration | undefined {
  const start = nextIndex(tokens, 0)
  const colon = nextIndex(tokens, start + 1)
  const name = tokens[start]
  if (name?.type !== types.Ident || tokens[colon]?.type !== types.Colon) return undefined
  const last = lastIndex(tokens, tokens.length)
  const mark = lastIndex(tokens, last)
  const isImportant = mark > colon && tokens[mark]?.text === '!' && tokens[last]?.text.toLowerCase() === 'important'
  const value = tokens.slice(colon + 1, isImportant ? mark : undefined).map(({ text }) => text)
  return { property: name.text.toLowerCase(), value: value.join('').trim(), isImportant }
}

function isSpace(token: CssToken | undefined): boolean {
  return token?.type === types.WhiteSpace
}

/** The index of the first token, at or after `from`, that is not whitespace. */
function nextIndex(tokens: readonly CssToken[], from: number): number {
  let at = from
  while (isSpace(tokens[at])) at++
  return at
}

/** The index of the last token before `before` that is not whitespace. */
function lastIndex(tokens: readonly CssToken[], before: number): number {
  let at = before - 1
  while (isSpace(tokens[at])) at--
  return at
}
