/** Writes the bits of a zlib stream. */
export interface BitWriter {
  /** Writes up to 24 bits, the lowest first. */
  write: (value: number, bits: number) => void
  /** Writes the same bits several times. */
  repeat: (times: number, bits: number, writeOnce: () => void) => void
  /** Appends the checksum, and returns the stream. */
  end: (adler: number) => Buffer
}

/** @param bytes the length of the stream */
export function createBitWriter(bytes: number): BitWriter {
  const buffer = Buffer.alloc(bytes)
  let position = 0
  return {
    write(value, bits) {
      let at = position >> 3
      for (let rest = value << (position & 7); rest !== 0; rest >>>= 8) {
        buffer[at] = (buffer[at] ?? 0) | (rest & 0xff)
        at++
      }
      position += bits
    },
    repeat(times, bits, writeOnce) {
      const end = position + bits * times
      // Eight repetitions are exactly `bits` bytes, wherever they start: after them, earlier bytes can be copied.
      const written = Math.min(times, 16)
      for (let each = 0; each < written; each++) writeOnce()
      if (written === times) return
      for (let at = position >> 3; at < end >> 3; at++) buffer[at] = buffer[at - bits] ?? 0
      if ((end & 7) > 0) buffer[end >> 3] = (buffer[(end >> 3) - bits] ?? 0) & ((1 << (end & 7)) - 1)
      position = end
    },
    end(adler) {
      buffer.writeUInt32BE(adler, bytes - 4)
      return buffer
    },
  }
}
