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
  const [, authority = '', path = '', query = ''] = /^[^:]+:\/\/([^/?]*)([^?]*)(.*)$/s.exec(unescape(whole)) ?? []
  return { host: escape(canonicalHost(authority)), path: escape(canonicalPath(path)), query: escape(query) }
}

function withScheme(text: string): string {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`
}

const PERCENT = 0x25
/** The value of each byte that is a hexadecimal digit; -1 of others. */
const digits = Int8Array.from({ length: 256 }, (_, byte) => {
  const value = Number.parseInt(String.fromCharCode(byte), 16)
  return Number.isNaN(value) ? -1 : value
})

/**
 * Percent-decodes repeatedly, in one pass: when a decoded character completes another escape, that is decoded at once.
 * Nested escapes therefore take linear time. Of bytes, because one link may have megabytes of escapes.
 */
function unescape(text: string): string {
  if (!text.includes('%')) return text
  // Written to itself: it grows no longer than what has been read.
  const out = Buffer.from(text, 'latin1')
  let length = 0
  for (let at = 0; at < out.length; at++) {
    out[length++] = out[at] ?? 0
    while (length >= 3 && out[length - 3] === PERCENT) {
      const high = digits[out[length - 2] ?? 0] ?? -1
      const low = digits[out[length - 1] ?? 0] ?? -1
      if (high === -1 || low === -1) break
      length -= 3
      out[length++] = high * 16 + low
    }
  }
  return out.toString('latin1', 0, length)
}

// oxlint-disable-next-line no-control-regex -- the document requires their encoding
const escaped = /[\u0000-\u0020\u007f-\u00ff#%]/
/** What stands for each byte. */
const encodings = Array.from({ length: 256 }, (_, byte) => {
  const char = String.fromCharCode(byte)
  return escaped.test(char) ? `%${byte.toString(16).toUpperCase().padStart(2, '0')}` : char
})

/** Percent-encodes everything but printable ASCII, and `#` and `%`. */
function escape(text: string): string {
  if (!escaped.test(text)) return text
  let encoded = ''
  for (let at = 0; at < text.length; at++) encoded += encodings[text.charCodeAt(at)] ?? text.charAt(at)
  return encoded
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
