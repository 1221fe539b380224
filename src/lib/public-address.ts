import ipaddr from 'ipaddr.js'

/** What IANA has given out of IPv6 for global unicast; so no address can hide in a mapped or mixed form. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * A public address that each machine on Azure reaches its host at: of the clouds' own services, the only one that stands in
 * no special range.
 */
const azureHost = '168.63.129.16'

/** Whether an address belongs to the public internet: in no private, special or reserved range of either family. */
export function isPublicAddress(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr.IPv4 ? address.toString() !== azureHost : address.match(globalUnicast)
}
