/** Who holds a part of a pool. An address is kept no longer than the request or the connection lasts. */
export interface Holder {
  /** An IPv4 address, or an IPv6 /64, which one household shares. */
  client: string
  /** What one customer of a provider gets at most: an IPv4 /24, the smallest network that is routed, or an IPv6 /48 (RFC 6177). */
  network: string
  /**
   * The least that registries allocate to a provider, which costs little and has 65,536 networks: an IPv6 /32; of IPv4, the
   * network itself. What it holds is shared by its networks.
   */
  allocation: string
  /** What it is about, where strangers of many networks may ask for it together: the id of a link, or a registrable domain. */
  about?: number | string | undefined
}

/** @param client an IPv4 address, or the first four groups of an IPv6 address followed by `::` */
export function asHolder(client: string): Holder {
  const four = client.lastIndexOf('.')
  if (four !== -1) return ofNetwork(client, client.slice(0, four))
  const [first, second, third] = client.split(':', 3)
  if (third === undefined) return ofNetwork(client, client)
  return { client, network: `${first}:${second}:${third}`, allocation: `${first}:${second}` }
}

const ofNetwork = (client: string, network: string): Holder => ({ client, network, allocation: network })
