/**
 * The destination in the redirect: the stored text with the link's UTM parameters set in its query, and non-ASCII
 * characters encoded as WHATWG does. Every other byte stays as the owner wrote it.
 *
 * Each pair replaces the value of the first key of its name where that stands; further keys of the name are removed; a
 * new pair is appended. When there are pairs, an empty path gains its slash.
 */
export function destination(target: string, utm: Record<string, string>): string {
  const [, beforeFragment = '', fragment = ''] = /^([^#]*)(.*)$/s.exec(target) ?? []
  const pairs = pairsOf(utm)
  return toAscii((pairs.written.size === 0 ? beforeFragment : withPairs(beforeFragment, pairs)) + fragment)
}

/** Parameters as they are written into queries. */
interface Pairs {
  /** The pair of each name. */
  written: ReadonlyMap<string, string>
  lengths: ReadonlySet<number>
}

/** A link may have a hundred URLs, in each of which its parameters are set. */
const prepared = new WeakMap<Record<string, string>, Pairs>()

function pairsOf(utm: Record<string, string>): Pairs {
  const known = prepared.get(utm)
  if (known !== undefined) return known
  const entries = Object.entries(utm)
  const pairs = {
    written: new Map(entries.map(([name, value]) => [name, `${name}=${encodeURIComponent(value)}`])),
    lengths: new Set(entries.map(([name]) => name.length)),
  }
  prepared.set(utm, pairs)
  return pairs
}

function withPairs(address: string, pairs: Pairs): string {
  const [, start = '', path = '', query = ''] = /^([^/]+\/\/[^/?]*)([^?]*)(?:\?(.*))?$/s.exec(address) ?? []
  return `${start}${path === '' ? '/' : path}?${setPairs(query, pairs)}`
}

/** Reads each part of the query once: it may have a thousand. */
function setPairs(query: string, { written, lengths }: Pairs): string {
  const found = new Set<string>()
  const parts: string[] = []
  for (const part of query.split('&')) {
    const name = nameOf(part, lengths)
    const pair = written.get(name)
    if (pair === undefined) parts.push(part)
    else if (!found.has(name)) parts.push(pair)
    if (pair !== undefined) found.add(name)
  }
  const kept = parts.join('&')
  const added = Array.from(written, ([name, pair]) => (found.has(name) ? '' : pair)).filter((pair) => pair !== '')
  return kept === '' || kept.endsWith('&') || added.length === 0 ? kept + added.join('&') : `${kept}&${added.join('&')}`
}

/**
 * A pair's name as a server will read it (WHATWG URL, application/x-www-form-urlencoded parsing), if it may be one of names of some
 * lengths, which have neither blanks nor other characters than those of ASCII; else anything that is none of them.
 */
function nameOf(part: string, lengths: ReadonlySet<number>): string {
  const end = part.indexOf('=')
  const written = end === -1 ? part : part.slice(0, end)
  let escapes = 0
  for (let at = written.indexOf('%'); at !== -1; at = written.indexOf('%', at + 1)) escapes++
  if (escapes === 0) return written
  // Each escape is three characters.
  if (!lengths.has(written.length - 2 * escapes) || !isEscapedAscii.test(written)) return ''
  return decodeURIComponent(written)
}

const isEscapedAscii = /^(?:[^%]|%[0-7][\da-f])*$/i

/** Encodes non-ASCII characters: the host by IDNA, the rest as percent-encoded UTF-8. Returns an ASCII text unchanged. */
function toAscii(address: string): string {
  if (/^\p{ASCII}*$/u.test(address)) return address
  const [, start = '', host = '', rest = ''] = /^([^/]+\/\/)([^/?#]*)(.*)$/s.exec(address) ?? []
  const [, name = '', port = ''] = /^(.*?)(:\d*)?$/s.exec(host) ?? []
  const asciiName = /^\p{ASCII}*$/u.test(name) ? name : new URL(start + name).hostname
  return start + asciiName + port + rest.replace(/\P{ASCII}+/gu, encodeURIComponent)
}
