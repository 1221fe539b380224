import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import { crc32 } from 'node:zlib'

/** How long the file is left alone after a failed write, in milliseconds: a disk may take long to fail. */
const RETRY_MS = 1_000
/** The digits of a count, so that a record has the same length for ever. */
const DIGITS = 16
const RECORD_BYTES = 8 + 1 + DIGITS + 1

/** How many scans were not recorded, ever. */
export interface LostCount {
  total: () => number
  add: (scans: number) => void
  close: () => void
}

/**
 * Keeps the count in a file that has its bytes on the disk from the start: replacing them needs neither space nor a new file, so
 * that they can be written while a full disk is the reason for the loss. A count survives the end of the process once it is
 * written; one that the disk refuses is kept in memory, and written with the next.
 * @param file the checksum of the count, a space, the count
 * @param onFault called with what keeps the count from being read or written
 */
export function openLostCount(file: string, monotonic: () => number, onFault: (error: unknown) => void): LostCount {
  let descriptor: number | undefined
  let failedAt = Number.NEGATIVE_INFINITY
  let total = 0

  function write(): void {
    if (monotonic() - failedAt < RETRY_MS) return
    try {
      descriptor ??= openFile(file)
      writeSync(descriptor, recordOf(total), 0)
    } catch (error) {
      failedAt = monotonic()
      onFault(error)
    }
  }

  try {
    descriptor = openFile(file)
    total = readTotal(descriptor)
  } catch (error) {
    onFault(error)
  }
  write()
  return {
    total: () => total,
    add(scans) {
      total += scans
      write()
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor)
    },
  }
}

function openFile(file: string): number {
  return openSync(file, constants.O_RDWR | constants.O_CREAT, 0o600)
}

function recordOf(total: number): string {
  const digits = String(total).padStart(DIGITS, '0')
  return `${checksumOf(digits)} ${digits}\n`
}

/** @returns 0 for a new file @throws when the record is damaged */
function readTotal(descriptor: number): number {
  const record = Buffer.alloc(RECORD_BYTES)
  if (readSync(descriptor, record, 0, RECORD_BYTES, 0) === 0) return 0
  const total = Number(record.toString('latin1', 9, 9 + DIGITS))
  if (recordOf(total) === record.toString('latin1')) return total
  throw new Error('the number of lost scans is damaged, and begins at zero')
}

const checksumOf = (text: string) => crc32(text).toString(16).padStart(8, '0')
