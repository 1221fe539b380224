import { closeSync, existsSync, openSync, readSync } from 'node:fs'

// The format of SQLite's write-ahead log, https://sqlite.org/fileformat2.html#walformat. SQLite reads it up to the
// first wrong checksum, and does not report what follows: after a power loss that was never answered, but damage looks the
// same.

const HEADER = 32
const FRAME_HEADER = 24
const MAGIC = 0x377f0682

/**
 * Counts the transactions in the log of a database that SQLite will not read: those from the first damaged frame on. To be
 * called before SQLite opens the database.
 */
export function countUnreadTransactions(database: string): number {
  const file = `${database}-wal`
  if (!existsSync(file)) return 0
  const descriptor = openSync(file, 'r')
  try {
    return countUnread((bytes, at) => readSync(descriptor, bytes, 0, bytes.length, at) === bytes.length)
  } finally {
    closeSync(descriptor)
  }
}

/** Fills the bytes from a position; false where the file is shorter. */
type Read = (bytes: Buffer, at: number) => boolean

function countUnread(read: Read): number {
  const header = Buffer.alloc(HEADER)
  if (!read(header, 0)) return 0
  const isBig = header.readUInt32BE(0) === MAGIC + 1
  const pageSize = header.readUInt32BE(8)
  const sums = new Uint32Array(2)
  addTo(sums, header.subarray(0, FRAME_HEADER), isBig)
  const isKnown = (isBig || header.readUInt32BE(0) === MAGIC) && isPageSize(pageSize)
  if (isKnown && agrees(sums, header, FRAME_HEADER)) return countFrames(read, header, sums, isBig)
  // SQLite reads nothing of a log with a damaged header, and the frames cannot be checked without it.
  return read(Buffer.alloc(1), HEADER) ? 1 : 0
}

function countFrames(read: Read, header: Buffer, sums: Uint32Array, isBig: boolean): number {
  const [first, second] = [header.subarray(16, 20), header.subarray(20, 24)]
  const frame = Buffer.alloc(FRAME_HEADER + header.readUInt32BE(8))
  let isSound = true
  let unread = 0
  for (let at = HEADER; read(frame, at); at += frame.length) {
    // Frames of an earlier log differ in both salts, a damaged frame in one at most.
    const salts = [frame.subarray(8, 12).equals(first), frame.subarray(12, 16).equals(second)]
    addTo(sums, frame.subarray(0, 8), isBig)
    addTo(sums, frame.subarray(FRAME_HEADER), isBig)
    isSound &&= salts.every(Boolean) && agrees(sums, frame, 16)
    const endsTransaction = frame.readUInt32BE(4) !== 0
    if (!isSound && salts.some(Boolean) && endsTransaction) unread++
  }
  return unread
}

function isPageSize(size: number): boolean {
  return size >= 512 && size <= 65_536 && (size & (size - 1)) === 0
}

function agrees([first = 0, second = 0]: Uint32Array, bytes: Buffer, at: number): boolean {
  return bytes.readUInt32BE(at) === first && bytes.readUInt32BE(at + 4) === second
}

function addTo(sums: Uint32Array, bytes: Buffer, isBig: boolean): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  let [first = 0, second = 0] = sums
  for (let at = 0; at < bytes.length; at += 8) {
    first = (first + view.getUint32(at, !isBig) + second) | 0
    second = (second + view.getUint32(at + 4, !isBig) + first) | 0
  }
  sums[0] = first
  sums[1] = second
}
