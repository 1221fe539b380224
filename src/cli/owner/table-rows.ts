import { shorten } from '../../lib/shorten.ts'
import { StartError } from '../../lib/start-error.ts'
import { readHeader } from '../../tables/link-columns.ts'
import { describeFault, faultOfRecord, toLinkRow, withoutOuterBlanks, type LinkRow } from '../../tables/records.ts'
import { encodingNotes, readBytes, readTable, type TableFile } from '../table-file.ts'

/** Names of columns that a note has. */
const MAX_NAMED = 10

/** The rows of a table, and what is to be said about how it was read. */
export interface LinkTable {
  rows: LinkRow[]
  notes: string[]
}

/**
 * Reads a table of links with a header: an Excel workbook, or CSV with commas, semicolons, tabs or bars. The service checks
 * the rows.
 * @throws {StartError} with the line, when it is not such a table, or has text in a column without a name
 */
export async function readRows(file: string): Promise<LinkTable> {
  const bytes = await readBytes(file)
  try {
    return toRows(await readTable(bytes))
  } catch (error) {
    if (error instanceof StartError) throw new StartError(`${file}: ${error.message}`, { cause: error })
    throw error
  }
}

function toRows({ records: [header, ...records], place, encoding }: TableFile): LinkTable {
  const names = header?.cells ?? []
  const { mapping, unknown, repeated } = readHeader(names)
  if (!mapping.includes('target'))
    throw new StartError(`${place} ${header?.line ?? 1} must be a header with the column "target"`)
  if (repeated !== undefined) throw new StartError(`the header has the column "${shorten(repeated)}" twice`)
  const rows = records.map((record) => {
    const fault = faultOfRecord(record, names, mapping)
    if (fault !== undefined) throw new StartError(describeFault(fault))
    return withoutOuterBlanks(toLinkRow(record.cells, mapping))
  })
  if (rows.length === 0) throw new StartError('it has no row')
  return { rows, notes: [...encodingNotes(encoding), ...unusedNotes(unknown)] }
}

function unusedNotes(names: string[]): string[] {
  if (names.length === 0) return []
  const named = names.slice(0, MAX_NAMED).map((name) => `"${shorten(name)}"`)
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''
  return [`columns that are not used: ${named.join(', ')}${more}`]
}
