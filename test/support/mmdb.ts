import ipaddr from 'ipaddr.js'

/** The build time in the files' metadata. */
export const builtAt = Date.UTC(2026, 5, 1)

export type Data = string | number | Data[] | { [key: string]: Data }
/** A child of a node: another node, an offset into the data, or nothing. */
type Child = { node: number } | { data: number } | undefined

/** Encodes a file in the format of https://maxmind.github.io/MaxMind-DB/, without pointers. */
export function mmdb(
  networks: [network: string, data: Data][],
  options: { ipVersion?: 4 | 6; builtAt?: number; recordSize?: 24 | 28 | 32; copies?: string[] } = {},
): Buffer {
  const { ipVersion = 6, recordSize = 24 } = options
  const nodes: [Child, Child][] = [[undefined, undefined]]
  const data: Buffer[] = []
  let offset = 0
  for (const [network, record] of networks) {
    setLeaf(nodes, bitsOf(network, ipVersion), { data: offset })
    const encoded = encode(record)
    data.push(encoded)
    offset += encoded.length
  }
  // Publishers alias the tree of IPv4 in networks that tunnel it.
  for (const network of options.copies ?? []) setLeaf(nodes, bitsOf(network, ipVersion), { node: ipv4Root(nodes) })
  const epoch = (options.builtAt ?? builtAt) / 1000
  const metadata: Data = {
    binary_format_major_version: 2,
    binary_format_minor_version: 0,
    ...(Number.isNaN(epoch) ? {} : { build_epoch: epoch }),
    database_type: 'test',
    ip_version: ipVersion,
    node_count: nodes.length,
    record_size: recordSize,
  }
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
  return Buffer.concat([encodeTree(nodes, recordSize), Buffer.alloc(16), ...data, marker, encode(metadata)])
}

/** The bits of a network's prefix; in an IPv6 tree, IPv4 networks are below ::/96. */
function bitsOf(network: string, ipVersion: 4 | 6): (0 | 1)[] {
  const [address, prefix] = ipaddr.parseCIDR(network)
  const bits = address
    .toByteArray()
    .flatMap((byte) => Array.from({ length: 8 }, (_, bit) => ((byte >> (7 - bit)) & 1) as 0 | 1))
  const above = address.kind() === 'ipv4' && ipVersion === 6 ? 96 : 0
  return [...Array<0>(above).fill(0), ...bits.slice(0, prefix)]
}

function ipv4Root(nodes: [Child, Child][]): number {
  let root = 0
  for (let bit = 0; bit < 96; bit++) {
    const child = nodes[root]?.[0]
    root = child !== undefined && 'node' in child ? child.node : root
  }
  return root
}

function setLeaf(nodes: [Child, Child][], bits: (0 | 1)[], leaf: Child): void {
  let [node] = nodes
  for (const [index, side] of bits.entries()) {
    if (node === undefined) return
    if (index === bits.length - 1) node[side] = leaf
    const child = (node[side] ??= { node: nodes.push([undefined, undefined]) - 1 })
    node = 'node' in child ? nodes[child.node] : undefined
  }
}

function encodeTree(nodes: [Child, Child][], recordSize: 24 | 28 | 32): Buffer {
  const valueOf = (child: Child) => {
    if (child === undefined) return nodes.length
    return 'node' in child ? child.node : nodes.length + 16 + child.data
  }
  // Two records of 28 bits share the byte in the middle: each has its upper four bits there.
  const hex = (value: number) => value.toString(16).padStart(recordSize / 4, '0')
  const pairs = nodes.map((pair) => {
    const [left, right] = [hex(valueOf(pair[0])), hex(valueOf(pair[1]))]
    return recordSize === 28 ? `${left.slice(1)}${left[0]}${right}` : left + right
  })
  return Buffer.from(pairs.join(''), 'hex')
}

/** Control byte (type in the upper three bits, size in the lower five), longer sizes, then the value. */
function encode(value: Data): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value)
    return Buffer.concat([control(2, text.length), text])
  }
  if (typeof value === 'number' && !Number.isInteger(value)) {
    const bytes = Buffer.alloc(8)
    bytes.writeDoubleBE(value)
    return Buffer.concat([control(3, 8), bytes])
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return Buffer.concat([control(6, 4), bytes])
  }
  if (Array.isArray(value)) return Buffer.concat([Buffer.from([value.length, 11 - 7]), ...value.map(encode)])
  const entries = Object.entries(value)
  return Buffer.concat([control(7, entries.length), ...entries.flatMap(([key, each]) => [encode(key), encode(each)])])
}

function control(type: number, size: number): Buffer {
  if (size < 29) return Buffer.from([(type << 5) | size])
  if (size < 285) return Buffer.from([(type << 5) | 29, size - 29])
  return Buffer.from([(type << 5) | 30, (size - 285) >> 8, (size - 285) & 0xff])
}
