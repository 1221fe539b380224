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
  const [, start = '', path = '', query = ''] = /^([^/]+\/\/[^/?]*)([^?]*)(?:\?(.*))?$/s.exec(address) ?? []
  return `${start}${path === '' ? '/' : path}?${setPairs(query, pairs)}`
}

/** Sets the pairs in one pass: a visit may wait for 20 such addresses, whose queries strangers write. */
function setPairs(query: string, pairs: [name: string, value: string][]): string {
  const ours = new Map(pairs.map(([name, value]) => [name, `${name}=${encodeURIComponent(value)}`]))
  const missing = new Map(ours)
  const kept = query.split('&').flatMap((part) => {
    const name = nameOf(part)
    const pair = ours.get(name)
    if (pair === undefined) return part
    return missing.delete(name) ? pair : []
  })
  return [...missing.values()].reduce(
    (text, pair) => (text === '' || text.endsWith('&') ? text + pair : `${text}&${pair}`),
    kept.join('&'),
  )
}

/**
 * A pair's name as a server will read it (WHATWG URL, application/x-www-form-urlencoded parsing), if it may be one of ours: those
 * have neither a blank, which `+` stands for, nor other than ASCII characters.
 */
function nameOf(part: string): string {
  const end = part.indexOf('=')
  const written = end === -1 ? part : part.slice(0, end)
  if (!written.includes('%')) return written
  return written.replaceAll(/%([0-7][\da-f])/gi, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 16)),
  )
}

/** Encodes non-ASCII characters: the host by IDNA, the rest as percent-encoded UTF-8. Returns an ASCII text unchanged. */
function toAscii(address: string): string {
  if (/^\p{ASCII}*$/u.test(address)) return address
  const [, start = '', host = '', rest = ''] = /^([^/]+\/\/)([^/?#]*)(.*)$/s.exec(address) ?? []
  const [, name = '', port = ''] = /^(.*?)(:\d*)?$/s.exec(host) ?? []
  const asciiName = /^\p{ASCII}*$/u.test(name) ? name : new URL(start + name).hostname
  return start + asciiName + port + rest.replace(/\P{ASCII}+/gu, encodeURIComponent)
}
