import type { ForeignLink } from './formats.ts'
import type { ReadVisit } from './visits-file.ts'

/** Why a visit counts for no link. */
export interface Loss {
  reason: string
  /** One of what the reason is about. */
  example?: string
}

/** Finds the link that was visited, or why it is not known. It never guesses: a visit that may be of another link is lost. */
export type FindVisited = (visit: Pick<ReadVisit, 'code' | 'address'>) => ForeignLink | Loss

const silent = { reason: 'the short URL is not named: give a folder with the visits of each in <code>.json' }

/** @param links all of the file: those that are not imported have their visits, too */
export function createFindVisited(links: readonly ForeignLink[]): FindVisited {
  const byAddress = indexBy(links, ({ address }) => keyOf(address))
  const byCode = indexBy(links, ({ alias }) => alias)
  return ({ code, address }) => {
    const key = keyOf(address)
    if (code !== undefined) return ofFile(code, key, byCode(code), byAddress)
    if (key === undefined) return silent
    const found = byAddress(key) ?? byAddress(withoutPixel(key))
    if (found === undefined) return { reason: 'the address is of no link of the file', example: key }
    return found === 'several' ? severalOf(key) : found
  }
}

type Found = ForeignLink | 'several' | undefined
type Index = (name: string) => Found

/** The link of a visit from the file of a code, whose address must not be another one's. */
function ofFile(code: string, key: string | undefined, found: Found, byAddress: Index): ForeignLink | Loss {
  const name = `${code}.json`
  if (found === undefined) return { reason: 'the file is named like no link', example: name }
  const link = found === 'several' && key !== undefined ? byAddress(key) : found
  if (link === undefined || link === 'several') return severalOf(name)
  const parts = key?.toLowerCase().split('/').slice(1)
  if (parts !== undefined && !parts.includes(code.toLowerCase()))
    return { reason: 'the address is not that of the name of the file', example: name }
  return link
}

function severalOf(example: string): Loss {
  return { reason: 'the visit may be of several links of the file', example }
}

/**
 * Finds links by a name: in the same case, else in any, because Shlink can be set to either. A link of the same short URL
 * that the file repeats is none of several.
 */
function indexBy(links: readonly ForeignLink[], nameOf: (link: ForeignLink) => string | undefined): Index {
  const exact = new Map<string, Found>()
  const folded = new Map<string, Found>()
  const add = (index: Map<string, Found>, name: string, link: ForeignLink) => {
    const earlier = index.get(name)
    if (earlier === undefined) index.set(name, link)
    else if (earlier !== 'several' && !isSame(earlier, link)) index.set(name, 'several')
  }
  for (const link of links) {
    const name = nameOf(link)
    if (name === undefined) continue
    add(exact, name, link)
    add(folded, name.toLowerCase(), link)
  }
  return (name) => exact.get(name) ?? folded.get(name.toLowerCase())
}

function isSame(a: ForeignLink, b: ForeignLink): boolean {
  return a.alias === b.alias && keyOf(a.address) === keyOf(b.address)
}

/** Host and path of a URL, without what proxies and visitors change: scheme, port, query, empty parts. */
function keyOf(address: string | undefined): string | undefined {
  const url = address === undefined ? null : URL.parse(address)
  if (url === null) return undefined
  return [url.hostname, ...url.pathname.split('/').filter((part) => part !== '')].join('/')
}

/** Shlink counts requests of its tracking image as visits: `<short URL>/track`. */
function withoutPixel(key: string): string {
  return key.endsWith('/track') ? key.slice(0, -'/track'.length) : key
}
