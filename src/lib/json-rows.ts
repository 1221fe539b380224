import { JsonError, scanJson, type Position } from './json-scan.ts'
import { MAX_VALUES, parseCounted } from './strict-json.ts'

/** The list has more items than allowed. */
export class TooManyRows extends Error {}

/** Bounds of a list. */
export interface RowBounds {
  rows: number
  /** Values in all rows together; one row may have as many as `parseStrictJson` allows. */
  values: number
  /** The rows are the list in this field of an object, its only one; without it, the text is the list. */
  field?: string
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
  const scan = scanJson(text, bounds.values, bounds.field === undefined ? 1 : 2)
  for (let end = 0; end < text.length;) {
    end = Math.min(text.length, end + SLICE)
    scan.advance(end)
    if (scan.commas().length >= bounds.rows) throw new TooManyRows()
    await yieldToLoop()
  }
  const { field } = bounds
  const list = field === undefined ? listOf(text) : scan.outerCommas() === 0 ? listIn(text, field) : undefined
  if (list === undefined) {
    return parsePart(text, { at: -1, values: 0, names: 0 }, { ...scan.position(), at: text.length })
  }
  const first = { at: list.open, values: 1, names: 0, ...(field !== undefined && { values: 2, names: 1 }) }
  const items = await parseItems(text, [first, ...scan.commas(), { ...scan.position(), at: list.close }], yieldToLoop)
  return field === undefined ? items : { [field]: items }
}

/** The brackets of a list that is not empty. */
interface Brackets {
  open: number
  close: number
}

/** The brackets of a list between two positions, or undefined when there is another value, or an empty list. */
function listOf(text: string, from = 0, to = text.length): Brackets | undefined {
  const open = startOf(text, from)
  const close = endOf(text, to)
  // `trimStart` also removes whitespace that JSON does not allow, which then fails to parse.
  const isList = text[open] === '[' && text[close] === ']' && text.slice(open + 1, close).trimStart() !== ''
  return isList ? { open, close } : undefined
}

/** The same for the list in the field of an object that has no other. */
function listIn(text: string, field: string): Brackets | undefined {
  const open = startOf(text, 0)
  const close = endOf(text, text.length)
  if (text[open] !== '{' || text[close] !== '}') return undefined
  const name = startOf(text, open + 1)
  const quoted = JSON.stringify(field)
  if (!text.startsWith(quoted, name)) return undefined
  const colon = startOf(text, name + quoted.length)
  return text[colon] === ':' ? listOf(text, colon + 1, close) : undefined
}

const SPACES = ' \t\n\r'

/** The index of the first character from `at` on that is not JSON whitespace (RFC 8259, 2). */
function startOf(text: string, at: number): number {
  let start = at
  while (start < text.length && SPACES.includes(text.charAt(start))) start++
  return start
}

/** The index of the last such character before `end`. */
function endOf(text: string, end: number): number {
  let at = end - 1
  while (at >= 0 && SPACES.includes(text.charAt(at))) at--
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
