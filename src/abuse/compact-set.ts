import { hash } from 'node:crypto'

/** Everything on this host is listed. */
export const WHOLE_HOST = 1
/** Some paths on this host are listed, each with a separate key. */
export const SOME_PATHS = 2
const FLAGS = 3

/**
 * A set of texts: for each, 62 bits of a salted SHA-256 and two flags in 8 bytes. With 2,000,000 keys, one in 2^41
 * look-ups is a false positive; because of the salt, nobody can construct one.
 */
export interface CompactSet {
  /** The number of distinct keys. */
  size: number
  /** Its size in memory. */
  bytes: number
  /** The flags of a key, or -1 when it is not in the set. */
  find: (key: Key) => number
}

/** The upper and the lower half of a text's 64 bits, without flags. */
export type Key = readonly [high: number, low: number]

/** The key of a text. The salt must be the one of the set. */
export function keyOf(salt: string, text: string): Key {
  const bytes = hash('sha256', salt + text, 'latin1')
  return [word(bytes, 0), withoutFlags(word(bytes, 4))]
}

function word(bytes: string, at: number): number {
  const upper = (bytes.charCodeAt(at) << 24) | (bytes.charCodeAt(at + 1) << 16)
  return (upper | (bytes.charCodeAt(at + 2) << 8) | bytes.charCodeAt(at + 3)) >>> 0
}

/** Collects keys in any order, with duplicates. */
export interface SetBuilder {
  add: (key: Key, flags: number) => void
  /** All upper halves in ascending order, then the lower ones with their flags, in the same order. */
  finish: () => Uint32Array<ArrayBuffer>
}

export function buildSet(): SetBuilder {
  let keys = new BigUint64Array(1024)
  let count = 0
  return {
    add([high, low], flags) {
      if (count === keys.length) {
        const larger = new BigUint64Array(2 * count)
        larger.set(keys)
        keys = larger
      }
      keys[count++] = (BigInt(high) << 32n) | BigInt((low | flags) >>> 0)
    },
    finish: () => merge(keys.subarray(0, count).sort()),
  }
}

/** Merges equal keys and their flags. */
function merge(sorted: BigUint64Array): Uint32Array<ArrayBuffer> {
  let distinct = 0
  for (const key of sorted) {
    const last = sorted[distinct - 1]
    if (last !== undefined && (last | 3n) === (key | 3n)) sorted[distinct - 1] = last | key
    else sorted[distinct++] = key
  }
  const halves = new Uint32Array(2 * distinct)
  for (let at = 0; at < distinct; at++) {
    const key = sorted[at] ?? 0n
    halves[at] = Number(key >> 32n)
    halves[distinct + at] = Number(key & 0xffff_ffffn)
  }
  return halves
}

/** @param halves the result of `SetBuilder.finish` */
export function openSet(halves: Uint32Array): CompactSet {
  const size = halves.length / 2
  const highs = halves.subarray(0, size)
  const lows = halves.subarray(size)
  const starts = indexByPrefix(highs)
  return {
    size,
    bytes: halves.byteLength + starts.byteLength,
    find([high, low]) {
      let from = starts[high >>> 16] ?? 0
      let to = starts[(high >>> 16) + 1] ?? size
      while (from < to) {
        const middle = (from + to) >>> 1
        const difference = (highs[middle] ?? 0) - high || withoutFlags(lows[middle] ?? 0) - low
        if (difference === 0) return (lows[middle] ?? 0) & FLAGS
        if (difference < 0) from = middle + 1
        else to = middle
      }
      return -1
    },
  }
}

function withoutFlags(low: number): number {
  return (low & ~FLAGS) >>> 0
}

/** The start of the keys of each 16-bit prefix, and the end. Keys are uniformly distributed, so that few share one. */
function indexByPrefix(highs: Uint32Array): Uint32Array {
  const starts = new Uint32Array(0x1_0001)
  for (const high of highs) starts[(high >>> 16) + 1] = (starts[(high >>> 16) + 1] ?? 0) + 1
  for (let prefix = 1; prefix < starts.length; prefix++) {
    starts[prefix] = (starts[prefix] ?? 0) + (starts[prefix - 1] ?? 0)
  }
  return starts
}
