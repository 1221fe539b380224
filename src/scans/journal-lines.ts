import { readSync } from 'node:fs'

const READ_BYTES = 1 << 20
const NEWLINE = 10
/** What is longer was never written as one line: it is passed over and not gathered in memory. */
const MAX_LINE_BYTES = 64 << 20

/** A line of a file. */
export interface Line {
  /** The line without its end; empty when it is too long. Only valid until the next line is asked for. */
  bytes: Buffer
  /** What the line takes of the file, with its end. */
  size: number
  /** False for what stands at the end of the file without an end of its own. */
  isEnded: boolean
}

/** The lines of a file from a position on, in bounded memory and in time that grows with the file's size. */
export function* readLines(descriptor: number, from: number): Generator<Line> {
  const block = Buffer.alloc(READ_BYTES)
  let size = 0
  let parts: Buffer[] = []
  const gather = (part: Buffer) => {
    size += part.length
    if (size <= MAX_LINE_BYTES) parts.push(part)
    else parts = []
  }
  const take = (isEnded: boolean): Line => {
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
      gather(read.subarray(start, end))
      yield take(true)
      start = end + 1
    }
    // The block is used again.
    gather(Buffer.from(read.subarray(start)))
  }
  if (size > 0) yield take(false)
}
