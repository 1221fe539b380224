import { locales, type Language } from '../../texts/language.ts'

const formats: Record<Language, Intl.DateTimeFormat> = { en: formatOf(locales.en), de: formatOf(locales.de) }

function formatOf(locale: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })
}

/** A time to the minute, for people. */
export function timeText(time: number | string, language: Language): string {
  return `${formats[language].format(new Date(time))} UTC`
}
