import { readSync } from 'node:fs'

const READ_BYTES = 1 << 20
const NEWLINE = 10
/** No batch is longer: the reader skips such a line without buffering it. */
const MAX_LINE_BYTES = 64 << 20

/** A line of a file. */
export interface Line {
  /** The line without its line end; empty when the line is too long. Valid until the next line is read. */
  bytes: Buffer
  /** The bytes of the line in the file, with its line end. */
  size: number
  /** False for a last line without a line end. */
  isEnded: boolean
}

/** Reads the lines of a file from a position on, in bounded memory and linear time. */
export function* readLines(descriptor: number, from: number): Generator<Line> {
  const block = Buffer.alloc(READ_BYTES)
  let size = 0
  let parts: Buffer[] = []
  const append = (part: Buffer) => {
    size += part.length
    if (size <= MAX_LINE_BYTES) parts.push(part)
    else parts = []
  }
  const finishLine = (isEnded: boolean): Line => {
    const [first = Buffer.alloc(0), ...more] = parts
    const line = { bytes: more.length > 0 ? Buffer.concat(parts) : first, size: isEnded ? size + 1 : size, isEnded }
    size = 0
    parts = []
    return line
  }
  for (let position = from; ;) {
    const read = block.subarray(0, readSync(descriptor, block, 0, READ_BYTES, position))
    if (read.length === 0) break
    position += read.length
    let start = 0
    for (let end = read.indexOf(NEWLINE); end !== -1; end = read.indexOf(NEWLINE, start)) {
      append(read.subarray(start, end))
      yield finishLine(true)
      start = end + 1
    }
    // Copied, because the next read overwrites the block.
    append(Buffer.from(read.subarray(start)))
  }
  if (size > 0) yield finishLine(false)
}
