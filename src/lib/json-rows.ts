import { JsonError, scanJson, type Seen } from './json-scan.ts'
import { MAX_VALUES, parseCounted } from './strict-json.ts'

/** The list has more items than are taken. */
export class TooManyRows extends Error {}

/** What a list may hold. */
export interface RowBounds {
  rows: number
  /** Values in all rows together; one row holds at most as many as `parseStrictJson` takes. */
  values: number
}

/** Characters that are looked at in one go. */
const SLICE = 256 * 1024

/**
 * Parses a large text like `parseStrictJson`, a list item by item, so that others have their turn in between.
 * @param turn is awaited between two pieces of work of a few milliseconds
 * @throws {JsonError}
 * @throws {TooManyRows}
 */
export async function parseStrictRows(text: string, bounds: RowBounds, turn: () => Promise<unknown>): Promise<unknown> {
  const scan = scanJson(text, bounds.values)
  for (let end = 0; end < text.length;) {
    end = Math.min(text.length, end + SLICE)
    scan.advance(end)
    if (scan.commas().length >= bounds.rows) throw new TooManyRows()
    await turn()
  }
  const open = text.search(/[^ \t\n\r]/)
  const close = endOf(text)
  // A blank inside that JSON does not know does not parse.
  if (text[open] === '[' && text[close] === ']' && text.slice(open + 1, close).trimStart() !== '') {
    const first = { at: open, values: 1, names: 0 }
    return parseItems(text, [first, ...scan.commas(), { ...scan.seen(), at: close }], turn)
  }
  return parsePart(text, { at: -1, values: 0, names: 0 }, { ...scan.seen(), at: text.length })
}

/** The index of the last character that is no blank of JSON (RFC 8259, 2). */
function endOf(text: string): number {
  let at = text.length - 1
  while (at >= 0 && ' \t\n\r'.includes(text.charAt(at))) at--
  return at
}

/** Parses what stands between the edges, each by itself: the list is JSON when each of its items is. */
async function parseItems(text: string, edges: Seen[], turn: () => Promise<unknown>): Promise<unknown[]> {
  const items: unknown[] = []
  let parsed = 0
  for (const [at, end] of edges.slice(1).entries()) {
    const start = edges[at] as Seen
    items.push(parsePart(text, start, end))
    parsed += end.at - start.at
    if (parsed < SLICE / 4) continue
    parsed = 0
    await turn()
  }
  return items
}

function parsePart(text: string, start: Seen, end: Seen): unknown {
  if (end.values - start.values > MAX_VALUES) {
    throw new JsonError(`an item of the body holds more than ${MAX_VALUES} values`)
  }
  return parseCounted(text.slice(start.at + 1, end.at), end.names - start.names)
}
