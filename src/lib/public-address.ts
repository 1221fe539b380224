import ipaddr from 'ipaddr.js'

/** The global unicast range of IPv6 (IANA); so no address can hide in a mapped or mixed form. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** The address of Azure's platform services: of the clouds' internal addresses, the only one outside the special ranges. */
const azureHost = '168.63.129.16'

/** Whether an address is on the public internet: in no private, special or reserved range. */
export function isPublicAddress(address: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (address.range() !== 'unicast') return false
  return address instanceof ipaddr.IPv4 ? address.toString() !== azureHost : address.match(globalUnicast)
}
