import { closeSync, fdatasyncSync, fstatSync, ftruncateSync, openSync, renameSync, writeSync, readSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { nameFiles } from '../../lib/named-files.ts'
import { syncPath } from '../../lib/sync-path.ts'
import { fromRow, toRow, type Scan } from '../scan.ts'

// A journal file is text with a line for each batch: the CRC-32 of the JSON in eight hexadecimal digits, a space, and the
// batch's scans as a JSON array. A last line without a line end was being written when the process ended, and was never
// acknowledged. Any other line that does not match its checksum is damaged; the lines after it are read as usual.

/** The length of a checksum, with its space. */
const PREFIX_LENGTH = 9
const READ_BYTES = 1 << 20
const NEWLINE = 10
/** No batch is longer: the reader skips such a line without buffering it. */
const MAX_LINE_BYTES = 64 << 20

/** Appends batches to a file. */
export interface JournalWriter {
  name: string
  /**
   * Writes a batch; when this returns, the batch survives the end of the process.
   * @throws when the batch could not be written whole
   */
  append: (scans: Scan[]) => void
  /** How many scans it has. */
  scans: () => number
  /** Whether it has nothing but whole batches, and still has its name: another program may have moved or removed it. */
  isUsable: () => boolean
  /** Whether it was removed, with its scans. */
  isRemoved: () => boolean
  close: () => void
}

/**
 * @param sync whether a batch also survives power loss, at the price of an fdatasync each
 * @param reserve an empty file that is taken in place of a new one, if it is there
 */
export function openJournalFile(file: string, sync: boolean, reserve?: string): JournalWriter {
  const descriptor = create(file, reserve)
  if (sync) syncName(file, descriptor)
  const named = nameFiles([file])
  let validBytes = 0
  let count = 0
  let isBroken = false
  return {
    name: basename(file),
    append(scans) {
      const json = JSON.stringify(scans.map(toRow))
      const line = Buffer.from(`${checksumOf(json)} ${json}\n`)
      try {
        for (let written = 0; written < line.length;) written += writeSync(descriptor, line, written)
        if (sync) fdatasyncSync(descriptor)
      } catch (error) {
        // Removes the part that a full disk has accepted: nothing may be appended to it.
        isBroken = true
        ftruncateSync(descriptor, validBytes)
        isBroken = false
        throw error
      }
      validBytes += line.length
      count += scans.length
    },
    scans: () => count,
    isUsable: () => !isBroken && named.lost().length === 0,
    isRemoved: () => fstatSync(descriptor).nlink === 0,
    close: () => closeSync(descriptor),
  }
}

/** @throws when the file exists already */
function create(file: string, reserve: string | undefined): number {
  if (reserve === undefined || !rename(reserve, file)) return openSync(file, 'ax', 0o600)
  const descriptor = openSync(file, 'a', 0o600)
  ftruncateSync(descriptor)
  return descriptor
}

/** @returns whether there was such a file */
function rename(from: string, to: string): boolean {
  try {
    renameSync(from, to)
    return true
  } catch {
    return false
  }
}

/** Makes the name of a new file survive power loss: syncing a file does not sync its folder. */
function syncName(file: string, descriptor: number): void {
  try {
    syncPath(dirname(file))
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

function checksumOf(text: string | Buffer): string {
  return crc32(text).toString(16).padStart(8, '0')
}

/** A piece of a journal file: an intact batch, or a damaged stretch. */
export interface JournalPiece {
  /** Empty when damaged. */
  scans: Scan[]
  /**
   * Estimated unreadable scans: at least 1 for each damaged stretch; a scan whose first byte is damaged is not counted, but for zeros,
   * which count by their length.
   */
  lost: number
  /** Whether the bytes differ from what was written; a truncated last line is not damage. */
  isDamaged: boolean
  /** The position in the file after this piece, in bytes. */
  end: number
}

/** Reads the pieces of a file from a position on, in order, with bounded memory. */
export function* readJournalFile(file: string, from: number): Generator<JournalPiece> {
  const descriptor = openSync(file, 'r')
  try {
    let end = from
    let isAfterDamage = false
    let average: number | undefined
    // A disk that has lost a sector may return zeros, which have no line ends: they stand for whole lines, with what is left of the first and last.
    const countLost = (bytes: Buffer, size: number) =>
      hasZeros(bytes, size) ? Math.round(size / (average ??= scanBytesOf(descriptor))) : countRows(bytes)
    for (const line of readLines(descriptor, from)) {
      for (const { bytes, size, scans, isDamaged } of piecesOf(line)) {
        end += size
        const lost = scans === undefined ? Math.max(countLost(bytes, size), isAfterDamage ? 0 : 1) : 0
        isAfterDamage = scans === undefined
        yield { scans: scans ?? [], lost, isDamaged, end }
      }
    }
  } finally {
    closeSync(descriptor)
  }
}

/** Those of a visit with a city, and without a referrer. */
const TYPICAL_SCAN_BYTES = 80

/** The bytes of a scan in a file, on average of its intact lines. */
function scanBytesOf(descriptor: number): number {
  let [bytes, scans] = [0, 0]
  for (const line of readLines(descriptor, 0)) {
    const read = parseLine(line.bytes)
    if (read === undefined) continue
    bytes += line.size
    scans += read.length
  }
  return scans === 0 ? TYPICAL_SCAN_BYTES : bytes / scans
}

/** Text has none, and a bit that has changed makes one at most. A line that is too long to be kept, as no batch is, has them. */
const ZEROS = Buffer.alloc(8)

function hasZeros(bytes: Buffer, size: number): boolean {
  return bytes.includes(ZEROS) || size > bytes.length + 1
}

/** A line as it was written. */
interface Piece {
  bytes: Buffer
  size: number
  /** Undefined when unreadable. */
  scans: Scan[] | undefined
  isDamaged: boolean
}

/** Yields an intact line as it is; splits a damaged one where a line end between two lines may have been damaged. */
function* piecesOf(line: Line): Generator<Piece> {
  const { bytes, size, isEnded } = line
  const whole = parseLine(bytes)
  if (whole !== undefined) return yield { bytes, size, scans: whole, isDamaged: false }
  let start = 0
  for (const next of startsIn(bytes)) {
    const piece = bytes.subarray(start, next - 1)
    yield { bytes: piece, size: next - start, scans: parseLine(piece), isDamaged: true }
    start = next
  }
  const last = bytes.subarray(start)
  const rest = size - start
  if (isEnded || hasZeros(last, rest)) return yield { bytes: last, size: rest, scans: parseLine(last), isDamaged: true }
  // Either the line end at the end of the file is damaged, or the line was never written whole.
  const scans = parseLine(last) ?? parseLine(last.subarray(0, -1))
  if (scans !== undefined) yield { bytes: last, size: rest, scans, isDamaged: true }
}

const OPENING = ' [['
const CLOSING = ']]'

/** Finds likely starts of lines after a damaged line end: `]]`, a byte, eight digits, ` [[`. Their checksums decide. */
function* startsIn(bytes: Buffer): Generator<number> {
  for (let at = bytes.indexOf(OPENING); at !== -1; at = bytes.indexOf(OPENING, at + 1)) {
    const start = at - PREFIX_LENGTH + 1
    if (start > CLOSING.length && bytes.toString('latin1', start - 1 - CLOSING.length, start - 1) === CLOSING)
      yield start
  }
}

/** Estimates the scans in unreadable bytes: each begins with a bracket and the link's id. */
function countRows(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf('['); at !== -1; at = bytes.indexOf('[', at + 1)) {
    const next = bytes[at + 1] ?? 0
    if (next >= 0x30 && next <= 0x39) count++
  }
  return count
}

function parseLine(line: Buffer): Scan[] | undefined {
  const json = line.subarray(PREFIX_LENGTH)
  // The checksum of no bytes is 0, which is valid too.
  if (json.length === 0 || line.toString('latin1', 0, PREFIX_LENGTH) !== `${checksumOf(json)} `) return undefined
  try {
    return (JSON.parse(json.toString('utf8')) as Parameters<typeof fromRow>[0][]).map(fromRow)
  } catch {
    return undefined
  }
}

/** A line of a file. */
interface Line {
  /** The line without its line end; empty when the line is too long. Valid until the next line is read. */
  bytes: Buffer
  /** The bytes of the line in the file, with its line end. */
  size: number
  /** False for a last line without a line end. */
  isEnded: boolean
}

/** Reads the lines of a file from a position on, in bounded memory and linear time. */
function* readLines(descriptor: number, from: number): Generator<Line> {
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
