import type { CanonicalUrl } from './canonical.ts'

/** Limits for the expressions of a URL: parent hosts, and parent folders of its path. */
export interface ExpressionLimits {
  hosts: number
  folders: number
  /** Whether to include the variants of a path that servers usually treat alike. */
  variants: boolean
}

/** The limits of Safe Browsing, where each expression costs a look-up: four parent hosts, and four folders. */
export const safeBrowsingLimits: ExpressionLimits = { hosts: 4, folders: 4, variants: false }

/** Limits beyond the depth of any list: look-ups are in memory. */
export const wideLimits: ExpressionLimits = { hosts: 10, folders: 10, variants: true }

/** Whether a host is a bracketed IPv6 address or an IPv4 address. */
export function isAddress(host: string): boolean {
  return host.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(host)
}

/**
 * The host, then its parents with at least two labels, longest first; an address has none. A top-level domain is never
 * included.
 */
export function hostSuffixes(host: string, { hosts }: ExpressionLimits): string[] {
  if (isAddress(host)) return [host]
  const labels = host.split('.')
  // Only those: a host may have 120 labels.
  const first = Math.max(1, labels.length - 1 - hosts)
  return [host, ...labels.slice(first, -1).map((_, at) => labels.slice(first + at).join('.'))]
}

/**
 * The path with its query, the path, then its folders, deepest first; `/` is the last. With `variants`, also the forms
 * that servers usually treat alike: the path without parameters (`/a;x`), with and without a trailing slash, and the file
 * that a path uses as a folder (`/a.php/x`).
 */
export function pathPrefixes({ path, query }: CanonicalUrl, { folders, variants }: ExpressionLimits): string[] {
  const exact = query === '' ? [path] : [path + query, path]
  const above = foldersOf(path, folders)
  if (!variants) return [...new Set([...exact, ...above])]
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

/** A folder that looks like a file. */
const isFile = /\.[a-z][a-z\d]{0,4}\/$/i

/** The folders of a path, deepest first; at most `most`, counted from the root. */
function foldersOf(path: string, most: number): string[] {
  const found: string[] = []
  for (let slash = path.indexOf('/'); slash !== -1 && found.length < most; slash = path.indexOf('/', slash + 1)) {
    found.unshift(path.slice(0, slash + 1))
  }
  return found
}

/** Every expression that matches a URL: each host with each path, the most specific first. */
export function expressions(url: CanonicalUrl, reach: ExpressionLimits): string[] {
  const paths = pathPrefixes(url, reach)
  return hostSuffixes(url.host, reach).flatMap((host) => paths.map((path) => host + path))
}
