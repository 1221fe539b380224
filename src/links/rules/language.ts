/** More than any browser sends. */
const MAX_LENGTH = 500

/**
 * The language that a visitor prefers, from `Accept-Language` (RFC 9110, 12.5.4), lower case; undefined when there is
 * none. Of equal weights the first counts.
 */
export function preferredLanguage(header: string | undefined): string | undefined {
  if (header === undefined || header.length > MAX_LENGTH) return undefined
  let best: string | undefined
  let bestWeight = 0
  // Nearly always the first one has the greatest weight.
  for (let from = 0; from < header.length && bestWeight < 1;) {
    const comma = header.indexOf(',', from)
    const end = comma === -1 ? header.length : comma
    const item = header.slice(from, end)
    from = end + 1
    const semicolon = item.indexOf(';')
    const weight = semicolon === -1 ? 1 : weightOf(item.slice(semicolon + 1))
    const name = (semicolon === -1 ? item : item.slice(0, semicolon)).trim().toLowerCase()
    if (weight <= bestWeight || !/^[a-z]{1,8}(?:-[a-z0-9]{1,8}){0,8}$/.test(name)) continue
    best = name
    bestWeight = weight
  }
  return best
}

/** The weight in the parameters of a tag; 0 when they are not valid. */
function weightOf(parameters: string): number {
  const [, text] = /^\s*q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)\s*$/i.exec(parameters) ?? []
  return text === undefined ? 0 : Number(text)
}
