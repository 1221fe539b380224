/** The languages of the pages; the first is the default. */
export const languages = ['en', 'de'] as const

export type Language = (typeof languages)[number]

/** What each is called in itself. */
export const languageNames = { en: 'English', de: 'Deutsch' } as const satisfies Record<Language, string>

/** How dates and numbers are written in each: 4 Nov 2026, not Nov 4, 2026. */
export const locales = { en: 'en-GB', de: 'de' } as const satisfies Record<Language, string>

/** Where most readers of a language live. Scripts propose the visitor's own time zone. */
export const usualZone: Record<Language, string> = { en: 'UTC', de: 'Europe/Berlin' }

/**
 * The texts of a part of the pages, in every language. Each file of this folder has those of one part: the English ones
 * give the type, so that a language in which one is missing does not compile. A text that varies is a function.
 */
export type ByLanguage<T> = Record<Language, T>

/** Creates something for each language at its first use: formats of dates take too long for a start. */
export function perLanguage<T>(create: (language: Language) => T): (language: Language) => T {
  const created: Partial<ByLanguage<{ value: T }>> = {}
  return (language) => (created[language] ??= { value: create(language) }).value
}
