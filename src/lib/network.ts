import ipaddr from 'ipaddr.js'

/** A range of addresses, as `ipaddr.js` has it. */
export type Network = [address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number]

/** Reads a comma-separated list of networks or single addresses; undefined when one of them is neither. */
export function parseNetworks(text: string): Network[] | undefined {
  try {
    return text.split(',').map((part) => {
      const network = part.trim()
      if (network.includes('/')) return ipaddr.parseCIDR(network)
      const address = ipaddr.process(network)
      return [address, address.kind() === 'ipv6' ? 128 : 32]
    })
  } catch {
    return undefined
  }
}
