import type { Language } from '../texts/language.ts'

/** The choices of a field that says which links a file has, where it has so many at most: value and text. */
export function linkParts(links: number, size: number, language: Language): [value: string, text: string][] {
  const number = new Intl.NumberFormat(language)
  return Array.from({ length: Math.ceil(links / size) }, (_, at) => {
    const last = Math.min(links, (at + 1) * size)
    return [String(at + 1), `${number.format(at * size + 1)}–${number.format(last)}`]
  })
}
