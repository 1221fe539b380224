// The tokenizer alone: types that others publish describe the whole package under one name.
declare module 'css-tree/tokenizer' {
  /** Says the kind of each token, in `tokenTypes`, and where it starts and ends. */
  export function tokenize(css: string, onToken: (type: number, start: number, end: number) => void): void
  export const tokenTypes: Readonly<
    Record<
      | 'Ident'
      | 'Function'
      | 'AtKeyword'
      | 'String'
      | 'BadString'
      | 'Url'
      | 'BadUrl'
      | 'Delim'
      | 'WhiteSpace'
      | 'Colon'
      | 'Semicolon'
      | 'LeftSquareBracket'
      | 'RightSquareBracket'
      | 'LeftParenthesis'
      | 'RightParenthesis'
      | 'LeftCurlyBracket'
      | 'RightCurlyBracket'
      | 'Comment',
      number
    >
  >
}
