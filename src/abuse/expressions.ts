import type { CanonicalUrl } from './canonical.ts'

/** How many hosts above a URL's own, and how many folders above its path, are asked for. */
export interface Reach {
  hosts: number
  folders: number
}

/**
 * What Safe Browsing asks for: at most four hosts, made of the last five labels, and four folders, from the root down.
 * There each costs the client a look-up that others have to answer.
 */
export const safeBrowsingReach: Reach = { hosts: 4, folders: 4 }

/** Further than any list goes, and still bounded: our look-ups are in memory. */
export const wideReach: Reach = { hosts: 10, folders: 10 }

/** A bracketed IPv6 address, or an IPv4 one. */
export function isAddress(host: string): boolean {
  return host.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(host)
}

/**
 * The host itself, then the names above it down to two labels, longest first; an address has none. A bare top-level
 * domain is never among them.
 */
export function hostSuffixes(host: string, { hosts }: Reach): string[] {
  if (isAddress(host)) return [host]
  const labels = host.split('.')
  const parents = labels.slice(1, -1).map((_, at) => labels.slice(at + 1).join('.'))
  return [host, ...parents.slice(-hosts)]
}

/** The path with its query, the path, then the folders that it is in, deepest first; `/` is the last. */
export function pathPrefixes({ path, query }: CanonicalUrl, { folders }: Reach): string[] {
  const found: string[] = []
  for (let slash = path.indexOf('/'); slash !== -1 && found.length < folders; slash = path.indexOf('/', slash + 1)) {
    found.unshift(path.slice(0, slash + 1))
  }
  if (found[0] !== path) found.unshift(path)
  if (query !== '') found.unshift(path + query)
  return found
}

/** Every expression that lists a URL: each host with each path, the most specific first. */
export function expressions(url: CanonicalUrl, reach: Reach): string[] {
  const paths = pathPrefixes(url, reach)
  return hostSuffixes(url.host, reach).flatMap((host) => paths.map((path) => host + path))
}
