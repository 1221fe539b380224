import type { Fields, Format } from './formats.ts'

/** Fields whose value is a URL of the link, with or without its scheme; others have the code itself. */
const urlNames = new Set([
  'shorturl',
  'shortlink',
  'link',
  'bitlink',
  'id',
  'custombitlinks',
  'custombitlink',
  'customlinks',
  'customlink',
])

/** Whether a field has a value that is a text or can be one. */
export function hasText(value: unknown): boolean {
  return value !== false && (Array.isArray(value) || textOf(value).trim() !== '')
}

/** The text of a value; one that is no text has none. */
function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

/** The codes of a row, each once: case makes no difference here. */
export function codesOf({ code, more }: Format, fields: Fields): string[] {
  const name = code.find((each) => hasText(fields[each]) && codeIn(each, textOf(fields[each])) !== '')
  const lists = more.filter((each) => hasText(fields[each])).map((each) => ({ name: each, list: listIn(fields[each]) }))
  const codes = [
    ...(name === undefined ? [] : [codeIn(name, textOf(fields[name]))]),
    ...lists.flatMap(({ name, list }) => list.map((each) => codeIn(name, each))),
  ]
  const lower = codes.map((each) => each.toLowerCase())
  return codes.filter((each, at) => each !== '' && lower.indexOf(each.toLowerCase()) === at)
}

/** A list of JSON, or a cell of a table with several values. */
function listIn(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : textOf(value).split(/[\s,;|]/)
}

/** The code itself, or the whole path of a short URL: its last part alone would be another code. */
function codeIn(name: string, text: string): string {
  const [whole = ''] = text.trim().split(/[?#]/, 1)
  const isUrl = /^https?:\/\//i.test(whole)
  const address = whole.replace(/^https?:\/\//i, '')
  const path = isUrl || (urlNames.has(name) && address.includes('/')) ? address.slice(address.indexOf('/') + 1) : whole
  return path
    .split('/')
    .filter((part) => part !== '')
    .join('/')
}
