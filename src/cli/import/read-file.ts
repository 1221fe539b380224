import { isObject } from '../../http/body.ts'
import { StartError } from '../../lib/start-error.ts'
import { plainName } from '../../tables/link-columns.ts'
import { describeFault, faultOfRecord } from '../../tables/records.ts'
import { encodingNotes, readBytes, readTable, readText } from '../table-file.ts'
import { MAX_NAMED, toLinks, type Fields, type ForeignLink, type Format } from './formats.ts'

const MAX_RECORD = 65_536
/** How deep the objects of a row are looked into, such as `meta.validUntil`. */
const MAX_DEPTH = 2

/** The links of an export, and what is to be said about how it was read. */
export interface Export {
  links: ForeignLink[]
  notes: string[]
}

/**
 * Reads the links of an export: a workbook, CSV or JSON.
 * @throws {StartError} with the line, when the file is broken or a row has no code or destination
 */
export async function readExport(file: string, format: Format): Promise<Export> {
  const bytes = await readBytes(file)
  try {
    const read = await readLinks(bytes, format)
    if (read.links.length === 0) throw new StartError('it has no links')
    return read
  } catch (error) {
    if (!(error instanceof StartError || error instanceof SyntaxError)) throw error
    throw new StartError(`${file}: ${error.message}`, { cause: error })
  }
}

async function readLinks(bytes: Buffer, format: Format): Promise<Export> {
  // A table begins with the name of a column.
  const isJson = /^[\s\uFEFF\0\u00EF\u00BB\u00BF\u00FE\u00FF]*[[{]/.test(bytes.toString('latin1', 0, 100))
  if (!isJson) return fromTable(bytes, format)
  const { text, encoding } = await readText(bytes)
  return { links: fromJson(text, format), notes: encodingNotes(encoding) }
}

async function fromTable(bytes: Buffer, format: Format): Promise<Export> {
  const known = new Set([format.code, format.more, format.target, format.title, format.created, format.clicks].flat())
  const isKnown = (name: string) => known.has(plainName(name))
  const { records, place, encoding } = await readTable(bytes, { isKnown, maxRow: MAX_RECORD })
  const [header, ...rows] = records
  const names = header?.cells ?? []
  const plain = names.map(plainName)
  for (const needed of [format.code, format.target])
    if (!needed.some((name) => plain.includes(name)))
      throw new StartError(
        `${place} ${header?.line ?? 1} must be a header with one of the columns ${needed.slice(0, MAX_NAMED).join(', ')}`,
      )
  const repeated = plain.find((name, at) => known.has(name) && plain.indexOf(name) !== at)
  if (repeated !== undefined) throw new StartError(`the header has the column "${repeated}" twice`)
  const links = rows.flatMap((record) => {
    const fault = faultOfRecord(record, names, [])
    if (fault !== undefined) throw new StartError(describeFault(fault))
    const cells = plain.map((name, at) => [name, withoutNull(record.cells[at]?.trim() ?? '')])
    return linksAt(format, Object.fromEntries(cells) as Fields, `${place} ${record.line}`)
  })
  return { links, notes: encodingNotes(encoding) }
}

/** What exports of databases write where a value is absent. */
function withoutNull(cell: string): string {
  return ['NULL', 'null', '\\N'].includes(cell) ? '' : cell
}

function fromJson(text: string, format: Format): ForeignLink[] {
  const document = JSON.parse(text.replace(/^\uFEFF/, '')) as unknown
  // Several pages of an API may be in one list.
  const parts =
    Array.isArray(document) && document.every((each) => listIn(each, format) !== undefined) ? document : [document]
  const rows = parts.flatMap((part) => listIn(part, format) ?? (Array.isArray(part) ? part : [part])) as unknown[]
  return rows.flatMap((row, at) => {
    if (!isObject(row)) throw new StartError(`link ${at + 1} is not an object`)
    return linksAt(format, flat(row, MAX_DEPTH), `link ${at + 1}`)
  })
}

/** The list of links in a document. */
function listIn(document: unknown, { lists }: Format): unknown[] | undefined {
  for (const path of lists) {
    const found = path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), document)
    if (Array.isArray(found)) return found
    // YOURLS numbers them: link_1, link_2 …
    if (isObject(found)) return Object.values(found)
  }
  return undefined
}

function flat(row: Fields, depth: number, prefix = ''): Fields {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) =>
      isObject(value) && depth > 1
        ? Object.entries(flat(value, depth - 1, prefix + plainName(name)))
        : [[prefix + plainName(name), value]],
    ),
  )
}

function linksAt(format: Format, fields: Fields, place: string): ForeignLink[] {
  try {
    return toLinks(format, fields, place)
  } catch (error) {
    throw new StartError(`${place}: ${(error as Error).message}`, { cause: error })
  }
}
