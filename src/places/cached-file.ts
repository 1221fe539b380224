import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** The bytes of one read: a page of the system's cache. */
const BLOCK_BITS = 12
const BLOCK_BYTES = 1 << BLOCK_BITS
/** Larger files would need offsets of more than 31 bits; the largest databases of places have 1 GB. */
const MAX_BYTES = 2 ** 31

/** A file with a bounded cache of its blocks. */
export interface CachedFile {
  size: number
  /** @throws {RangeError} past the end; another error when the file cannot be read */
  byte: (offset: number) => number
  bytes: (offset: number, length: number) => Buffer
  /** Decodes UTF-8. */
  text: (offset: number, length: number) => string
  close: () => void
}

/**
 * Opens a file for random reads, with a direct-mapped cache: a block's number determines its slot, so that no list of recent
 * use is needed, and the blocks of every look-up are nearly always cached. Reads are synchronous: they take a few
 * microseconds when the system has the block, which is less than a call to a thread, and does not count in the memory of
 * this process.
 * @param maxBytes the size of the cache, a power of 2
 */
export function openCachedFile(path: string, maxBytes: number): CachedFile {
  const { file, size } = openBounded(path)
  let slots = maxBytes / BLOCK_BYTES
  while (slots > 1 && (slots / 2) * BLOCK_BYTES >= size) slots /= 2
  const mask = slots - 1
  // The system allocates no memory for pages that are never written.
  const cache = Buffer.allocUnsafeSlow(slots * BLOCK_BYTES)
  const blockOf = new Int32Array(slots).fill(-1)

  function load(block: number, slot: number): void {
    blockOf[slot] = -1
    const at = block * BLOCK_BYTES
    const expected = Math.min(BLOCK_BYTES, size - at)
    // If the file was truncated since, the slot still holds bytes of another block.
    if (readSync(file, cache, slot * BLOCK_BYTES, BLOCK_BYTES, at) < expected) throw new Error('it is truncated')
    blockOf[slot] = block
  }

  /** Loads the block of an offset; returns the position of its byte in the cache. */
  function locate(offset: number): number {
    if (!(offset >= 0 && offset < size)) throw new RangeError('it points past its end')
    const block = offset >>> BLOCK_BITS
    const slot = block & mask
    if (blockOf[slot] !== block) load(block, slot)
    return (slot << BLOCK_BITS) | (offset & (BLOCK_BYTES - 1))
  }

  const byte = (offset: number) => cache[locate(offset)] ?? 0
  return {
    size,
    byte,
    bytes: (offset, length) => copyBytes(cache, locate, offset, length),
    text(offset, length) {
      const isInBlock = (offset & (BLOCK_BYTES - 1)) + length <= BLOCK_BYTES && offset + length <= size
      if (length === 0 || !isInBlock) return copyBytes(cache, locate, offset, length).toString()
      const from = locate(offset)
      return cache.toString('utf8', from, from + length)
    },
    close: () => closeSync(file),
  }
}

/** Copies bytes from as many blocks as they are in. */
function copyBytes(cache: Buffer, locate: (offset: number) => number, offset: number, length: number): Buffer {
  const copy = Buffer.alloc(length)
  for (let done = 0; done < length;) {
    const from = locate(offset + done)
    const end = Math.min((from | (BLOCK_BYTES - 1)) + 1, from + length - done)
    done += cache.copy(copy, done, from, end)
  }
  if (length > 0) locate(offset + length - 1)
  return copy
}

function openBounded(path: string): { file: number; size: number } {
  const file = openSync(path, 'r')
  const { size } = fstatSync(file)
  if (size <= MAX_BYTES) return { file, size }
  closeSync(file)
  throw new Error('it is larger than 2 GiB')
}
