import { openCachedFile, type CachedFile } from './cached-file.ts'

/** Holds the upper levels of a tree of 6 million networks, and the latest records. */
const CACHE_BYTES = 4 * 1024 * 1024
/** The metadata follow these bytes, within the last 128 KiB of the file. */
const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1')
const METADATA_BYTES = 128 * 1024
/** Types of the format (https://maxmind.github.io/MaxMind-DB/). */
const EXTENDED = 0
const POINTER = 1
const STRING = 2
const DOUBLE = 3
const MAP = 7
const ARRAY = 11
const BOOLEAN = 14
const FLOAT = 15
const UNSIGNED = new Set([5, 6, 9])
/** Longer texts are truncated. */
const MAX_TEXT = 512
/** Longer keys are ignored: none that is looked up has a third of it. */
const MAX_KEY = 64
/** Keys that are kept by their position: records share them, and few databases have 50. */
const MAX_KEYS = 1000
/** Entries of maps and arrays that one look-up may visit: the largest records have a tenth of it. */
const MAX_ENTRIES = 2000
const MAX_DEPTH = 8
/** Zeros between the tree and the data. */
const GAP = 16

/** A file with a record for each network (https://maxmind.github.io/MaxMind-DB/). */
export interface Mmdb {
  ipVersion: 4 | 6
  size: number
  /** In milliseconds since 1970. */
  builtAt: number
  /** The publisher's name of the database. */
  type: string
  /**
   * Returns the offset of the record of an address (4 or 16 bytes) in `data`; undefined when there is none.
   * @throws when the file is damaged there, or cannot be read
   */
  find: (address: readonly number[]) => number | undefined
  /** @throws when the tree is damaged anywhere, or cannot be read */
  walk: Walk
  data: MmdbData
  close: () => void
}

/**
 * @param cacheBytes the most memory for its blocks, a power of 2
 * @throws when the file cannot be read, or has no valid metadata
 */
export function openMmdb(path: string, cacheBytes = CACHE_BYTES): Mmdb {
  const file = openCachedFile(path, cacheBytes)
  try {
    const { builtAt, type, ...layout } = readMetadata(file)
    const { find, walk, dataAt } = createSearchTree(file.byte, layout)
    return {
      ipVersion: layout.ipVersion,
      size: file.size,
      builtAt,
      type,
      find,
      walk,
      data: createMmdbData(file, dataAt),
      close: file.close,
    }
  } catch (error) {
    file.close()
    throw error
  }
}

function readMetadata(file: CachedFile) {
  const end = findMarker(file)
  const start = end + MARKER.length
  const metadata = createMmdbData(file, start)
  const number = (name: string) => metadata.number(start, [name]) ?? Number.NaN
  const ipVersion = ([4, 6] as const).find((version) => version === number('ip_version'))
  const recordSize = number('record_size')
  const nodeCount = number('node_count')
  const builtAt = number('build_epoch') * 1000
  if (ipVersion === undefined) throw new Error('its metadata have no valid IP version')
  // The time must be one that a Date can hold.
  const isValid = [24, 28, 32].includes(recordSize) && nodeCount > 0 && builtAt <= 8.64e15
  if (!isValid) throw new Error('its metadata are not valid')
  return { ipVersion, recordSize, nodeCount, builtAt, type: metadata.text(start, ['database_type']) ?? '', end }
}

/** Most metadata are short: searches the last kilobyte first. */
function findMarker(file: CachedFile): number {
  for (const length of [Math.min(file.size, 1024), Math.min(file.size, METADATA_BYTES)]) {
    const found = file.bytes(file.size - length, length).lastIndexOf(MARKER)
    if (found >= 0) return file.size - length + found
  }
  throw new Error('it has no metadata')
}

/** A value of `size` bytes or entries at `at`; `next` is the position after it, or after the pointer to it. */
interface Value {
  type: number
  size: number
  at: number
  next: number
}

/** Reads single values of records, without decoding the others. */
interface MmdbData {
  /**
   * Returns the text at a path of keys in the record at an offset; of an array, the first element counts.
   * @throws when the file is damaged there
   */
  text: (offset: number, path: readonly string[]) => string | undefined
  number: (offset: number, path: readonly string[]) => number | undefined
}

/** @param base the offset that pointers are relative to */
function createMmdbData({ byte, text }: CachedFile, base: number): MmdbData {
  const values = createValues(byte, base)
  const find = createFinder(text, values)
  const bits = new DataView(new ArrayBuffer(8))
  const bitsAt = (at: number, size: number) => {
    for (let index = 0; index < size; index++) bits.setUint8(index, byte(at + index))
    return bits
  }
  return {
    text(offset, path) {
      const value = find(offset, path)
      return value?.type === STRING ? text(value.at, Math.min(value.size, MAX_TEXT)) : undefined
    },
    number(offset, path) {
      const value = find(offset, path)
      if (value === undefined) return undefined
      if (value.type === DOUBLE && value.size === 8) return bitsAt(value.at, 8).getFloat64(0)
      if (value.type === FLOAT && value.size === 4) return bitsAt(value.at, 4).getFloat32(0)
      return UNSIGNED.has(value.type) && value.size <= 8 ? values.unsigned(value.at, value.size) : undefined
    },
  }
}

type Values = ReturnType<typeof createValues>

/** Returns a function that finds the value at a path of keys, in bounded time however the file is damaged. */
function createFinder(text: CachedFile['text'], values: Values) {
  let entries = 0
  const entryOf = createMapSearch(text, values, () => {
    if (++entries > MAX_ENTRIES) throw new Error('a record is too large')
  })
  return (offset: number, path: readonly string[]): Value | undefined => {
    entries = 0
    let value: Value | undefined = values.read(offset)
    for (const name of path) {
      if (value.type === ARRAY && value.size > 0) value = values.read(value.at)
      value = value.type === MAP ? entryOf(value, name) : undefined
      if (value === undefined) return undefined
    }
    return value
  }
}

/**
 * Returns a function that finds the value of a key in a map. It goes on from where the last search in the same map ended: the
 * look-ups of a record have a map in common.
 */
function createMapSearch(text: CachedFile['text'], { read, readPlain }: Values, countEntry: () => void) {
  const keyOf = createKeys(text)
  /** The map, the position of its next key, and how many keys are left. */
  let [searched, position, left] = [-1, 0, 0]
  /** The value of the latest key, which is skipped only when another key is needed. */
  let latest: number | undefined
  const found = new Map<string, number>()

  /** The position after a value and all of its entries. */
  function endOf(value: Value, depth = 0): number {
    if (value.type !== MAP && value.type !== ARRAY) return value.next
    if (depth > MAX_DEPTH) throw new Error('it is nested too deep')
    let { next } = value
    for (let index = 0; index < value.size; index++) {
      countEntry()
      if (value.type === MAP) next = readPlain(next).next
      next = endOf(readPlain(next), depth + 1)
    }
    return next
  }

  function readKey(): void {
    countEntry()
    if (latest !== undefined) position = endOf(readPlain(latest))
    latest = undefined
    const key = read(position)
    if (key.type !== STRING) throw new Error('a key is not a text')
    latest = key.next
    left--
    const name = keyOf(key)
    if (!found.has(name)) found.set(name, latest)
  }

  return (map: Value, name: string): Value | undefined => {
    if (searched !== map.at) {
      ;[searched, position, left, latest] = [map.at, map.at, map.size, undefined]
      found.clear()
    }
    while (!found.has(name) && left > 0) readKey()
    const at = found.get(name)
    return at === undefined ? undefined : read(at)
  }
}

/** Decodes keys; the records of most databases share theirs. */
function createKeys(text: CachedFile['text']): (key: Value) => string {
  const keys = new Map<number, string>()
  return ({ at, size }) => {
    const known = keys.get(at)
    if (known !== undefined) return known
    if (keys.size >= MAX_KEYS) keys.clear()
    const key = size > MAX_KEY ? '' : text(at, size)
    keys.set(at, key)
    return key
  }
}

/** Decodes the headers of values. */
function createValues(byte: CachedFile['byte'], base: number) {
  function unsigned(at: number, length: number): number {
    let value = 0
    for (let index = 0; index < length; index++) value = value * 256 + byte(at + index)
    return value
  }

  /** Reads a value, or the target of a pointer. The target must not be a pointer, so that no chain is endless. */
  function read(offset: number): Value {
    const value = readPlain(offset)
    if (value.type !== POINTER) return value
    const target = readPlain(base + value.size)
    if (target.type === POINTER) throw new Error('a pointer leads to a pointer')
    target.next = value.next
    return target
  }

  function readPlain(offset: number): Value {
    const control = byte(offset)
    let at = offset + 1
    let type = control >> 5
    if (type === POINTER) return readPointer(control, at)
    if (type === EXTENDED) type = byte(at++) + 7
    let size = control & 31
    if (size >= 29) {
      const length = size - 28
      size = ([29, 285, 65_821][length - 1] ?? 0) + unsigned(at, length)
      at += length
    }
    const holdsBytes = type !== MAP && type !== ARRAY && type !== BOOLEAN
    return { type, size, at, next: holdsBytes ? at + size : at }
  }

  /** Two bits give the length of a pointer; the range of each length begins where that of the shorter one ends. */
  function readPointer(control: number, at: number): Value {
    const length = ((control >> 3) & 3) + 1
    const upper = length === 4 ? 0 : (control & 7) * 256 ** length
    const size = upper + unsigned(at, length) + ([0, 2048, 526_336, 0][length - 1] ?? 0)
    return { type: POINTER, size, at, next: at + length }
  }

  return { read, readPlain, unsigned }
}

interface TreeLayout {
  ipVersion: 4 | 6
  nodeCount: number
  /** In bits. */
  recordSize: number
  /** The position after the data, where the metadata begin. */
  end: number
}

/** The search tree of a database, which maps networks to records. */
interface SearchTree {
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
type Walk = (
  family: 4 | 6,
  prefix: readonly number[],
  visit: (start: number, offset: number | undefined) => void,
) => void

/** @throws when the tree is larger than the file; its functions throw when the tree is damaged or cannot be read */
function createSearchTree(byte: CachedFile['byte'], layout: TreeLayout): SearchTree {
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
