import { html, type Html } from '../../http/html.ts'
import { locales, perLanguage, type Language } from '../../texts/language.ts'

const formatIn = perLanguage(
  (language) =>
    new Intl.DateTimeFormat(locales[language], { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }),
)

/** A time to the minute, in UTC; the script of the page shows it in the time zone of the browser (`client/islands/owner.ts`). */
export function timeElement(time: number | string, language: Language): Html {
  const date = new Date(time)
  return html`<time datetime="${date.toISOString()}" data-local>${formatIn(language).format(date)} UTC</time>`
}

/** Stands in a text for the time. */
const PLACE = '\u0000'

/** A sentence of the catalogue that has a time in it. */
export function withTime(text: (at: string) => string, time: number | string, language: Language): Html {
  const sentence = text(PLACE)
  const place = sentence.indexOf(PLACE)
  return html`${sentence.slice(0, place)}${timeElement(time, language)}${sentence.slice(place + 1)}`
}
