/** A URL in canonical form: spellings of the same destination are equal. */
export interface CanonicalUrl {
  /** Lower case, without dots around it; an IPv4 address in four decimal parts. */
  host: string
  /** Begins with a slash. */
  path: string
  /** With its question mark; empty when there is none. */
  query: string
}

/**
 * Converts a URL to the canonical form of Safe Browsing (v4, "URLs and Hashing", Canonicalization). A valid URL is first
 * parsed as browsers do (WHATWG), so that all spellings of one destination are equal.
 * @param text a URL; the default scheme is http
 */
export function canonicalise(text: string): CanonicalUrl {
  const spelled = withScheme(text.trim())
  // The output of the WHATWG parser is ASCII.
  const href = URL.parse(spelled)?.href ?? Buffer.from(spelled, 'utf8').toString('latin1')
  return canonicaliseBytes(href)
}

/** The expression that matches exactly this URL: its canonical form without scheme, port and credentials. */
export function expressionOf({ host, path, query }: CanonicalUrl): string {
  return host + path + query
}

/** The same for a URL as a binary string, which is only processed as the document specifies. */
export function canonicaliseBytes(bytes: string): CanonicalUrl {
  const [whole = ''] = withScheme(bytes.replaceAll(/[\t\r\n]/g, '').trim()).split('#', 1)
  const [, written = '', rest = ''] = /^[^:]+:\/\/([^/?]*)(.*)$/s.exec(whole) ?? []
  // Most hosts are on no list, so that nothing else of their URLs is looked at.
  if (!written.includes('%')) return urlOf(written, rest)
  const [, authority = '', unescaped = ''] = /^[^:]+:\/\/([^/?]*)(.*)$/s.exec(unescape(whole)) ?? []
  return urlOf(authority, unescaped)
}

/**
 * A URL whose path and query are converted when they are first read: strangers can make them 12,000 characters of escapes.
 * @param rest path and query, with or without their escapes
 */
function urlOf(authority: string, rest: string): CanonicalUrl {
  let converted: Pick<CanonicalUrl, 'path' | 'query'> | undefined
  const convert = () => {
    const [, path = '', query = ''] = /^([^?]*)(.*)$/s.exec(unescape(rest)) ?? []
    return { path: escape(canonicalPath(path)), query: escape(query) }
  }
  const read = () => (converted ??= convert())
  return {
    host: escape(canonicalHost(authority)),
    get path() {
      return read().path
    },
    get query() {
      return read().query
    },
  }
}

function withScheme(text: string): string {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`
}

/**
 * Percent-decodes repeatedly, in one pass: when a decoded character completes another escape, that is decoded at once.
 * Nested escapes therefore take linear time.
 */
function unescape(text: string): string {
  if (!text.includes('%')) return text
  // A binary string: each character is a byte.
  const out = new Uint8Array(text.length)
  let length = 0
  for (let at = 0; at < text.length; at++) {
    out[length++] = text.charCodeAt(at)
    for (let code = lastEscape(out, length); code !== -1; code = lastEscape(out, length)) {
      length -= 2
      out[length - 1] = code
    }
  }
  return Buffer.from(out.buffer, 0, length).toString('latin1')
}

const PERCENT = 0x25

/** The byte that the last three of these stand for; -1 when they are no escape. */
function lastEscape(bytes: Uint8Array, length: number): number {
  if (length < 3 || bytes[length - 3] !== PERCENT) return -1
  const [high, low] = [digitOf(bytes[length - 2]), digitOf(bytes[length - 1])]
  return high === -1 || low === -1 ? -1 : high * 16 + low
}

/** The value of a hexadecimal digit; -1 for any other character. */
function digitOf(character = 0): number {
  if (character >= 0x30 && character <= 0x39) return character - 0x30
  const letter = character | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}

// oxlint-disable-next-line no-control-regex -- the document requires their encoding
const escaped = /[\u0000-\u0020\u007f-\u00ff#%]/
/** 1 for each byte that is encoded. */
const isEscaped = Uint8Array.from({ length: 256 }, (_, byte) => Number(escaped.test(String.fromCharCode(byte))))
const DIGITS = Buffer.from('0123456789ABCDEF')

/** Percent-encodes everything but printable ASCII, and `#` and `%`. */
function escape(text: string): string {
  if (!escaped.test(text)) return text
  const bytes = Buffer.from(text, 'latin1')
  const out = Buffer.allocUnsafe(bytes.length * 3)
  let length = 0
  for (const byte of bytes) {
    if (isEscaped[byte] === 1) {
      out[length++] = PERCENT
      out[length++] = DIGITS[byte >> 4] ?? 0
      out[length++] = DIGITS[byte & 15] ?? 0
    } else out[length++] = byte
  }
  return out.toString('latin1', 0, length)
}

function canonicalHost(authority: string): string {
  const host = authority
    .slice(authority.lastIndexOf('@') + 1)
    .replace(/:\d*$/, '')
    .toLowerCase()
  const isDotted = !/^\.|\.$|\.\./.test(host)
  const dotted = isDotted ? host : host.replaceAll(/\.{2,}/g, '.').replaceAll(/^\.|\.$/g, '')
  // WHATWG parses every notation of IPv4 that inet_aton accepts: octal, hexadecimal, fewer than four parts.
  const isNumeric = /^(?:0x[\da-f]*|\d+)(?:\.(?:0x[\da-f]*|\d+)){0,3}$/.test(dotted)
  return (isNumeric && URL.parse(`http://${dotted}/`)?.hostname) || dotted
}

/** Resolves dot segments, and merges consecutive slashes. */
function canonicalPath(path: string): string {
  if (path === '') return '/'
  // Most paths are already canonical.
  if (!/\/[./]/.test(path)) return path
  const resolved: string[] = []
  const segments = path.split('/')
  for (const segment of segments) {
    if (segment === '..') resolved.pop()
    else if (segment !== '' && segment !== '.') resolved.push(segment)
  }
  const isFolder = ['', '.', '..'].includes(segments.at(-1) ?? '')
  return resolved.length === 0 ? '/' : `/${resolved.join('/')}${isFolder ? '/' : ''}`
}
