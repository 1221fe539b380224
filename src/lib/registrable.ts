import { getDomain } from 'tldts'

/** Names of the private section of the list, such as `github.io`, are suffixes too: who has a name below has that alone. */
const options = { allowPrivateDomains: true, extractHostname: false, validateHostname: false }

/**
 * The registrable domain of a host name (by the Public Suffix List), under which all names have one owner; undefined for a
 * shared suffix such as `com`, `co.uk` and `github.io`, and for a single label.
 * @param name in lower case, IDNA-encoded, no address
 */
export function registrableOf(name: string): string | undefined {
  return getDomain(name, options) ?? undefined
}

/** The same, or the name itself where it has none. */
export function registrableOrSame(name: string): string {
  return registrableOf(name) ?? name
}
