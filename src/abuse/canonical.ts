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

/**
 * Percent-decodes repeatedly, in one pass: when a decoded character completes another escape, that is decoded at once.
 * Nested escapes therefore take linear time.
 */
function unescape(text: string): string {
  if (!text.includes('%')) return text
  const out: string[] = []
  for (const char of text) {
    out.push(char)
    while (out.length >= 3 && out.at(-3) === '%' && /^[\da-f]{2}$/i.test(`${out.at(-2)}${out.at(-1)}`)) {
      const code = Number.parseInt(out.splice(-3).join('').slice(1), 16)
      out.push(String.fromCharCode(code))
    }
  }
  return out.join('')
}

// oxlint-disable-next-line no-control-regex -- the document requires their encoding
const escaped = /[\u0000-\u0020\u007f-\u00ff#%]/g

/** Percent-encodes everything but printable ASCII, and `#` and `%`. */
function escape(text: string): string {
  return text.replaceAll(escaped, (char) => {
    return `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`
  })
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
