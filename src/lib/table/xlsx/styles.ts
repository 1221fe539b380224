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

/** Whether a format has a part of a date or time outside its texts, colours and locales. */
function isDateFormat(code: string): boolean {
  let isQuoted = false
  let isEscaped = false
  let brackets = ''
  for (const character of code.toLowerCase()) {
    if (isEscaped) isEscaped = false
    else if (character === '"') isQuoted = !isQuoted
    else if (isQuoted) continue
    else if (character === '\\' || character === '_' || character === '*') isEscaped = true
    else if (character === '[' || brackets !== '') {
      brackets += character
      if (character !== ']') continue
      // Elapsed time, as [h]:mm; others are colours, conditions and locales.
      if (/^\[[hms]{1,9}\]$/.test(brackets)) return true
      brackets = ''
    } else if ('dmyhs'.includes(character)) return true
  }
  return false
}
