import { destination } from '../links/utm.ts'
import { textUrlsOf, urlsOf } from '../links/draft.ts'
import type { Content } from '../links/link.ts'
import { canonicalise, type CanonicalUrl } from './canonical.ts'
import { keyOf, SOME_PATHS, WHOLE_HOST } from './compact-set.ts'
import { expressions, hostSuffixes, pathPrefixes, wideLimits } from './expressions.ts'
import type { LoadedList } from './feeds.ts'
import { ownerOf } from './list-entry.ts'
import type { Ruling } from './store.ts'

/** What blocks a URL. */
export interface Hit {
  /** The matching expression: `host/`, `host/path/` or `host/path?query`. */
  expression: string
  /** The name of the list; undefined for a ruling. */
  list?: string
  /** The operator's ruling; undefined for a list. */
  ruling?: Ruling
}

/** Matches URLs against the current lists and rulings. */
export interface Screening {
  /** What blocks this URL; undefined when nothing does. */
  find: (url: string) => Hit | undefined
  /** The same for all URLs of a link, with and without its UTM parameters. */
  findInLink: (link: Content) => Hit | undefined
  /** Whether a host is the service's own: lists and rulings say nothing of it. */
  isOwnHost: (host: string) => boolean
  /** Which list has a host or something on it, also one of the service itself. */
  listingOf: (host: string) => ListedHost | undefined
}

/** A host, and the list that has it. */
export interface ListedHost {
  host: string
  list: string
}

export interface ScreenOptions {
  salt: string
  lists: () => readonly LoadedList[]
  /** The operator's rulings by expression. They take precedence over lists, and more specific rulings over others. */
  rulings: () => ReadonlyMap<string, Ruling>
  /** Whether the service itself answers a host: what is listed there are its links, each of which is judged by where it leads. */
  isOwnHost: (host: string) => boolean
}

export function createScreening({ salt, lists, rulings, isOwnHost }: ScreenOptions): Screening {
  const findRuling = createFindRuling(rulings)

  function find(text: string): Hit | undefined {
    const url = canonicalise(text)
    if (isOwnHost(url.host)) return undefined
    const ruling = findRuling(url)
    if (ruling !== undefined) return ruling.verdict === 'block' ? { expression: ruling.expression, ruling } : undefined
    const loaded = lists()
    return loaded.length === 0 ? undefined : findListed(url, loaded, salt)
  }

  return {
    find,
    isOwnHost,
    listingOf(host) {
      const key = keyOf(salt, host)
      const list = lists().find(({ set }) => set.find(key) !== -1)?.name
      const listed = list ?? findListed(canonicalise(host), lists(), salt)?.list
      return listed === undefined ? undefined : { host, list: listed }
    },
    findInLink(link) {
      for (const address of addressesOf(link)) {
        const hit = find(address)
        if (hit !== undefined) return hit
      }
      return undefined
    },
  }
}

/** All URLs of a link, with and without its UTM parameters, and those in its texts. */
export function addressesOf(link: Content): string[] {
  const urls = urlsOf(link).map(({ url }) => url)
  const tagged = Object.keys(link.utm).length === 0 ? [] : urls.map((url) => destination(url, link.utm))
  return [...urls, ...tagged, ...textUrlsOf(link).map(({ url }) => url)]
}

/** Finds the operator's ruling for a URL. All expressions are only generated for hosts that have a ruling. */
function createFindRuling(getRulings: ScreenOptions['rulings']): (url: CanonicalUrl) => Ruling | undefined {
  let indexed: ReadonlyMap<string, Ruling> = new Map()
  let hosts = new Set<string>()
  return (url) => {
    const rulings = getRulings()
    if (rulings.size === 0) return undefined
    if (rulings !== indexed) {
      indexed = rulings
      hosts = new Set(Array.from(rulings.keys(), (expression) => expression.slice(0, expression.indexOf('/'))))
    }
    if (!hostSuffixes(url.host, wideLimits).some((host) => hosts.has(host))) return undefined
    const match = expressions(url, wideLimits).find((expression) => rulings.has(expression))
    return match === undefined ? undefined : rulings.get(match)
  }
}

/**
 * Looks up the host and its parents, and paths only for hosts of which a list has some. Shared suffixes are not looked up
 * as parents: an entry for `github.io/x` does not match `alice.github.io/x`.
 */
function findListed(url: CanonicalUrl, lists: readonly LoadedList[], salt: string): Hit | undefined {
  const owner = ownerOf(url.host)
  const hosts = hostSuffixes(url.host, wideLimits)
  for (const host of hosts) {
    if (host !== url.host && host.length < (owner ?? url.host).length) return undefined
    const hit = findOnHost(host, url, lists, salt)
    if (hit !== undefined) return hit
  }
  return undefined
}

function findOnHost(host: string, url: CanonicalUrl, lists: readonly LoadedList[], salt: string): Hit | undefined {
  const key = keyOf(salt, host)
  for (const { name, set } of lists) {
    const flags = set.find(key)
    if (flags === -1) continue
    if (flags & WHOLE_HOST) return { expression: `${host}/`, list: name }
    if (!(flags & SOME_PATHS)) continue
    const path = pathPrefixes(url, wideLimits).find((each) => set.find(keyOf(salt, host + each)) !== -1)
    if (path !== undefined) return { expression: host + path, list: name }
  }
  return undefined
}
