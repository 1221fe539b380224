/**
 * Whether `Prefer` (RFC 7240) has `handling=strict`. Names and values are compared without case, a value may be quoted,
 * parameters are disregarded, and of a preference that occurs more than once the first counts (section 2).
 */
export function prefersStrict(header: string | string[] | undefined): boolean {
  if (header === undefined) return false
  for (const preference of splitUnquoted([header].flat().join(','), ',')) {
    const [word = ''] = splitUnquoted(preference, ';')
    const at = word.indexOf('=')
    const name = (at < 0 ? word : word.slice(0, at)).trim().toLowerCase()
    if (name === 'handling') return at >= 0 && unquote(word.slice(at + 1).trim()).toLowerCase() === 'strict'
  }
  return false
}

/** Splits a text at each separator that is not inside a quoted string (RFC 9110, 5.6.4). */
function splitUnquoted(text: string, separator: string): string[] {
  const parts: string[] = []
  let from = 0
  let isQuoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') isQuoted = !isQuoted
    else if (char === '\\' && isQuoted) at++
    else if (char === separator && !isQuoted) {
      parts.push(text.slice(from, at))
      from = at + 1
    }
  }
  return [...parts, text.slice(from)]
}

function unquote(word: string): string {
  const isQuoted = word.length > 1 && word.startsWith('"') && word.endsWith('"')
  return isQuoted ? word.slice(1, -1).replaceAll(/\\(.)/g, '$1') : word
}
