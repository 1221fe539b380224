import { fieldOf } from './link-columns.ts'

const delimiters = [',', ';', '\t', '|']

/** Characters of the first line that are looked at. */
const MAX_LINE = 2_000

/** How a text is divided into cells. */
export interface Layout {
  delimiter: string
  /** The line of the header: 2 after the line by which Excel is told the delimiter. */
  headerLine: 1 | 2
}

/**
 * Finds the one delimiter of a text: that which yields most known names in the header, then most cells. A line that it
 * does not divide is one cell: in a list of addresses each comma, semicolon or bar belongs to an address.
 * @param isKnown whether a cell of the header is the name of a column
 */
export function findLayout(text: string, isKnown: (name: string) => boolean = isLinkColumn): Layout {
  const told = /^\uFEFF?"?sep=([^\r\n"])"?[,;\t| ]{0,100}(?:\r\n?|\n)/i.exec(text.slice(0, 200))
  const [line = ''] = /[^\r\n\uFEFF][^\r\n]*/.exec(text.slice(told?.[0].length ?? 0)) ?? []
  return { delimiter: delimiterOf(line.slice(0, MAX_LINE), told?.[1], isKnown), headerLine: told === null ? 1 : 2 }
}

const isLinkColumn = (name: string) => fieldOf(name) !== undefined

function delimiterOf(line: string, told: string | undefined, isKnown: (name: string) => boolean): string {
  const candidates = told === undefined ? delimiters : [told, ...delimiters]
  const [best] = candidates.map((delimiter) => ({ delimiter, ...score(line, delimiter, isKnown) })).toSorted(byScore)
  // A tab is in no address.
  if (best === undefined || (best.cells === 1 && told === undefined)) return '\t'
  return best.known === 0 && /^https?:\/\/\S+$/i.test(line.trim()) && !line.includes('\t') ? '\t' : best.delimiter
}

interface Score {
  known: number
  cells: number
}

const byScore = (a: Score, b: Score) => b.known - a.known || b.cells - a.cells

function score(line: string, delimiter: string, isKnown: (name: string) => boolean): Score {
  const cells = splitLine(line, delimiter)
  return { known: cells.filter(isKnown).length, cells: cells.length }
}

/** The cells of a line, whose quotation marks may hold delimiters. */
function splitLine(line: string, delimiter: string): string[] {
  const cells = ['']
  let isQuoted = false
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted
    else if (character === delimiter && !isQuoted) cells.push('')
    else cells.push(`${cells.pop() ?? ''}${character}`)
  }
  return cells
}
