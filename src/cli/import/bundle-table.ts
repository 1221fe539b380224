import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { parse } from 'csv-parse'
import type { ExportTable } from '../../scans/statistics/export-table.ts'
import { exportedTables, type TableName } from '../../scans/statistics/export.ts'
import type { ZipEntry } from './zip.ts'

/** Characters of a line; its cells have a bound each. */
const MAX_RECORD = 8192

/**
 * Reads the records of a table, after its header.
 * @param limit records of one piece; the last piece has fewer
 * @param isTaken called with each record; one for which it returns false is left out
 * @throws {Error} with the line, for a broken one and for what `isTaken` throws
 */
export async function* readTable(
  table: TableName,
  entry: ZipEntry,
  limit: number,
  isTaken: (record: string[]) => boolean = () => true,
): AsyncGenerator<string[][]> {
  let piece: string[][] = []
  let header: string | undefined
  for await (const { record, line } of readRecords(entry)) {
    if (header === undefined) {
      header = record.join()
      const { columns, firstColumns = columns.length }: ExportTable = exportedTables[table]
      const isKnown = record.length >= firstColumns && record.every((name, at) => name === columns[at])
      if (!isKnown) throw new Error(`${entry.name}: line 1 must be ${columns.join()}`)
      continue
    }
    try {
      if (!isTaken(record)) continue
    } catch (error) {
      throw new Error(`${entry.name}: line ${line}: ${(error as Error).message}`, { cause: error })
    }
    piece.push(record)
    if (piece.length < limit) continue
    yield piece
    piece = []
  }
  if (header === undefined) throw new Error(`${entry.name} is empty`)
  if (piece.length > 0) yield piece
}

async function* readRecords(entry: ZipEntry): AsyncGenerator<{ record: string[]; line: number }> {
  const parser = parse({ max_record_size: MAX_RECORD, info: true })
  // Its failure destroys the parser, whose reader gets the error.
  pipeline(Readable.from(entry.read()), parser).catch(() => {})
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: { lines: number } }>)
      yield { record, line: info.lines }
  } catch (error) {
    const { message } = error as Error
    throw message.startsWith(entry.name) ? error : new Error(`${entry.name}: ${message}`, { cause: error })
  }
}
