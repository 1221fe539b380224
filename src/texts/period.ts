import type { ByLanguage } from './language.ts'

const en = {
  legend: 'Start and end',
  labels: { starts_on: 'Starts on', ends_on: 'Ends on', period_timezone: 'Time zone' },
  hints: {
    starts_on: 'the first day; leave empty to start at once',
    ends_on: 'the last day; leave empty for no end',
    period_timezone: 'of both days, for example Europe/London; empty means UTC',
  },
  /** What visitors read before the first day and after the last one. */
  starts: (day: string) => `This link starts on ${day}.`,
  ends: (day: string) => `This link was valid until ${day}.`,
}

const de: typeof en = {
  legend: 'Beginn und Ende',
  labels: { starts_on: 'Beginnt am', ends_on: 'Endet am', period_timezone: 'Zeitzone' },
  hints: {
    starts_on: 'der erste Tag; leer lassen für sofort',
    ends_on: 'der letzte Tag; leer lassen für kein Ende',
    period_timezone: 'für beide Tage; leer bedeutet Europe/Berlin',
  },
  starts: (day) => `Dieser Link gilt ab dem ${day}.`,
  ends: (day) => `Dieser Link galt bis zum ${day}.`,
}

/** The first and the last day of a link. */
export const periodTexts: ByLanguage<typeof en> = { en, de }
