import { locales, type Language } from '../../texts/language.ts'

/** Shows the times of a part of the page, which are in UTC, in the time zone of the browser, as the statistics do. */
export function showLocalTimes(root: ParentNode): void {
  const locale = locales[document.documentElement.lang as Language]
  const format = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeStyle: 'short' })
  for (const element of root.querySelectorAll<HTMLTimeElement>('time[data-local]'))
    element.textContent = format.format(new Date(element.dateTime))
}
