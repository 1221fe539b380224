// Whether a page in one language says anything in the other.
import { languages, type Language } from '../../src/texts/language.ts'
import { saidBy } from './said.ts'
import { readTexts } from './texts.ts'

/** Stands for what a text is filled with. */
const FILLED = '\uE000'

/**
 * Small words of each language that the other has not, as they stand inside of sentences: they also find texts that are not
 * in the catalogue, such as a detail of the API.
 */
const small: Record<Language, Set<string>> = {
  en: new Set('the and of is are to your you with for from not this that must has have be or by it at most'.split(' ')),
  de: new Set(
    'und oder der das nicht ist sind wird werden mit für von auf ein eine kein zum zur bei auch noch'.split(' '),
  ),
}

/** The texts of the catalogue in a language, without what they are filled with. */
export interface Catalogue {
  /** Whole texts. */
  texts: Set<string>
  /** Parts of at least two words. */
  phrases: Set<string>
}

export async function readCatalogues(): Promise<Record<Language, Catalogue>> {
  const parts = (await readTexts()).map(([, texts]) => texts)
  return Object.fromEntries(
    languages.map((language) => [language, catalogueOf(parts.map((part) => part[language]))]),
  ) as Record<Language, Catalogue>
}

function catalogueOf(parts: unknown[]): Catalogue {
  const texts = new Set<string>()
  const phrases = new Set<string>()
  for (const text of parts.flatMap(textsIn)) {
    texts.add(text)
    for (const phrase of text.split(/\{\w*\}|[\d\uE000<>]+/u)) {
      const bare = phrase.trim()
      if (bare.includes(' ') && bare.length >= 10) phrases.add(bare)
    }
  }
  return { texts, phrases }
}

function textsIn(part: unknown): string[] {
  if (typeof part === 'string') return [part.replaceAll(/\s+/g, ' ').trim()]
  if (typeof part === 'function') return [FILLED, 1, 2].flatMap((value) => called(part as Filled, value))
  return typeof part === 'object' && part !== null ? Object.values(part).flatMap(textsIn) : []
}

type Filled = (...values: unknown[]) => unknown

/** A text filled with the same value everywhere, where it takes such values. */
function called(fill: Filled, value: unknown): string[] {
  try {
    return textsIn(fill(...Array.from({ length: 4 }, () => value)))
  } catch {
    return []
  }
}

/** What a page in `language` says in the other one, beside what it marks as that. */
export function foreignIn(markup: string, language: Language, catalogues: Record<Language, Catalogue>): string[] {
  const other = language === 'en' ? 'de' : 'en'
  const [own, foreign] = [catalogues[language], catalogues[other]]
  const said = saidBy(markup)
    .filter(({ lang }) => lang === language)
    .map(({ text }) => text)
  const whole = said.filter((text) => foreign.texts.has(text) && !own.texts.has(text))
  const sentences = said.join('\n')
  const ownPhrases = Array.from(own.texts).join('\n')
  const phrases = Array.from(foreign.phrases).filter((text) => sentences.includes(text) && !ownPhrases.includes(text))
  const worded = said.filter((text) =>
    text
      .replaceAll(/\{\w*\}/g, '')
      .split(/[^\p{L}\p{N}_-]+/u)
      .some((word) => small[other].has(word)),
  )
  return Array.from(new Set([...whole, ...phrases, ...worded]))
}
