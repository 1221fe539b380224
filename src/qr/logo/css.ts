import { tokenize, tokenTypes as types } from 'css-tree/tokenizer'

/** A token of CSS (Syntax Level 3, 4). */
export interface CssToken {
  type: number
  text: string
}

export interface Declaration {
  /** In small letters. */
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

/** The tokens of a text, with a space for each comment, of which the last may be open. */
export function tokensOf(css: string): CssToken[] {
  const tokens: CssToken[] = []
  tokenize(css, (type, start, end) => {
    tokens.push(type === types.Comment ? { type: types.WhiteSpace, text: ' ' } : { type, text: css.slice(start, end) })
  })
  return tokens
}

/** What a text declares, such as a `style`; what is no declaration is passed over. */
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
  const start = nextPlace(tokens, 0)
  const colon = nextPlace(tokens, start + 1)
  const name = tokens[start]
  if (name?.type !== types.Ident || tokens[colon]?.type !== types.Colon) return undefined
  const last = lastPlace(tokens, tokens.length)
  const mark = lastPlace(tokens, last)
  const isImportant = mark > colon && tokens[mark]?.text === '!' && tokens[last]?.text.toLowerCase() === 'important'
  const value = tokens.slice(colon + 1, isImportant ? mark : undefined).map(({ text }) => text)
  return { property: name.text.toLowerCase(), value: value.join('').trim(), isImportant }
}

function isBlank(token: CssToken | undefined): boolean {
  return token?.type === types.WhiteSpace
}

/** Where the first token lies, from a place on, that is no blank. */
function nextPlace(tokens: readonly CssToken[], from: number): number {
  let at = from
  while (isBlank(tokens[at])) at++
  return at
}

/** Where the last one lies before a place. */
function lastPlace(tokens: readonly CssToken[], before: number): number {
  let at = before - 1
  while (isBlank(tokens[at])) at--
  return at
}
