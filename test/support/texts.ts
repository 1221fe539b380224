// The texts of the program in each language: those of pages, of kinds of links, and of dimensions of the statistics.
import { readdirSync } from 'node:fs'
import { dimensions } from '../../src/dimensions/dimensions.ts'
import { kinds } from '../../src/links/kinds/index.ts'
import { languages, type Language } from '../../src/texts/language.ts'
import { passwordTexts } from '../../src/visits/password-texts.ts'

const folder = new URL('../../src/texts/', import.meta.url)

/** Texts by language, with the name of what has them. */
export type NamedTexts = [name: string, texts: Record<Language, object>]

export async function readTexts(): Promise<NamedTexts[]> {
  const files = readdirSync(folder).filter((file) => !/^language\.ts$|\.test\.ts$/.test(file))
  const ofFiles = files.map(async (file): Promise<NamedTexts[]> => {
    const module = (await import(new URL(file, folder).href)) as Record<string, NamedTexts[1]>
    return Object.values(module).map((texts) => [file.replace('.ts', ''), texts])
  })
  const pages = (await Promise.all(ofFiles)).flat()
  return [
    ...pages,
    ['password', passwordTexts],
    ...kinds.map(({ name, texts }): NamedTexts => [name, texts]),
    ...dimensions.map(({ name, words }): NamedTexts => [
      name,
      mapLanguages((language) => wordsOf(name, words[language])),
    ]),
  ]
}

const names = { country: (code: string) => code }

/** The words of a dimension, with those of the values that it has names for. */
function wordsOf(name: string, words: (typeof dimensions)[number]['words'][Language]) {
  const { condition } = dimensions.find((each) => each.name === name) ?? {}
  const values = (condition?.names ?? []).map((value) => words.value?.({ value }, names))
  return { heading: words.heading, rest: words.rest, values }
}

function mapLanguages<T>(each: (language: Language) => T): Record<Language, T> {
  return Object.fromEntries(languages.map((language) => [language, each(language)])) as Record<Language, T>
}
