import type { CachedFile } from './cached-file.ts'

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

/** A value of `size` bytes or entries at `at`; `next` is the position after it, or after the pointer to it. */
interface Value {
  type: number
  size: number
  at: number
  next: number
}

/** Reads single values of records, without decoding the others. */
export interface MmdbData {
  /**
   * Returns the text at a path of keys in the record at an offset; of an array, the first element counts.
   * @throws when the file is damaged there
   */
  text: (offset: number, path: readonly string[]) => string | undefined
  number: (offset: number, path: readonly string[]) => number | undefined
}

/** @param base the offset that pointers are relative to */
export function createMmdbData({ byte, text }: Pick<CachedFile, 'byte' | 'text'>, base: number): MmdbData {
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
