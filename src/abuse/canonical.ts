/** A URL as lists are compared: what of it leads to the same place is written in one way. */
export interface CanonicalUrl {
  /** Lower case, without dots around it; an IPv4 address in four decimal parts. */
  host: string
  /** Begins with a slash. */
  path: string
  /** With its question mark; empty when there is none. */
  query: string
}

/**
 * Brings a URL into the canonical form of Safe Browsing (v4, "URLs and Hashing", Canonicalization). A URL that WHATWG's
 * parser takes is first read as a browser would, so that no two spellings of one destination differ.
 * @param text a URL; without a scheme it is read as http
 */
export function canonicalise(text: string): CanonicalUrl {
  const spelled = withScheme(text.trim())
  // What WHATWG's parser gives is ASCII.
  const href = URL.parse(spelled)?.href ?? Buffer.from(spelled, 'utf8').toString('latin1')
  return canonicaliseBytes(href)
}

/** The canonical form written out, without scheme, port and credentials: an expression that names just this URL. */
export function expressionOf({ host, path, query }: CanonicalUrl): string {
  return host + path + query
}

/** The same for a URL whose characters are bytes (a "binary string"); it is only taken apart as the document says. */
export function canonicaliseBytes(bytes: string): CanonicalUrl {
  const [whole = ''] = withScheme(bytes.replaceAll(/[\t\r\n]/g, '').trim()).split('#', 1)
  const [, authority = '', path = '', query = ''] = /^[^:]+:\/\/([^/?]*)([^?]*)(.*)$/s.exec(unescape(whole)) ?? []
  return { host: escape(canonicalHost(authority)), path: escape(canonicalPath(path)), query: escape(query) }
}

function withScheme(text: string): string {
  return /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `http://${text}`
}

/**
 * Percent-decodes until nothing is left to decode. In one pass: what a decoded character completes, with those before
 * it, is decoded on the spot, so that a chain of thousands of escapes costs no more than its length.
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

// oxlint-disable-next-line no-control-regex -- the document counts them among what is encoded
const escaped = /[\u0000-\u0020\u007f-\u00ff#%]/g

/** Percent-encodes what is not printable ASCII, and the two characters with a meaning of their own. */
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
  // WHATWG reads every notation of IPv4 that inet_aton does: octal, hexadecimal, fewer than four parts.
  const isNumeric = /^(?:0x[\da-f]*|\d+)(?:\.(?:0x[\da-f]*|\d+)){0,3}$/.test(dotted)
  return (isNumeric && URL.parse(`http://${dotted}/`)?.hostname) || dotted
}

/** Resolves dot segments, and makes one slash of several. */
function canonicalPath(path: string): string {
  if (path === '') return '/'
  // Nearly all paths are written so already.
  if (!/\/[./]/.test(path)) return path
  const kept: string[] = []
  const segments = path.split('/')
  for (const segment of segments) {
    if (segment === '..') kept.pop()
    else if (segment !== '' && segment !== '.') kept.push(segment)
  }
  const isFolder = ['', '.', '..'].includes(segments.at(-1) ?? '')
  return kept.length === 0 ? '/' : `/${kept.join('/')}${isFolder ? '/' : ''}`
}
