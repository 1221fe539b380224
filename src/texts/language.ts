/** The languages of the pages; the first is the default. */
export const languages = ['en', 'de'] as const

export type Language = (typeof languages)[number]

/**
 * The texts of a part of the pages, in every language. Each file of this folder has those of one part: the English ones
 * give the type, so that a language in which one is missing does not compile. A text that varies is a function.
 */
export type ByLanguage<T> = Record<Language, T>
