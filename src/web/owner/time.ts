import { locales, perLanguage, type Language } from '../../texts/language.ts'

const formatIn = perLanguage(
  (language) =>
    new Intl.DateTimeFormat(locales[language], { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
)

/** A time to the minute, for people. */
export function timeText(time: number | string, language: Language): string {
  return `${formatIn(language).format(new Date(time))} UTC`
}
