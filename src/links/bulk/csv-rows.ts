import { findLayout } from '../../tables/delimiter.ts'
import { plainName, readHeader } from '../../tables/link-columns.ts'
import { describeFault, faultOfRecord, toLinkBody, toLinkRow } from '../../tables/records.ts'
import type { TableError } from '../../tables/table-error.ts'
import { invalidRequest, Problem } from '../../http/problem.ts'
import { parseRecords } from './csv-records.ts'

/** The columns of a result, and those that every CSV may have. */
export const columns = ['alias', 'target', 'title', 'campaign']
/** The column of the look that a link is to have. */
export const LOOK = 'look'

/** Characters of the first line; the known columns need 100. */
const MAX_HEADER = 1_000

/**
 * Parses a CSV (RFC 4180, or with another delimiter) into bodies of single creations: an empty cell is an absent field,
 * empty lines are skipped, columns with other names are left out.
 * @param pointer the position of the text in the request, for the errors
 * @param onUnknown called with the names of the columns that are not known, if there are any
 * @throws {Problem} 400 when the CSV is malformed or too large, or its header is invalid
 */
export async function readCsv(
  text: string,
  pointer: string,
  onUnknown: (names: string[]) => void,
): Promise<(object | Problem)[]> {
  const refuse = (detail: string, cause?: TableError) => {
    if (cause === undefined) return invalidRequest([{ pointer, detail }])
    const where = pointer === '' ? 'the CSV' : pointer
    return new Problem('malformed_csv', `${where} ${detail}`, { errors: [{ pointer, detail }], cause })
  }
  const [line = ''] = /[^\r\n]+/.exec(text) ?? []
  if (line.length > MAX_HEADER) throw refuse(`must have a header of at most ${MAX_HEADER} characters`)
  const [header, ...records] = await parseRecords(text, findLayout(text), refuse)
  const names = header?.cells ?? []
  const { mapping, unknown, repeated } = readHeader(names)
  if (!mapping.includes('target')) {
    throw refuse(`must begin with a header that names the column "target", and may name ${columns.join(', ')}, ${LOOK}`)
  }
  const looks = names.flatMap((name, at) => (mapping[at] === undefined && isLook(name) ? [at] : []))
  if (repeated !== undefined || looks.length > 1) throw refuse('names a column twice')
  const ignored = unknown.filter((name) => !isLook(name))
  if (ignored.length > 0) onUnknown(ignored)
  return records.map((record) => {
    const fault = faultOfRecord(record, names, mapping)
    if (fault !== undefined) return new Problem('malformed_csv', describeFault(fault))
    const look = record.cells[looks[0] ?? -1] ?? ''
    return { ...toLinkBody(toLinkRow(record.cells, mapping)), ...(look !== '' && { design: { look } }) }
  })
}

const isLook = (name: string) => name.length <= MAX_HEADER && plainName(name) === LOOK
