import { closeSync, fdatasyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'
import { fromRow, toRow, type Scan } from './scan.ts'

// A journal file is text: a line for each batch, eight hexadecimal digits of the CRC-32 of the rest, a space, and the
// batch's scans as a JSON array. A line that is cut short or does not match its sum ends the file: what follows was never
// acknowledged.

const READ_BYTES = 1 << 20
const SUM_LENGTH = 9
const NEWLINE = 10

/** A file that batches are appended to. */
export interface JournalWriter {
  /** Writes a batch; when this returns, it survives the process. Throws when it could not be written whole. */
  append: (scans: Scan[]) => void
  close: () => void
}

/** @param sync whether a batch also survives power loss, at the price of an fdatasync each */
export function openJournalFile(file: string, sync: boolean): JournalWriter {
  const descriptor = openSync(file, 'ax', 0o600)
  let good = 0
  return {
    append(scans) {
      const json = JSON.stringify(scans.map(toRow))
      const line = Buffer.from(`${sumOf(json)} ${json}\n`)
      try {
        for (let written = 0; written < line.length;) written += writeSync(descriptor, line, written)
        if (sync) fdatasyncSync(descriptor)
      } catch (error) {
        // What a full disk has left of the line goes; the reader would stop there in any case.
        ftruncateSync(descriptor, good)
        throw error
      }
      good += line.length
    },
    close: () => closeSync(descriptor),
  }
}

function sumOf(text: string | Buffer): string {
  return crc32(text).toString(16).padStart(8, '0')
}

/** A batch as it was written. */
export interface Batch {
  scans: Scan[]
  /** Where the batch ends in its file, in bytes: the position from which the next one is read. */
  end: number
}

/** The whole batches of a file from a position on, in order, with bounded memory. */
export function* readJournalFile(file: string, from: number): Generator<Batch> {
  const descriptor = openSync(file, 'r')
  try {
    let position = from
    for (const line of readLines(descriptor, from)) {
      const scans = parseLine(line)
      if (scans === undefined) return
      position += line.length + 1
      yield { scans, end: position }
    }
  } finally {
    closeSync(descriptor)
  }
}

/** The lines that are ended, without their ends. */
function* readLines(descriptor: number, from: number): Generator<Buffer> {
  const block = Buffer.alloc(READ_BYTES)
  let rest = Buffer.alloc(0)
  let position = from
  for (let count = -1; count !== 0; position += count) {
    count = readSync(descriptor, block, 0, READ_BYTES, position)
    rest = Buffer.concat([rest, block.subarray(0, count)])
    for (let end = rest.indexOf(NEWLINE); end !== -1; end = rest.indexOf(NEWLINE)) {
      yield rest.subarray(0, end)
      rest = rest.subarray(end + 1)
    }
  }
}

function parseLine(line: Buffer): Scan[] | undefined {
  const json = line.subarray(SUM_LENGTH)
  if (line.subarray(0, SUM_LENGTH - 1).toString('latin1') !== sumOf(json)) return undefined
  return (JSON.parse(json.toString('utf8')) as Parameters<typeof fromRow>[0][]).map(fromRow)
}
