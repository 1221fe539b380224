import { readFileSync, statSync } from 'node:fs'
import { CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { isObject } from '../../http/body.ts'
import { StartError } from '../../lib/start-error.ts'
import { toLink, type Fields, type ForeignLink, type Format } from './formats.ts'

/** A file is read whole, so that a broken one changes nothing: some million links. */
const MAX_BYTES = 256 * 2 ** 20
const MAX_RECORD = 65_536
/** How deep the objects of a row are looked into, such as `meta.validUntil`. */
const MAX_DEPTH = 2

/**
 * Reads the links of an export, CSV or JSON.
 * @throws {StartError} with the line, when the file is broken or a row has no code or destination
 */
export function readExport(file: string, format: Format): ForeignLink[] {
  const text = readText(file)
  const isJson = /^[\s\uFEFF]*[[{]/.test(text)
  try {
    const links = isJson ? fromJson(text, format) : fromCsv(text, format)
    if (links.length === 0) throw new StartError('it has no links')
    return links
  } catch (error) {
    const isKnown = error instanceof StartError || error instanceof SyntaxError || error instanceof CsvError
    if (!isKnown) throw error
    throw new StartError(`${file}: ${error.message}`, { cause: error })
  }
}

function readText(file: string): string {
  try {
    const { size } = statSync(file)
    if (size > MAX_BYTES) throw new StartError(`it has ${size} bytes, and ${MAX_BYTES} are the most: split it`)
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new StartError(`${file}: ${(error as Error).message}`, { cause: error })
  }
}

function fromCsv(text: string, format: Format): ForeignLink[] {
  const records = parse(text, {
    bom: true,
    delimiter: [',', ';', '\t'],
    skip_empty_lines: true,
    trim: true,
    max_record_size: MAX_RECORD,
    info: true,
    columns: (names: string[]) => headerOf(names, format),
  }) as unknown as { record: Fields; info: { lines: number } }[]
  return records.map(({ record, info }) => linkAt(format, record, `line ${info.lines}`))
}

function headerOf(names: string[], format: Format): string[] {
  const known = names.map(plain)
  for (const needed of [format.code, format.target])
    if (!needed.some((name) => known.includes(name)))
      throw new StartError(`line 1 must be a header with one of the columns ${needed.join(', ')}`)
  return known
}

function fromJson(text: string, format: Format): ForeignLink[] {
  const document = JSON.parse(text.replace(/^\uFEFF/, '')) as unknown
  // Several pages of an API may be in one list.
  const parts =
    Array.isArray(document) && document.every((each) => listIn(each, format) !== undefined) ? document : [document]
  const rows = parts.flatMap((part) => listIn(part, format) ?? (Array.isArray(part) ? part : [part])) as unknown[]
  return rows.map((row, at) => {
    if (!isObject(row)) throw new StartError(`link ${at + 1} is not an object`)
    return linkAt(format, flat(row, MAX_DEPTH), `link ${at + 1}`)
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
        ? Object.entries(flat(value, depth - 1, prefix + plain(name)))
        : [[prefix + plain(name), value]],
    ),
  )
}

function plain(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

function linkAt(format: Format, fields: Fields, place: string): ForeignLink {
  try {
    return toLink(format, fields, place)
  } catch (error) {
    throw new StartError(`${place}: ${(error as Error).message}`, { cause: error })
  }
}
