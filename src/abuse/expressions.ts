import type { CanonicalUrl } from './canonical.ts'

/** How many hosts above a URL's own, and how many folders above its path, are asked for. */
export interface Reach {
  hosts: number
  folders: number
  /** Whether the other forms of a path are asked for under which servers show the same. */
  alike: boolean
}

/**
 * What Safe Browsing asks for: at most four hosts, made of the last five labels, and four folders, from the root down.
 * There each costs the client a look-up that others have to answer.
 */
export const safeBrowsingReach: Reach = { hosts: 4, folders: 4, alike: false }

/** Further than any list goes, and still bounded: our look-ups are in memory. */
export const wideReach: Reach = { hosts: 10, folders: 10, alike: true }

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

/**
 * The path with its query, the path, then the folders that it is in, deepest first; `/` is the last. With `alike`, each is
 * joined by what servers take for the same: the path without parameters (`/a;x`), with and without a slash at its end, and
 * the file of which a path is made a folder (`/a.php/x`), for below a file there is nothing but the file.
 */
export function pathPrefixes({ path, query }: CanonicalUrl, { folders, alike }: Reach): string[] {
  const exact = query === '' ? [path] : [path + query, path]
  const above = foldersOf(path, folders)
  if (!alike) return [...new Set([...exact, ...above])]
  const plain = path.includes(';') ? path.replaceAll(/;[^/]*/g, '').replaceAll(/\/{2,}/g, '/') : path
  const other = plain.endsWith('/') ? plain.slice(0, -1) : `${plain}/`
  const same = [...exact, plain + query, plain, ...(other === '' ? [] : [other])]
  const plainAbove = plain === path ? [] : foldersOf(plain, folders)
  // Both end at the root.
  const depth = Math.max(above.length, plainAbove.length)
  const all = Array.from({ length: depth }, (_, at) => [above.at(at - depth), plainAbove.at(at - depth)]).flat()
  const found = all
    .filter((folder) => folder !== undefined)
    .flatMap((folder) => (isFile.test(folder) ? [folder.slice(0, -1), folder] : [folder]))
  return [...new Set([...same, ...found])]
}

/** A folder whose name is that of a file. */
const isFile = /\.[a-z][a-z\d]{0,4}\/$/i

/** The folders that a path is in, deepest first, those at the root if they are more than so many. */
function foldersOf(path: string, most: number): string[] {
  const found: string[] = []
  for (let slash = path.indexOf('/'); slash !== -1 && found.length < most; slash = path.indexOf('/', slash + 1)) {
    found.unshift(path.slice(0, slash + 1))
  }
  return found
}

/** Every expression that lists a URL: each host with each path, the most specific first. */
export function expressions(url: CanonicalUrl, reach: Reach): string[] {
  const paths = pathPrefixes(url, reach)
  return hostSuffixes(url.host, reach).flatMap((host) => paths.map((path) => host + path))
}
