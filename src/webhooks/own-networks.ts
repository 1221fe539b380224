import { networkInterfaces } from 'node:os'
import ipaddr from 'ipaddr.js'
import { memoizeFor } from '../lib/memoize-for.ts'
import type { Network } from '../lib/network.ts'

/** How long the addresses of the service's own name are used, in milliseconds. */
const FRESH_MS = 60_000

/** Whether an address is one of this machine, of its neighbours, or one by which the service is reached. */
export type IsOwn = (address: string) => boolean

interface OwnNetworksDeps {
  /** The host of `BASE_URL`. */
  host: string | undefined
  addressesOf: (host: string) => Promise<string[]>
  monotonic: () => number
  /** As `networkInterfaces` of Node returns them. */
  interfaces?: () => NodeJS.Dict<{ cidr: string | null }[]>
}

/**
 * A packet to one of its own addresses does not leave a machine, also to a public one, and that to a neighbour passes no firewall:
 * a request of the service would reach ports that are closed to everybody else. Interfaces may come and go, so that they are
 * read each time. Behind a router, the service is known by an address that no interface has: that of `BASE_URL`.
 */
export function createOwnNetworks(deps: OwnNetworksDeps): () => Promise<IsOwn> {
  const { host, addressesOf, monotonic, interfaces = networkInterfaces } = deps
  let known: string[] = []
  const namedAddresses = memoizeFor(FRESH_MS, monotonic, async () => {
    // Without an answer, the last one holds; the name of a test system may be in no DNS.
    if (host !== undefined) known = await addressesOf(host).catch(() => known)
    return new Set(known.map(normalized))
  })
  return async () => {
    const named = await namedAddresses()
    const networks = Object.values(interfaces()).flatMap((found = []) => found.flatMap(({ cidr }) => networkOf(cidr)))
    return (text) => {
      const address = ipaddr.process(text)
      return named.has(address.toString()) || networks.some((network) => isIn(address, network))
    }
  }
}

const normalized = (address: string) => ipaddr.process(address).toString()

function networkOf(cidr: string | null): Network[] {
  return cidr === null ? [] : [ipaddr.parseCIDR(cidr)]
}

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, [network, prefix]: Network): boolean {
  return address.kind() === network.kind() && address.match(network, prefix)
}
