import ipaddr from 'ipaddr.js'

/** What IANA has given out of IPv6 for global unicast; so no address can hide in a mapped or mixed form. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** Whether an address belongs to the public internet: in no private, special or reserved range of either family. */
export function isPublicAddress(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  return address.range() === 'unicast' && (address instanceof ipaddr.IPv4 || address.match(globalUnicast))
}
