import type { CachedFile } from './cached-file.ts'

/** Zeros between the tree and the data. */
const GAP = 16

export interface TreeLayout {
  ipVersion: 4 | 6
  nodeCount: number
  /** In bits. */
  recordSize: number
  /** The position after the data, where the metadata begin. */
  end: number
}

/** The search tree of a database, which maps networks to records. */
export interface SearchTree {
  /** The start of the data, from which pointers count. */
  dataAt: number
  /** The offset of the record of an address (4 or 16 bytes); undefined when there is none. */
  find: (address: readonly number[]) => number | undefined
  walk: Walk
}

/**
 * Visits all networks below a prefix, in order: the start of each, as a fraction of the address space, and its record.
 * @param prefix its bits
 */
export type Walk = (
  family: 4 | 6,
  prefix: readonly number[],
  visit: (start: number, offset: number | undefined) => void,
) => void

/** @throws when the tree is larger than the file; its functions throw when the tree is damaged or cannot be read */
export function createSearchTree(byte: CachedFile['byte'], layout: TreeLayout): SearchTree {
  const { ipVersion, nodeCount, recordSize, end } = layout
  const dataAt = (nodeCount * recordSize) / 4 + GAP
  const dataBytes = end - dataAt
  if (dataBytes < 0) throw new Error('its tree is larger than the file')
  const child = createChildReader(byte, recordSize)

  function descend(from: number, bytes: readonly number[], count: number): number {
    let node = from
    for (let bit = 0; bit < count && node < nodeCount; bit++) {
      node = child(node, ((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1)
    }
    return node
  }
  // An IPv6 tree has IPv4 below ::/96.
  const ipv4Root = ipVersion === 6 ? descend(0, [], 96) : 0

  function recordOf(leaf: number): number | undefined {
    if (leaf === nodeCount) return undefined
    const offset = leaf - nodeCount - GAP
    if (offset < 0 || offset >= dataBytes) throw new Error('its tree leads out of its data')
    return dataAt + offset
  }

  return {
    dataAt,
    find(address) {
      if (address.length === 4) return recordOf(descend(ipv4Root, address, 32))
      return ipVersion === 4 ? undefined : recordOf(descend(0, address, 128))
    },
    walk(family, prefix, visit) {
      if (family === 6 && ipVersion === 4) return
      let root = family === 4 ? ipv4Root : 0
      for (const bit of prefix) if (root < nodeCount) root = child(root, bit)
      // Files repeat IPv4 where it is tunnelled (2002::/16, 2001::/32); such addresses have no place here.
      const copies = family === 6 && ipv4Root < nodeCount ? ipv4Root : -1
      const childOf = (node: number, side: number) => {
        const next = child(node, side)
        return next === copies ? nodeCount : next
      }
      walkTree(root, nodeCount, childOf, (start, leaf) => visit(start, recordOf(leaf)))
    },
  }
}

/** Visits the leaves in order, without recursion: a damaged tree may be as deep as it is large. */
function walkTree(
  root: number,
  nodeCount: number,
  child: (node: number, side: number) => number,
  visit: (start: number, leaf: number) => void,
): void {
  // An intact tree is visited once, and its IPv4 part once more for each IPv6 prefix that repeats it; a loop never ends.
  let left = nodeCount * 4
  const nodes = [root]
  const starts = [0]
  const widths = [1]
  while (nodes.length > 0) {
    const node = nodes.pop() ?? 0
    const start = starts.pop() ?? 0
    const width = widths.pop() ?? 0
    if (node >= nodeCount) {
      visit(start, node)
      continue
    }
    if (--left < 0 || nodes.length > 128) throw new Error('its tree has loops')
    nodes.push(child(node, 1), child(node, 0))
    starts.push(start + width / 2, start)
    widths.push(width / 2, width / 2)
  }
}

/** Returns a function that reads the left or right record of a node. */
function createChildReader(byte: CachedFile['byte'], recordSize: number): (node: number, side: number) => number {
  const three = (at: number) => (byte(at) << 16) | (byte(at + 1) << 8) | byte(at + 2)
  if (recordSize === 24) return (node, side) => three(node * 6 + side * 3)
  if (recordSize === 32) {
    return (node, side) => byte(node * 8 + side * 4) * 2 ** 24 + three(node * 8 + side * 4 + 1)
  }
  // 28 bits: the byte in the middle has the upper four bits of the left record, then of the right one.
  return (node, side) => {
    const middle = byte(node * 7 + 3)
    return ((side === 0 ? middle >> 4 : middle & 15) << 24) | three(node * 7 + side * 4)
  }
}
