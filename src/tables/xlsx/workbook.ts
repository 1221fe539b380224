import type { TableRecord } from '../records.ts'
import { TableError } from '../table-error.ts'
import { readSheet, readStrings } from './sheet.ts'
import { parseXml } from './xml.ts'
import { openZip, type ReadFile } from './zip.ts'

/** The formats of dates that have no text in the file (ECMA-376, 18.8.30). */
const isDateId = (id: number) =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)

/**
 * Reads the first visible sheet of a workbook (ECMA-376, Office Open XML): texts as they are, numbers in their shortest
 * decimal form, dates as ISO 8601. Of formulas it reads the values that the file keeps.
 * @throws {TableError}
 */
export async function readWorkbook(bytes: Uint8Array): Promise<TableRecord[]> {
  const read = openZip(bytes)
  const main = (await relations(read, '')).find(({ type }) => type === 'officedocument')?.target
  const workbook = main === undefined ? undefined : await read(main)
  if (main === undefined || workbook === undefined)
    throw new TableError('office_file', 'is not an Excel workbook: save it as .xlsx or CSV')
  const { sheet: id, is1904 } = readSheets(workbook)
  const parts = await relations(read, main)
  const partOf = async (type: string) => {
    const part = parts.find((part) => part.type === type)
    const bytes = part && (await read(part.target))
    if (part !== undefined && bytes === undefined)
      throw new TableError('workbook', `has no ${part.target}: save it again`)
    return bytes
  }
  const sheet = await read(parts.find((part) => part.id === id)?.target ?? '')
  if (sheet === undefined) throw new TableError('workbook', 'has no sheet')
  return readSheet(sheet, {
    strings: readStrings(await partOf('sharedstrings')),
    isDate: readDateFormats(await partOf('styles')),
    is1904,
  })
}

interface Relation {
  id: string
  type: string
  /** A path in the archive. */
  target: string
}

/** The parts to which a part refers (ECMA-376, part 2, 9.3). */
async function relations(read: ReadFile, part: string): Promise<Relation[]> {
  const folder = part.slice(0, part.lastIndexOf('/') + 1)
  const bytes = await read(`${folder}_rels/${part.slice(folder.length)}.rels`)
  const found: Relation[] = []
  if (bytes === undefined) return found
  parseXml(bytes, {
    open({ name, attributes: { Id: id = '', Type: type = '', Target: target = '' } }) {
      if (name !== 'Relationship') return
      const path = target.startsWith('/') ? target.slice(1) : folder + target
      found.push({ id, type: type.slice(type.lastIndexOf('/') + 1).toLowerCase(), target: path.toLowerCase() })
    },
  })
  return found
}

function readSheets(bytes: Uint8Array): { sheet: string; is1904: boolean } {
  const sheets: { id: string; isVisible: boolean }[] = []
  let is1904 = false
  parseXml(bytes, {
    open({ name, attributes }) {
      if (name === 'workbookPr') is1904 = ['1', 'true'].includes(attributes['date1904'] ?? '')
      const id = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1]
      if (name === 'sheet' && id !== undefined)
        sheets.push({ id, isVisible: (attributes['state'] ?? 'visible') === 'visible' })
    },
  })
  const first = sheets.find(({ isVisible }) => isVisible) ?? sheets[0]
  return { sheet: first?.id ?? '', is1904 }
}

/** Reads which cell formats show a date: a list by the number of the format. */
function readDateFormats(bytes: Uint8Array | undefined): boolean[] {
  if (bytes === undefined) return []
  const dates = new Map<string, boolean>()
  const formats: boolean[] = []
  let isInFormats = false
  parseXml(bytes, {
    open({ name, attributes }) {
      const id = attributes['numFmtId'] ?? '0'
      if (name === 'numFmt') dates.set(id, isDateFormat(attributes['formatCode'] ?? ''))
      else if (name === 'cellXfs') isInFormats = true
      else if (name === 'xf' && isInFormats) formats.push(dates.get(id) ?? isDateId(Number(id)))
    },
    close(name) {
      if (name === 'cellXfs') isInFormats = false
    },
  })
  return formats
}

/** What a format shows literally: texts, one character after a sign, and brackets that hold a colour, condition or locale. */
const literal = /"[^"]{0,255}"|[\\_*].|\[(?!h{1,9}\]|m{1,9}\]|s{1,9}\])[^\]]{0,255}\]/g

/** Whether a format has a part of a date or time; elapsed time is in brackets, as [h]:mm. */
function isDateFormat(code: string): boolean {
  return /[dmyhs]/.test(code.toLowerCase().replaceAll(literal, ''))
}
