import { JsonError, scanJson, type Position } from './json-scan.ts'
import { MAX_VALUES, parseCounted } from './strict-json.ts'

/** The list has more items than allowed. */
export class TooManyRows extends Error {}

/** Bounds of a list. */
export interface RowBounds {
  rows: number
  /** Values in all rows together; one row may have as many as `parseStrictJson` allows. */
  values: number
}

/** Characters that are scanned without a break. */
const SLICE = 256 * 1024

/**
 * Parses a large text like `parseStrictJson`, a list item by item, and yields to the event loop in between.
 * @param yieldToLoop awaited after every few milliseconds of work
 * @throws {JsonError}
 * @throws {TooManyRows}
 */
export async function parseStrictRows(
  text: string,
  bounds: RowBounds,
  yieldToLoop: () => Promise<unknown>,
): Promise<unknown> {
  const scan = scanJson(text, bounds.values)
  for (let end = 0; end < text.length;) {
    end = Math.min(text.length, end + SLICE)
    scan.advance(end)
    if (scan.commas().length >= bounds.rows) throw new TooManyRows()
    await yieldToLoop()
  }
  const open = text.search(/[^ \t\n\r]/)
  const close = endOf(text)
  // `trimStart` also removes whitespace that JSON does not allow, which then fails to parse.
  if (text[open] === '[' && text[close] === ']' && text.slice(open + 1, close).trimStart() !== '') {
    const first = { at: open, values: 1, names: 0 }
    return parseItems(text, [first, ...scan.commas(), { ...scan.position(), at: close }], yieldToLoop)
  }
  return parsePart(text, { at: -1, values: 0, names: 0 }, { ...scan.position(), at: text.length })
}

/** The index of the last character that is not JSON whitespace (RFC 8259, 2). */
function endOf(text: string): number {
  let at = text.length - 1
  while (at >= 0 && ' \t\n\r'.includes(text.charAt(at))) at--
  return at
}

/** Parses each item between two delimiters by itself: a list is valid JSON when each of its items is. */
async function parseItems(
  text: string,
  delimiters: Position[],
  yieldToLoop: () => Promise<unknown>,
): Promise<unknown[]> {
  const items: unknown[] = []
  let parsed = 0
  for (const [at, end] of delimiters.slice(1).entries()) {
    const start = delimiters[at] as Position
    items.push(parsePart(text, start, end))
    parsed += end.at - start.at
    if (parsed < SLICE / 4) continue
    parsed = 0
    await yieldToLoop()
  }
  return items
}

function parsePart(text: string, start: Position, end: Position): unknown {
  if (end.values - start.values > MAX_VALUES) {
    throw new JsonError(`an item of the body has more than ${MAX_VALUES} values`)
  }
  return parseCounted(text.slice(start.at + 1, end.at), end.names - start.names)
}
