import { JsonError, scanJson } from './json-scan.ts'
import { shorten } from './shorten.ts'

export { JsonError }

/** More values than any request has, except in bulk. */
export const MAX_VALUES = 10_000

/**
 * Parses JSON as I-JSON (RFC 7493) requires: it refuses a name that occurs twice in one object, of which `JSON.parse`
 * would silently drop one value. It also refuses the name `__proto__`, nesting past 32 levels and more than 10,000 values,
 * which are counted before anything is built.
 * @throws {JsonError}
 */
export function parseStrictJson(text: string): unknown {
  const scan = scanJson(text, MAX_VALUES)
  scan.advance(text.length)
  return parseCounted(text, scan.position().names)
}

/**
 * Parses JSON whose bounds were checked.
 * @param names the number of names in the text
 * @throws {JsonError}
 */
export function parseCounted(text: string, names: number): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new JsonError('the body is not valid JSON', { cause: error })
  }
  // `JSON.parse` dropped one value of a duplicate name, with all names in it.
  if (countNames(value) < names) {
    throw new JsonError(`the name ${duplicateName(text)} occurs twice in one object`)
  }
  return value
}

function countNames(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countNames(item), 0)
  return Object.entries(value).reduce((sum, [name, item]) => {
    if (name === '__proto__') throw new JsonError('the name "__proto__" is not allowed')
    return sum + 1 + countNames(item)
  }, 0)
}

/** The first name that occurs twice in one object, quoted. The text must be valid JSON. */
function duplicateName(text: string): string {
  // One set of names for each open object, undefined for each open list.
  const open: (Set<unknown> | undefined)[] = []
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at)
    if ('{['.includes(char)) open.push(char === '{' ? new Set() : undefined)
    else if ('}]'.includes(char)) open.pop()
    else if (char === '"') {
      const end = endOfString(text, at)
      const names = isName(text, end) ? open.at(-1) : undefined
      const name: unknown = names && JSON.parse(text.slice(at, end))
      if (names?.has(name)) return shorten(JSON.stringify(name))
      names?.add(name)
      at = end - 1
    }
  }
  throw new Error('no name occurs twice')
}

/** The index after the closing quote of the string whose opening quote is at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

/** Whether the string that ends before `end` is a name, that is, a colon follows. */
function isName(text: string, end: number): boolean {
  let at = end
  while (' \t\n\r'.includes(text[at] ?? 'end')) at++
  return text[at] === ':'
}
