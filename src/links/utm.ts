/**
 * The destination in the redirect: the stored text with the link's UTM parameters set in its query, and non-ASCII
 * characters encoded as WHATWG does. Every other byte stays as the owner wrote it.
 *
 * Each pair replaces the value of the first key of its name where that stands; further keys of the name are removed; a
 * new pair is appended. When there are pairs, an empty path gains its slash.
 */
export function destination(target: string, utm: Record<string, string>): string {
  const [, beforeFragment = '', fragment = ''] = /^([^#]*)(.*)$/s.exec(target) ?? []
  const pairs = Object.entries(utm)
  return toAscii((pairs.length === 0 ? beforeFragment : withPairs(beforeFragment, pairs)) + fragment)
}

function withPairs(address: string, pairs: [name: string, value: string][]): string {
  const [, start = '', path = '', query] = /^([^/]+\/\/[^/?]*)([^?]*)(?:\?(.*))?$/s.exec(address) ?? []
  const set = pairs.reduce<string | undefined>((text, [name, value]) => setPair(text, name, value), query)
  return `${start}${path === '' ? '/' : path}?${set}`
}

function setPair(query: string | undefined, name: string, value: string): string {
  const pair = `${name}=${encodeURIComponent(value)}`
  if (query === undefined || query === '') return pair
  const parts = query.split('&')
  const first = parts.findIndex((part) => nameOf(part) === name)
  if (first !== -1)
    return parts.flatMap((part, at) => (at === first ? pair : nameOf(part) === name ? [] : part)).join('&')
  return query.endsWith('&') ? query + pair : `${query}&${pair}`
}

/** A pair's name as a server will read it (WHATWG URL, application/x-www-form-urlencoded parsing). */
function nameOf(part: string): string {
  const [written = ''] = part.split('=', 1)
  if (!/[%+]/.test(written)) return written
  return new URLSearchParams(`${written}=`).keys().next().value ?? ''
}

/** Encodes non-ASCII characters: the host by IDNA, the rest as percent-encoded UTF-8. Returns an ASCII text unchanged. */
function toAscii(address: string): string {
  if (/^\p{ASCII}*$/u.test(address)) return address
  const [, start = '', host = '', rest = ''] = /^([^/]+\/\/)([^/?#]*)(.*)$/s.exec(address) ?? []
  const [, name = '', port = ''] = /^(.*?)(:\d*)?$/s.exec(host) ?? []
  const asciiName = /^\p{ASCII}*$/u.test(name) ? name : new URL(start + name).hostname
  return start + asciiName + port + rest.replace(/\P{ASCII}+/gu, encodeURIComponent)
}
