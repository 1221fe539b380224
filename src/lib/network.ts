import ipaddr from 'ipaddr.js'

/** A range of addresses in the form of `ipaddr.js`. */
export type Network = [address: ipaddr.IPv4 | ipaddr.IPv6, prefix: number]

/** Parses a comma-separated list of networks and addresses; undefined when one of them is invalid. */
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
