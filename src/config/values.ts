// How texts of the configuration become values; undefined for a text that is not allowed.

/**
 * Files and https URLs, each once. A loopback address may be asked without TLS: nobody stands between, and tests and
 * local mirrors have no certificate.
 */
export function listSources(text: string): string[] | undefined {
  const sources = text.split(',').map((part) => part.trim())
  const isAllowed = (source: string) => {
    if (!/^[a-z][a-z\d+.-]*:\/\//i.test(source)) return source !== ''
    const url = URL.parse(source)
    if (url === null || url.username + url.password !== '') return false
    return (
      url.protocol === 'https:' ||
      (url.protocol === 'http:' && /^(?:127(?:\.\d+){3}|localhost|\[::1\])$/.test(url.hostname))
    )
  }
  return sources.every(isAllowed) ? [...new Set(sources)] : undefined
}

/** Where places come from; nowhere for `off`. */
export function placeSources(text: string): string[] | undefined {
  const sources = text === 'off' ? [] : listSources(text)
  return sources?.includes('off') ? undefined : sources
}

/** A way to reach the operator, as a URI, which security.txt asks for. */
export function contactUri(text: string): string | undefined {
  const address = text.replace(/^mailto:/i, '')
  if (/^[^\s@:/?#<>"]+@[\w.-]+\.[\w-]+$/.test(address)) return `mailto:${address}`
  return /^https:\/\/\S+$/.test(text) ? URL.parse(text)?.href : undefined
}

/** A whole number within its bounds, written in decimal digits. */
export function integer(text: string, min: number, max: number): number | undefined {
  const value = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  return value >= min && value <= max ? value : undefined
}

const DAY_MS = 86_400_000

/** How long, in milliseconds. */
export function retention(text: string): number | undefined {
  if (text === 'forever') return Number.POSITIVE_INFINITY
  const days = integer(text.replace(/d$/, ''), 1, 36_500)
  return text.endsWith('d') && days !== undefined ? days * DAY_MS : undefined
}

/** An origin, without the slash. */
export function origin(text: string): string | undefined {
  const url = URL.parse(text)
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined
  return url.username + url.password + url.search + url.hash === '' && url.pathname === '/' ? url.origin : undefined
}
