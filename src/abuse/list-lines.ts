import { CsvError, parse, type Options } from 'csv-parse/sync'

/** A parser for a list of hosts and URLs. */
export interface LineParser {
  /** Parses some lines: the hosts and URLs of each, none for a comment; undefined for an invalid line. */
  read: (lines: string[]) => (string[] | undefined)[]
  /** The format of most lines. */
  format: () => string
}

const comment = /^(?:#|!|;|\/\/|$)/
const hostsLine = /^(?:\d{1,3}(?:\.\d{1,3}){3}|[\da-f]*:[\da-f:]*(?:%\w+)?)[ \t]+(\S.*)$/i
const url = /^https?:\/\/[^\s/?#]\S*$/i
const name = /^(?:\*?\.)?((?:[\p{L}\p{N}_-]+\.)+[\p{L}\p{N}-]+\.?)(?::\d+)?(\/\S*)?$/u

/** Names of the local machine in hosts files. */
const localNames =
  /^(?:localhost|localhost\.localdomain|local|broadcasthost|0\.0\.0\.0|ip6-(?:localhost|loopback|localnet|mcastprefix|all(?:nodes|routers|hosts)))$/i

/**
 * Detects the format of each line: hosts files (`0.0.0.0 name …`), lists of names, lists of URLs (URLhaus text, OpenPhish,
 * Phishing.Database), and CSV with a column of URLs (URLhaus, PhishTank; the header may be a comment).
 */
export function createLineParser(): LineParser {
  const counts = new Map<string, number>()
  let urlColumn = -1

  function found(format: string, addresses: string[]): string[] {
    counts.set(format, (counts.get(format) ?? 0) + 1)
    return addresses
  }

  function readCells(cells: string[] | undefined): string[] | undefined {
    const cell = cells?.[urlColumn]?.trim() ?? ''
    return /^[a-z]+:\/\/\S/i.test(cell) ? found('CSV', [cell]) : undefined
  }

  function readText(text: string): string[] | undefined {
    const entry = (text.split(/\s#/, 1)[0] ?? '').trimEnd()
    if (url.test(entry)) return found('URLs', [entry])
    const [, host = '', path = ''] = name.exec(entry) ?? []
    if (host !== '') return found(path === '' ? 'host names' : 'URLs', [host + path])
    const names = hostsLine.exec(entry)?.[1]?.split(/\s+/) ?? ['']
    const others = names.filter((each) => !localNames.test(each))
    return others.every((each) => name.test(each)) ? found('hosts file', others) : undefined
  }

  function read(lines: string[]): (string[] | undefined)[] {
    const rows: { at: number; text: string }[] = []
    const addresses = lines.map((line, at) => {
      const text = line.replace(/^\uFEFF/, '').trim()
      if (urlColumn === -1) {
        urlColumn = findUrlColumn(text)
        if (urlColumn !== -1 || comment.test(text)) return []
        return readText(text)
      }
      if (comment.test(text)) return []
      rows.push({ at, text })
      return undefined
    })
    const cells = cellsOf(rows.map(({ text }) => text))
    for (const [index, { at }] of rows.entries()) addresses[at] = readCells(cells[index])
    return addresses
  }

  return { read, format: () => [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? 'empty' }
}

/** The index of the URL column in a CSV header; -1 for any other line. */
function findUrlColumn(line: string): number {
  if (!line.includes(',') || !/url/i.test(line)) return -1
  const [names] = cellsOf([line.replace(/^#\s*/, '')])
  return names?.findIndex((each) => each.trim().toUpperCase() === 'URL') ?? -1
}

const options: Options = {
  record_delimiter: '\n',
  relax_column_count: true,
  relax_quotes: true,
  // In bytes.
  max_record_size: 16_384,
}

/**
 * Parses lines of CSV (RFC 4180) in one call, because single lines take five times as long; undefined for invalid lines.
 * Lists have no line breaks inside cells: an unclosed quote only invalidates its line.
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
