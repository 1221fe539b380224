import { CsvError, parse, type Options } from 'csv-parse/sync'

/** Reads a list of hosts and URLs, some hundred lines at a time. */
export interface ReadList {
  /** The hosts and URLs of each line, none for a comment; undefined when it is neither. */
  read: (lines: string[]) => (string[] | undefined)[]
  /** What most lines were. */
  format: () => string
}

const comment = /^(?:#|!|;|\/\/|$)/
const hostsLine = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]*:[\da-f:]*(?:%\w+)?)[ \t]+(\S.*)$/i
const url = /^https?:\/\/[^\s/?#]\S*$/i
const name = /^(?:\*?\.)?((?:[\p{L}\p{N}_-]+\.)+[\p{L}\p{N}-]+\.?)(?::\d+)?(\/\S*)?$/u

/** Names that hosts files give to the machine itself. */
const ownNames =
  /^(?:localhost|localhost\.localdomain|local|broadcasthost|0\.0\.0\.0|ip6-(?:localhost|loopback|localnet|mcastprefix|all(?:nodes|routers|hosts)))$/i

/**
 * Recognises, line by line: hosts files (`0.0.0.0 name …`), lists of names, lists of URLs (URLhaus text, OpenPhish,
 * Phishing.Database), and CSV with a column of URLs (URLhaus, PhishTank; the header may be a comment).
 */
export function readLines(): ReadList {
  const counts = new Map<string, number>()
  let urlColumn = -1

  function found(format: string, addresses: string[]): string[] {
    counts.set(format, (counts.get(format) ?? 0) + 1)
    return addresses
  }

  /** Whether the line names the columns of those that follow. */
  function isHeader(line: string): boolean {
    if (!line.includes(',') || !/url/i.test(line)) return false
    const [names] = cellsOf([line.replace(/^#\s*/, '')])
    const at = names?.findIndex((each) => each.trim().toUpperCase() === 'URL') ?? -1
    if (at === -1) return false
    urlColumn = at
    return true
  }

  function readCells(cells: string[] | undefined): string[] | undefined {
    const cell = cells?.[urlColumn]?.trim() ?? ''
    return /^[a-z]+:\/\/\S/i.test(cell) ? found('CSV', [cell]) : undefined
  }

  function readWords(text: string): string[] | undefined {
    const entry = (text.split(/\s#/, 1)[0] ?? '').trimEnd()
    if (url.test(entry)) return found('URLs', [entry])
    const [, host = '', path = ''] = name.exec(entry) ?? []
    if (host !== '') return found(path === '' ? 'host names' : 'URLs', [host + path])
    const names = hostsLine.exec(entry)?.[1]?.split(/\s+/) ?? ['']
    const others = names.filter((each) => !ownNames.test(each))
    return others.every((each) => name.test(each)) ? found('hosts file', others) : undefined
  }

  function read(lines: string[]): (string[] | undefined)[] {
    const rows: { at: number; text: string }[] = []
    const addresses = lines.map((line, at) => {
      const text = line.replace(/^\uFEFF/, '').trim()
      if (urlColumn === -1 && isHeader(text)) return []
      if (comment.test(text)) return []
      if (urlColumn === -1) return readWords(text)
      rows.push({ at, text })
      return undefined
    })
    const cells = cellsOf(rows.map(({ text }) => text))
    for (const [index, { at }] of rows.entries()) addresses[at] = readCells(cells[index])
    return addresses
  }

  return { read, format: () => [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? 'empty' }
}

const options: Options = {
  record_delimiter: '\n',
  relax_column_count: true,
  relax_quotes: true,
  /** Bytes of a row. */
  max_record_size: 16_384,
}

/**
 * The cells of each line of CSV (RFC 4180), together, as a line alone takes the parser five times as long; undefined where there are none.
 * No list has line ends inside cells: a quote that is not closed spoils its own line only.
 */
function cellsOf(lines: string[]): (string[] | undefined)[] {
  if (lines.length === 0) return []
  try {
    const records = parse(lines.join('\n'), options)
    if (records.length === lines.length) return records
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
  }
  if (lines.length === 1) return [undefined]
  const half = lines.length >> 1
  return [...cellsOf(lines.slice(0, half)), ...cellsOf(lines.slice(half))]
}
