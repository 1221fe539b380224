import type { ByLanguage } from './language.ts'

const en = {
  legend: 'Start and end',
  /** What visitors read before the first day and after the last one. */
  starts: (day: string) => `This link starts on ${day}.`,
  ends: (day: string) => `This link was valid until ${day}.`,
}

const de: typeof en = {
  legend: 'Beginn und Ende',
  starts: (day) => `Dieser Link gilt ab dem ${day}.`,
  ends: (day) => `Dieser Link galt bis zum ${day}.`,
}

/** The first and the last day of a link. */
export const periodTexts: ByLanguage<typeof en> = { en, de }
