import { getDomain } from 'tldts'
import { canonicalise, expressionOf } from './canonical.ts'
import { keyOf, SOME_PATHS, WHOLE_HOST, type SetBuilder } from './compact-set.ts'
import { isAddress } from './expressions.ts'

const suffixes = { allowPrivateDomains: true, extractHostname: false, validateHostname: false }

/**
 * The registrable domain of a host (by the Public Suffix List with its private section), under which all names have one
 * owner; undefined for shared suffixes such as `com`, `co.uk` and `github.io`, and for single labels. The owner of an
 * address is the address.
 */
export function ownerOf(host: string): string | undefined {
  return isAddress(host) ? host : (getDomain(host, suffixes) ?? undefined)
}

/**
 * Adds an entry of a list to the set. A bare host, or a URL without a path, matches the whole host; such entries of shared
 * suffixes are skipped. A URL with a path or a query matches everything below it.
 * @returns false when the entry was skipped
 */
export function addEntry(set: SetBuilder, salt: string, address: string): boolean {
  const canonical = canonicalise(address)
  const { host, path, query } = canonical
  const isWhole = path + query === '/'
  if (host === '' || (isWhole && ownerOf(host) === undefined)) return false
  set.add(keyOf(salt, host), isWhole ? WHOLE_HOST : SOME_PATHS)
  if (!isWhole) set.add(keyOf(salt, expressionOf(canonical)), 0)
  return true
}
