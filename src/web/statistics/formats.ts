import { locales, perLanguage, type Language } from '../../texts/language.ts'

/** Numbers, dates and countries as a language writes them. Creating these takes longer than a page. */
function createFormats(language: Language) {
  const locale = locales[language]
  const dates = (options: Intl.DateTimeFormatOptions) => {
    const format = new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' })
    // A local time is passed as if it were in UTC.
    return (local: string) => format.format(Date.parse(`${local.length === 10 ? `${local}T00:00:00` : local}Z`))
  }
  const number = new Intl.NumberFormat(locale)
  const compact = new Intl.NumberFormat(locale, { notation: 'compact', maximumFractionDigits: 1 })
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 0 })
  const change = new Intl.NumberFormat(locale, {
    style: 'percent',
    maximumFractionDigits: 0,
    signDisplay: 'exceptZero',
  })
  const countries = new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' })
  return {
    number: (value: number) => number.format(value),
    compact: (value: number) => (value < 10_000 ? number.format(value) : compact.format(value)),
    percent: (value: number) => percent.format(value),
    change: (value: number) => change.format(value),
    country: (code: string) => countries.of(code) ?? code,
    day: dates({ weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' }),
    shortDay: dates({ day: 'numeric', month: 'short' }),
    date: dates({ day: 'numeric', month: 'short', year: 'numeric' }),
    weekday: dates({ weekday: 'short' }),
    longWeekday: dates({ weekday: 'long' }),
    month: dates({ month: 'short' }),
    wholeMonth: dates({ month: 'long', year: 'numeric' }),
    hour: dates({ hour: 'numeric' }),
    time: dates({ hour: 'numeric', minute: '2-digit' }),
  }
}

export type Formats = ReturnType<typeof createFormats>

export const formatsIn = perLanguage(createFormats)
