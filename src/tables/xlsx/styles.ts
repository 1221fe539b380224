import { parseXml } from './xml.ts'

/** The formats of dates that have no text in the file (ECMA-376, 18.8.30). */
const isDateId = (id: number) =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58)

/** Reads which cell formats show a date: a list by the number of the format. */
export function readDateFormats(bytes: Uint8Array | undefined): boolean[] {
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
