import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

/** What one read takes from the disk: a page of the system's cache. */
const BLOCK_BITS = 12
const BLOCK_BYTES = 1 << BLOCK_BITS
/** Larger files would need offsets of more than 31 bits; the largest databases of places have 1 GB. */
const MAX_BYTES = 2 ** 31

/** The bytes of a file, of which a bounded part is in memory. */
export interface Blocks {
  size: number
  /** @throws {RangeError} past the end; and when the file cannot be read */
  byte: (offset: number) => number
  bytes: (offset: number, length: number) => Buffer
  close: () => void
}

/**
 * Opens a file to look bytes up in it. Blocks that were read stay in memory, each in the one place that its number has
 * there, until another of the same place is read: what is read with every look-up is nearly always there, without a list
 * of what was used when. Reads wait for the disk: a few microseconds where the system has the block, which is why no
 * thread is asked, and does not count in the memory of this process.
 * @param maxBytes how much stays in memory, a power of 2
 */
export function openBlocks(path: string, maxBytes: number): Blocks {
  const file = openSync(path, 'r')
  const { size } = fstatSync(file)
  if (size > MAX_BYTES) {
    closeSync(file)
    throw new Error('it is larger than 2 GiB')
  }
  let places = maxBytes / BLOCK_BYTES
  while (places > 1 && (places / 2) * BLOCK_BYTES >= size) places /= 2
  const mask = places - 1
  // Of what is never written to, the system gives no memory.
  const memory = Buffer.allocUnsafeSlow(places * BLOCK_BYTES)
  const held = new Int32Array(places).fill(-1)

  function load(block: number, place: number): void {
    held[place] = -1
    const at = block * BLOCK_BYTES
    const expected = Math.min(BLOCK_BYTES, size - at)
    // A file that was made shorter since would otherwise be read as what another block has left there.
    if (readSync(file, memory, place * BLOCK_BYTES, BLOCK_BYTES, at) < expected) throw new Error('it is truncated')
    held[place] = block
  }

  function byte(offset: number): number {
    if (!(offset >= 0 && offset < size)) throw new RangeError('it points past its end')
    const block = offset >>> BLOCK_BITS
    const place = block & mask
    if (held[place] !== block) load(block, place)
    return memory[(place << BLOCK_BITS) | (offset & (BLOCK_BYTES - 1))] ?? 0
  }

  return {
    size,
    byte,
    bytes(offset, length) {
      const copy = Buffer.alloc(length)
      for (let done = 0; done < length;) {
        const at = offset + done
        // Has the block read.
        byte(at)
        const from = (((at >>> BLOCK_BITS) & mask) << BLOCK_BITS) | (at & (BLOCK_BYTES - 1))
        const end = Math.min((from | (BLOCK_BYTES - 1)) + 1, from + length - done)
        done += memory.copy(copy, done, from, end)
      }
      if (length > 0) byte(offset + length - 1)
      return copy
    },
    close: () => closeSync(file),
  }
}
