import { registrableOf } from '../lib/registrable.ts'
import { canonicalise, expressionOf } from './canonical.ts'
import { keyOf, SOME_PATHS, WHOLE_HOST, type SetBuilder } from './compact-set.ts'
import { isAddress } from './expressions.ts'

/** What one owner has of a host: its registrable domain; the owner of an address has the address. */
export function ownerOf(host: string): string | undefined {
  return isAddress(host) ? host : registrableOf(host)
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
