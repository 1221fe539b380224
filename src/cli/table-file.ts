import { createReadStream, statSync } from 'node:fs'
import { StartError } from '../lib/start-error.ts'
import { readCsvRecords } from '../tables/csv.ts'
import { decodeText, WINDOWS_1252_NOTE, type Encoding } from '../tables/decode.ts'
import { isWorkbook } from '../tables/file-kind.ts'
import type { TableRecord } from '../tables/records.ts'
import { TableError } from '../tables/table-error.ts'

/** A file is read whole, so that a broken one changes nothing: some million links. */
const MAX_BYTES = 256 * 2 ** 20
/** Bytes of a workbook, which is packed: it is bounded once more while it is unpacked. */
const MAX_WORKBOOK_BYTES = 32 * 2 ** 20

/** The rows of a table, the first of which names the columns. */
export interface TableFile {
  records: TableRecord[]
  /** How a place is named: workbooks have rows. */
  place: 'line' | 'row'
  encoding: Encoding
}

/** @throws {StartError} when the file cannot be read; - is standard input */
export async function readBytes(file: string): Promise<Buffer> {
  try {
    if (file !== '-') requireSize(statSync(file).size)
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
      chunks.push(chunk as Buffer)
      requireSize((size += (chunk as Buffer).length))
    }
    return Buffer.concat(chunks)
  } catch (error) {
    throw new StartError(`${file}: ${(error as Error).message}`, { cause: error })
  }
}

/** @throws {StartError} when a file, or those of a folder, have more bytes than are read */
export function requireSize(bytes: number): void {
  if (bytes > MAX_BYTES) throw new StartError(`it has ${bytes} bytes, and ${MAX_BYTES} are the most: split it`)
}

/**
 * Reads a table: a workbook, or a text.
 * @param isKnown whether a cell of the header is the name of a column
 * @param maxRow bytes of the longest row
 * @throws {StartError} that names the fault
 */
export async function readTable(
  bytes: Uint8Array,
  { isKnown, maxRow }: { isKnown?: (name: string) => boolean; maxRow?: number } = {},
): Promise<TableFile> {
  return orStartError(async () => {
    if (isWorkbook(bytes)) return { records: await readSheet(bytes), place: 'row', encoding: 'utf-8' }
    const { text, encoding } = decodeText(bytes)
    return {
      records: readCsvRecords(text, { ...(isKnown && { isKnown }), ...(maxRow && { maxRow }) }),
      place: 'line',
      encoding,
    }
  })
}

/** Decodes a text. @throws {StartError} when it is none */
export function readText(bytes: Uint8Array): Promise<{ text: string; encoding: Encoding }> {
  return orStartError(async () => decodeText(bytes))
}

async function readSheet(bytes: Uint8Array): Promise<TableRecord[]> {
  if (bytes.length > MAX_WORKBOOK_BYTES)
    throw new TableError('workbook', `has ${bytes.length} bytes, and ${MAX_WORKBOOK_BYTES} are the most`)
  // Most files are none.
  const { readWorkbook } = await import('../tables/xlsx/workbook.ts')
  return readWorkbook(bytes)
}

async function orStartError<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    throw error instanceof TableError ? new StartError(`it ${error.message}`, { cause: error }) : error
  }
}

/** What is to be said of how a table was read. */
export function encodingNotes(encoding: Encoding): string[] {
  return encoding === 'windows-1252' ? [WINDOWS_1252_NOTE] : []
}
