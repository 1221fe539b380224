/** Reads the lines of a list one by one: the hosts and URLs of each, none for a comment; undefined when it is neither. */
export type LineReader = (line: string) => string[] | undefined

/** What is known as a list of hosts and URLs, as `LineReader` has found it out. */
export interface ReadList {
  read: LineReader
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
    const names = line.replace(/^#\s*/, '').toLowerCase().split(',')
    const at = names.findIndex((each) => /^\s*"?url"?\s*$/.test(each))
    if (names.length < 2 || at === -1) return false
    urlColumn = at
    return true
  }

  function readCell(text: string): string[] | undefined {
    const cell = cellsOf(text)[urlColumn]?.trim() ?? ''
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

  function read(line: string): string[] | undefined {
    const text = line.replace(/^\uFEFF/, '').trim()
    if (urlColumn === -1 && isHeader(text)) return []
    if (comment.test(text)) return []
    return urlColumn === -1 ? readWords(text) : readCell(text)
  }

  return { read, format: () => [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0] ?? 'empty' }
}

/** The cells of one line of CSV (RFC 4180); no list has line ends inside cells. */
function cellsOf(line: string): string[] {
  return Array.from(line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g), ([, quoted, bare]) =>
    quoted === undefined ? (bare ?? '') : quoted.replaceAll('""', '"'),
  )
}
