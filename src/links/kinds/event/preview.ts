import { locales, perLanguage, type Language } from '../../../texts/language.ts'
import { typedText, type WritePreview } from '../preview.ts'

/** What stands for an event: the day of the month on which it begins. @param start `2027-06-12`, with or without a time */
export function signOfEvent(start: string): string {
  return String(Number(start.slice(8, 10)) || '')
}

const formats = perLanguage((language) => {
  const day = { dateStyle: 'full', timeZone: 'UTC' } as const
  return {
    days: new Intl.DateTimeFormat(locales[language], day),
    times: new Intl.DateTimeFormat(locales[language], { ...day, timeStyle: 'short' }),
  }
})

/**
 * When an event is, as people write it: whole days, or times as a clock shows them there.
 * @param start a day such as `2027-06-12`, or a day and a time such as `2027-06-12T14:00`, without an offset
 * @param end the same; a whole day is the last one
 */
export function whenText(start: string, end: string | undefined, language: Language): string {
  const { days, times } = formats(language)
  const isDay = start.length === 10
  const [from, to] = [start, end ?? start].map((text) => Date.parse(isDay ? text : `${text}Z`))
  // In a form, a date may still be incomplete.
  if (from === undefined || to === undefined || Number.isNaN(from + to)) return ''
  return (isDay ? days : times).formatRange(from, to)
}

export const preview: WritePreview = (form, texts, language) => {
  const typed = (name: string) => typedText(form, name)
  const { start, end } = typedPeriod(typed)
  return {
    lines: [
      { look: 'initials', text: signOfEvent(start) },
      { look: 'name', text: typed('summary') || (texts['summary'] ?? '') },
      { look: 'plain', text: start === '' ? '' : whenText(start, end, language) },
      { look: 'plain', text: start.includes('T') ? typed('timezone') : '' },
      { look: 'plain', text: typed('location') },
      { look: 'press', text: texts['save'] ?? '' },
      { look: 'text', text: typed('description') },
      { look: 'press', text: typed('url') === '' ? '' : (texts['visit'] ?? '') },
    ],
  }
}

/**
 * Start and end as they are typed, without an offset; an end without a day is on that of the start.
 * @param typed returns what was typed into an input, empty when nothing was
 */
export function typedPeriod(typed: (name: string) => string): { start: string; end: string | undefined } {
  const momentOf = (day: string, time: string) => (time === '' ? day : `${day}T${time}`)
  const [day, time] = [typed('end_date'), typed('end_time')]
  const end = momentOf(day || (time && typed('start_date')), time)
  return { start: momentOf(typed('start_date'), typed('start_time')), end: end === '' ? undefined : end }
}
