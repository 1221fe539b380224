import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { CsvError, parse } from 'csv-parse'
import { StartError } from '../../lib/start-error.ts'

/** The columns of a table of links (docs/api.md). */
export const columns = ['alias', 'target', 'title', 'campaign'] as const

/** A row to create a link from; the service validates it. */
export type Row = { target: string } & Partial<Record<(typeof columns)[number], string>>

/** The longest row, in characters, as in a bulk request. */
const MAX_ROW = 16_384

/**
 * Reads a CSV file with a header: commas, semicolons or tabs.
 * @throws {StartError} with the line, when it is not such a table
 */
export async function readRows(file: string): Promise<Row[]> {
  const rows: Row[] = []
  const options = {
    bom: true,
    delimiter: [',', ';', '\t'],
    skip_empty_lines: true,
    trim: true,
    max_record_size: MAX_ROW,
  }
  const input = file === '-' ? process.stdin : createReadStream(file)
  try {
    await pipeline(input, parse({ ...options, columns: headerOf }), async (records: AsyncIterable<object>) => {
      for await (const record of records) rows.push(rowOf(record as Record<string, string>))
    })
  } catch (error) {
    if (!(error instanceof CsvError) && !(error instanceof StartError) && !('syscall' in (error as Error))) throw error
    throw new StartError(`${file}: ${(error as Error).message}`, { cause: error })
  }
  if (rows.length === 0) throw new StartError(`${file} has no row`)
  return rows
}

function headerOf(names: string[]): string[] {
  const known = names.map((name) => name.toLowerCase())
  if (!known.includes('target')) throw new StartError('line 1 must be a header with the column "target"')
  return known
}

function rowOf(record: Record<string, string>): Row {
  const cells = columns.flatMap((name) => (record[name] ? [[name, record[name]]] : []))
  return { target: '', ...(Object.fromEntries(cells) as Partial<Row>) }
}
