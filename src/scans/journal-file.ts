import { closeSync, fdatasyncSync, ftruncateSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { crc32 } from 'node:zlib'
import { syncPath } from '../lib/sync-path.ts'
import { readLines, type Line } from './journal-lines.ts'
import { fromRow, toRow, type Scan } from './scan.ts'

// A journal file is text: a line for each batch, eight hexadecimal digits of the CRC-32 of the rest, a space, and the
// batch's scans as a JSON array. What has no line end at the end of a file was being written when the process ended, and was
// never acknowledged. Any other line that does not match its sum is damage, and the lines after it are as good as before.

const SUM_LENGTH = 9

/** A file that batches are appended to. */
export interface JournalWriter {
  /** Writes a batch; when this returns, it survives the process. Throws when it could not be written whole. */
  append: (scans: Scan[]) => void
  close: () => void
}

/** @param sync whether a batch also survives power loss, at the price of an fdatasync each */
export function openJournalFile(file: string, sync: boolean): JournalWriter {
  const descriptor = openSync(file, 'ax', 0o600)
  if (sync) keepName(file, descriptor)
  let good = 0
  return {
    append(scans) {
      const json = JSON.stringify(scans.map(toRow))
      const line = Buffer.from(`${sumOf(json)} ${json}\n`)
      try {
        for (let written = 0; written < line.length;) written += writeSync(descriptor, line, written)
        if (sync) fdatasyncSync(descriptor)
      } catch (error) {
        // What a full disk has left of the line goes: nothing is appended to it, and the reader would take it for torn.
        ftruncateSync(descriptor, good)
        throw error
      }
      good += line.length
    },
    close: () => closeSync(descriptor),
  }
}

/** Makes the name of a new file survive power loss: syncing a file does not sync the folder that names it. */
function keepName(file: string, descriptor: number): void {
  try {
    syncPath(dirname(file))
  } catch (error) {
    closeSync(descriptor)
    throw error
  }
}

function sumOf(text: string | Buffer): string {
  return crc32(text).toString(16).padStart(8, '0')
}

/** A part of a journal file: a batch as it was written, or what damage has left of some. */
export interface Part {
  /** None, where they cannot be read. */
  scans: Scan[]
  /** Scans that cannot be read; at least 1 for each damaged place. Where the damage hit the start of one it may miss that. */
  lost: number
  /** Whether the file is not as it was written here; what has only been cut short at its end is. */
  isDamaged: boolean
  /** Where the part ends in its file, in bytes: the position from which the next one is read. */
  end: number
}

/** The parts of a file from a position on, in order, with bounded memory. */
export function* readJournalFile(file: string, from: number): Generator<Part> {
  const descriptor = openSync(file, 'r')
  try {
    let end = from
    let isAfterDamage = false
    for (const line of readLines(descriptor, from)) {
      for (const { bytes, size, scans, isDamaged } of piecesOf(line)) {
        end += size
        const lost = scans === undefined ? Math.max(countRows(bytes), isAfterDamage ? 0 : 1) : 0
        isAfterDamage = scans === undefined
        yield { scans: scans ?? [], lost, isDamaged, end }
      }
    }
  } finally {
    closeSync(descriptor)
  }
}

/** What was written as one line. */
interface Piece {
  bytes: Buffer
  size: number
  /** Undefined when they cannot be read. */
  scans: Scan[] | undefined
  isDamaged: boolean
}

/** The line, when it is sound; else the lines that it may have been before the ends between them were damaged. */
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
  const isTooLong = size > bytes.length + 1
  if (isEnded || isTooLong) return yield { bytes: last, size: rest, scans: parseLine(last), isDamaged: true }
  // Its own end may be what is damaged; else it was never written whole.
  const scans = parseLine(last) ?? parseLine(last.subarray(0, -1))
  if (scans !== undefined) yield { bytes: last, size: rest, scans, isDamaged: true }
}

const OPENING = ' [['
const CLOSING = ']]'

/** Where lines seem to begin behind others whose ends are damaged: `]]`, a byte, eight digits, ` [[`. Sums tell whether they do. */
function* startsIn(bytes: Buffer): Generator<number> {
  for (let at = bytes.indexOf(OPENING); at !== -1; at = bytes.indexOf(OPENING, at + 1)) {
    const start = at - SUM_LENGTH + 1
    if (start > CLOSING.length && bytes.toString('latin1', start - 1 - CLOSING.length, start - 1) === CLOSING)
      yield start
  }
}

/** How many scans seem to begin in unreadable bytes: each begins with a bracket and its link's number. */
function countRows(bytes: Buffer): number {
  let count = 0
  for (let at = bytes.indexOf('['); at !== -1; at = bytes.indexOf('[', at + 1)) {
    const next = bytes[at + 1] ?? 0
    if (next >= 0x30 && next <= 0x39) count++
  }
  return count
}

function parseLine(line: Buffer): Scan[] | undefined {
  const json = line.subarray(SUM_LENGTH)
  // Nothing at all has a sum too, which is 0.
  if (json.length === 0 || line.toString('latin1', 0, SUM_LENGTH) !== `${sumOf(json)} `) return undefined
  try {
    return (JSON.parse(json.toString('utf8')) as Parameters<typeof fromRow>[0][]).map(fromRow)
  } catch {
    return undefined
  }
}
