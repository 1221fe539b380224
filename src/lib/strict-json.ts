import { JsonError, scanJson } from './json-scan.ts'
import { shorten } from './shorten.ts'

export { JsonError }

/** More values than any request has that is not a list of requests. */
export const MAX_VALUES = 10_000

/**
 * Parses JSON as I-JSON (RFC 7493) asks of a careful reader: a member name that stands twice in one object is refused,
 * because `JSON.parse` would silently drop one of the two values. So are the name `__proto__`, nesting past 32 levels
 * and more than 10,000 values, which are counted before anything is built.
 * @throws {JsonError}
 */
export function parseStrictJson(text: string): unknown {
  const scan = scanJson(text, MAX_VALUES)
  scan.advance(text.length)
  return parseCounted(text, scan.seen().names)
}

/**
 * Parses JSON whose bounds were looked at.
 * @param names how many the text writes
 * @throws {JsonError}
 */
export function parseCounted(text: string, names: number): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new JsonError('the body is not valid JSON', { cause: error })
  }
  // Where a name stood twice, one of its values was dropped, with all names in it.
  if (countNames(value) < names) {
    throw new JsonError(`the name ${nameTwice(text)} stands twice in one object`)
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

/** The first name that stands twice in one object of a text that is JSON, quoted. */
function nameTwice(text: string): string {
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
  throw new Error('each name stands once')
}

/** The index after the closing quote of the string whose opening quote is at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
  return at + 1
}

/** Whether the string that ends before `end` is a member's name, that is, a colon follows. */
function isName(text: string, end: number): boolean {
  let at = end
  while (' \t\n\r'.includes(text[at] ?? 'end')) at++
  return text[at] === ':'
}
