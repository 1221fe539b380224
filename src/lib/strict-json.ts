/** Deeper nesting than any request needs; it bounds every recursive walk over what was parsed. */
const MAX_DEPTH = 32

/** The text is not JSON, or is JSON that two readers could understand differently. */
export class JsonError extends Error {}

/**
 * Parses JSON as I-JSON (RFC 7493) asks of a careful reader: a member name that stands twice in one object is refused,
 * because `JSON.parse` would silently drop one of the two values. So are the name `__proto__` and nesting past 32 levels.
 * @throws {JsonError}
 */
export function parseStrictJson(text: string): unknown {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    throw new JsonError('the body is not valid JSON', { cause: error })
  }
  checkMembers(text)
  return value
}

/**
 * Walks the brackets and strings of a text that `JSON.parse` has accepted. By hand and not by a regular expression: a
 * long string would cost that one a stack as deep as the string is long.
 */
function checkMembers(text: string): void {
  // One set of names for each open object, undefined for each open array.
  const open: (Set<string> | undefined)[] = []
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '{' || char === '[') open.push(char === '{' ? new Set() : undefined)
    else if (char === '}' || char === ']') open.pop()
    else if (char === '"') {
      const end = endOfString(text, at)
      const names = open.at(-1)
      if (names !== undefined && isName(text, end)) addName(names, text.slice(at, end))
      at = end - 1
    }
    if (open.length > MAX_DEPTH) throw new JsonError(`the body is nested deeper than ${MAX_DEPTH} levels`)
  }
}

/** The index after the closing quote of the string whose opening quote is at `start`. */
function endOfString(text: string, start: number): number {
  let quote = start
  let backslashes: number
  do {
    quote = text.indexOf('"', quote + 1)
    backslashes = 0
    while (text[quote - 1 - backslashes] === '\\') backslashes++
  } while (backslashes % 2 === 1)
  return quote + 1
}

/** Whether the string that ends before `end` is a member's name, that is, a colon follows. */
function isName(text: string, end: number): boolean {
  let at = end
  while (' \t\n\r'.includes(text[at] ?? 'end')) at++
  return text[at] === ':'
}

function addName(names: Set<string>, quoted: string): void {
  const name = JSON.parse(quoted) as string
  if (name === '__proto__') throw new JsonError('the name "__proto__" is not allowed')
  if (names.has(name)) throw new JsonError(`the name ${JSON.stringify(name.slice(0, 100))} stands twice in one object`)
  names.add(name)
}
