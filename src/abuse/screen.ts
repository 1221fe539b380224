import { destination } from '../links/utm.ts'
import { urlsOf } from '../links/draft.ts'
import type { Content } from '../links/link.ts'
import { canonicalise, type CanonicalUrl } from './canonical.ts'
import { keyOf, SOME_PATHS, WHOLE_HOST } from './compact-set.ts'
import { expressions, hostSuffixes, pathPrefixes, wideReach } from './expressions.ts'
import type { LoadedList } from './feeds.ts'
import { holderOf } from './listed.ts'
import type { Entry } from './store.ts'

/** Why a URL is not to be led to. */
export interface Hit {
  /** The expression that it matched: `host/`, `host/path/`, `host/path?query`. */
  entry: string
  /** The name of the list; undefined when the operator has said so. */
  list?: string
  /** What the operator has said, if it was the operator. */
  own?: Entry
}

/** Matches URLs against what is listed now. */
export interface Screening {
  /** Why this URL is not to be led to; undefined when nothing speaks against it. */
  find: (url: string) => Hit | undefined
  /** The same for all URLs of a link, as they stand and as visitors are sent there. */
  findInLink: (link: Content) => Hit | undefined
}

export interface ScreenOptions {
  salt: string
  lists: () => readonly LoadedList[]
  /** What the operator says of expressions; it counts before the lists, the most specific word first. */
  own: () => ReadonlyMap<string, Entry>
}

export function createScreening({ salt, lists, own }: ScreenOptions): Screening {
  const findOwn = createFindOwn(own)

  function find(text: string): Hit | undefined {
    const url = canonicalise(text)
    const entry = findOwn(url)
    if (entry !== undefined) return entry.verdict === 'block' ? { entry: entry.entry, own: entry } : undefined
    const loaded = lists()
    return loaded.length === 0 ? undefined : findListed(url, loaded, salt)
  }

  return {
    find,
    findInLink: (link) =>
      addressesOf(link)
        .map(find)
        .find((hit) => hit !== undefined),
  }
}

function addressesOf(link: Content): string[] {
  const urls = urlsOf(link).map(({ url }) => url)
  return Object.keys(link.utm).length === 0 ? urls : urls.flatMap((url) => [url, destination(url, link.utm)])
}

/** Looks for the operator's word on a URL; its paths are only written out for hosts of which there is one. */
function createFindOwn(own: ScreenOptions['own']): (url: CanonicalUrl) => Entry | undefined {
  let indexed: ReadonlyMap<string, Entry> = new Map()
  let hosts = new Set<string>()
  return (url) => {
    const entries = own()
    if (entries.size === 0) return undefined
    if (entries !== indexed) {
      indexed = entries
      hosts = new Set(Array.from(entries.keys(), (entry) => entry.slice(0, entry.indexOf('/'))))
    }
    if (!hostSuffixes(url.host, wideReach).some((host) => hosts.has(host))) return undefined
    const known = expressions(url, wideReach).find((expression) => entries.has(expression))
    return known === undefined ? undefined : entries.get(known)
  }
}

/**
 * Asks the lists for the host and what is above it, and for paths only where a list has some. The names that many share
 * are not above anyone's: what a list says of `github.io/x` is not said of `alice.github.io/x`.
 */
function findListed(url: CanonicalUrl, lists: readonly LoadedList[], salt: string): Hit | undefined {
  const holder = holderOf(url.host)
  const hosts = hostSuffixes(url.host, wideReach)
  for (const host of hosts) {
    if (host !== url.host && host.length < (holder ?? url.host).length) return undefined
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
    if (flags & WHOLE_HOST) return { entry: `${host}/`, list: name }
    if (!(flags & SOME_PATHS)) continue
    const path = pathPrefixes(url, wideReach).find((each) => set.find(keyOf(salt, host + each)) !== -1)
    if (path !== undefined) return { entry: host + path, list: name }
  }
  return undefined
}
