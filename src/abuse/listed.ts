import { getDomain } from 'tldts'
import { canonicalise, expressionOf } from './canonical.ts'
import { keyOf, SOME_PATHS, WHOLE_HOST, type SetBuilder } from './compact-set.ts'
import { isAddress } from './expressions.ts'

const suffixes = { allowPrivateDomains: true, extractHostname: false, validateHostname: false }

/**
 * The name under which one party holds all names, a host's "registrable domain" by the Public Suffix List with its
 * private part; undefined for what many share: `com`, `co.uk`, `github.io`, a single label. An address holds itself.
 */
export function holderOf(host: string): string | undefined {
  return isAddress(host) ? host : (getDomain(host, suffixes) ?? undefined)
}

/**
 * Adds an entry of a list to the set. A bare host, or a URL without a path, lists its whole host, but for one that many
 * share: there it says nothing, and is left out. A URL with a path or a query lists what is below just that.
 * @returns whether it was added
 */
export function addListed(set: SetBuilder, salt: string, address: string): boolean {
  const canonical = canonicalise(address)
  const { host, path, query } = canonical
  const isWhole = path + query === '/'
  if (host === '' || (isWhole && holderOf(host) === undefined)) return false
  set.add(keyOf(salt, host), isWhole ? WHOLE_HOST : SOME_PATHS)
  if (!isWhole) set.add(keyOf(salt, expressionOf(canonical)), 0)
  return true
}
