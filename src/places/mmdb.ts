import { openBlocks, type Blocks } from './blocks.ts'
import { createMmdbData, type MmdbData } from './mmdb-data.ts'

/** The upper levels of a tree of 6 million networks, and what was last looked at. */
const MEMORY_BYTES = 4 * 1024 * 1024
/** The metadata stand at the end of the file, in the last 128 KiB, after these bytes. */
const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
const METADATA_BYTES = 128 * 1024
/** Zeros between the tree and the data. */
const GAP = 16

/** A database of what is known about addresses, in a file (https://maxmind.github.io/MaxMind-DB/). */
export interface Mmdb {
  ipVersion: 4 | 6
  size: number
  /** When it was made, in milliseconds since 1970. */
  builtAt: number
  /** What its publisher calls it. */
  type: string
  /**
   * Where the record of an address (4 or 16 bytes) is in `data`; undefined when there is none.
   * @throws when the file is damaged there, or cannot be read
   */
  find: (address: readonly number[]) => number | undefined
  /**
   * Tells of all networks below a prefix, in order: where each begins, as a fraction of the whole, and its record.
   * @param prefix its bits
   * @throws when the file is damaged, wherever it is
   */
  walk: (family: 4 | 6, prefix: readonly number[], tell: (start: number, offset: number | undefined) => void) => void
  data: MmdbData
  close: () => void
}

/** @throws when the file cannot be read, or its metadata are none or do not fit it */
export function openMmdb(path: string): Mmdb {
  const blocks = openBlocks(path, MEMORY_BYTES)
  try {
    const { ipVersion, nodeCount, recordSize, builtAt, type, at } = readMetadata(blocks)
    const nodeBytes = recordSize / 4
    const treeBytes = nodeCount * nodeBytes
    const [dataBytes, dataAt] = [at - treeBytes - GAP, treeBytes + GAP]
    if (dataBytes < 0) throw new Error('its tree is larger than the file')
    const child = createChild(blocks.byte, recordSize)
    const down = (from: number, bytes: readonly number[], count: number) => {
      let node = from
      for (let bit = 0; bit < count && node < nodeCount; bit++) {
        node = child(node * nodeBytes, ((bytes[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1)
      }
      return node
    }
    // In a tree of IPv6, IPv4 is below ::/96.
    const ipv4Root = ipVersion === 6 ? down(0, [], 96) : 0
    const recordOf = (leaf: number) => {
      if (leaf === nodeCount) return undefined
      const offset = leaf - nodeCount - GAP
      if (offset < 0 || offset >= dataBytes) throw new Error('its tree leads out of its data')
      return dataAt + offset
    }
    const leafOf = (address: readonly number[]) =>
      down(address.length === 4 ? ipv4Root : 0, address, address.length * 8)
    return {
      ipVersion,
      size: blocks.size,
      builtAt,
      type,
      find: (address) => (address.length !== 4 && ipVersion === 4 ? undefined : recordOf(leafOf(address))),
      walk(family, prefix, tell) {
        if (family === 6 && ipVersion === 4) return
        let root = family === 4 ? ipv4Root : 0
        for (const bit of prefix) if (root < nodeCount) root = child(root * nodeBytes, bit)
        // Files say IPv4 again where it is tunnelled (2002::/16, 2001::/32), which is nowhere to us.
        const copies = family === 6 && ipv4Root < nodeCount ? ipv4Root : -1
        walkTree(
          root,
          nodeCount,
          (node, side) => {
            const next = child(node * nodeBytes, side)
            return next === copies ? nodeCount : next
          },
          (start, leaf) => {
            tell(start, recordOf(leaf))
          },
        )
      },
      data: createMmdbData(blocks, dataAt),
      close: blocks.close,
    }
  } catch (error) {
    blocks.close()
    throw error
  }
}

/** In order, and without recursion: a damaged tree may be as deep as it is large. */
function walkTree(
  root: number,
  nodeCount: number,
  child: (node: number, side: number) => number,
  tell: (start: number, leaf: number) => void,
): void {
  // A sound tree is met once, and a part of it again where IPv4 stands below prefixes of IPv6; a loop has no end.
  let left = nodeCount * 4
  const nodes = [root]
  const starts = [0]
  const widths = [1]
  while (nodes.length > 0) {
    const node = nodes.pop() ?? 0
    const start = starts.pop() ?? 0
    const width = widths.pop() ?? 0
    if (node >= nodeCount) {
      tell(start, node)
      continue
    }
    if (--left < 0 || nodes.length > 128) throw new Error('its tree has loops')
    nodes.push(child(node, 1), child(node, 0))
    starts.push(start + width / 2, start)
    widths.push(width / 2, width / 2)
  }
}

/** Reads the left or right record of the node at an offset. */
function createChild(byte: (offset: number) => number, recordSize: number): (at: number, side: number) => number {
  const three = (at: number) => (byte(at) << 16) | (byte(at + 1) << 8) | byte(at + 2)
  if (recordSize === 24) return (at, side) => three(at + side * 3)
  if (recordSize === 32) return (at, side) => byte(at + side * 4) * 2 ** 24 + three(at + side * 4 + 1)
  // The byte in the middle has the upper four bits of the left one, then of the right one.
  return (at, side) => ((side === 0 ? byte(at + 3) >> 4 : byte(at + 3) & 15) << 24) | three(at + side * 4)
}

function readMetadata(blocks: Blocks) {
  const at = findMarker(blocks)
  const start = at + MARKER.length
  const metadata = createMmdbData(blocks, start)
  const number = (name: string) => metadata.number(start, [name]) ?? Number.NaN
  const ipVersion = ([4, 6] as const).find((version) => version === number('ip_version'))
  const recordSize = number('record_size')
  const nodeCount = number('node_count')
  const builtAt = number('build_epoch') * 1000
  if (ipVersion === undefined) throw new Error('it is of no known version of IP')
  // What is no time, or none that a date can hold, is no metadata either.
  const isKnown = [24, 28, 32].includes(recordSize) && nodeCount > 0 && builtAt <= 8.64e15
  if (!isKnown) throw new Error('its metadata are of no known kind')
  return { ipVersion, recordSize, nodeCount, builtAt, type: metadata.text(start, ['database_type']) ?? '', at }
}

/** Most often they are short, so that the end of the end is looked at first. */
function findMarker(blocks: Blocks): number {
  for (const length of [Math.min(blocks.size, 1024), Math.min(blocks.size, METADATA_BYTES)]) {
    const found = blocks.bytes(blocks.size - length, length).lastIndexOf(MARKER)
    if (found >= 0) return blocks.size - length + found
  }
  throw new Error('it has no metadata')
}
