import type { ConditionName } from '../../../dimensions/dimensions.ts'
import { periodOf } from '../../../links/rules/period.ts'
import { languages, locales, type ByLanguage, type Language } from '../../../texts/language.ts'
import type { SentenceTexts } from '../../../texts/rules.ts'
import { ownValue } from '../../../lib/own-value.ts'

/** The language of the sentences and their parts: the script gets them from the page. */
export interface Wording {
  language: Language
  texts: SentenceTexts
}

/** A rule as the API has it; also one that is being typed. */
export interface SpokenRule {
  when: {
    device?: string[] | undefined
    os?: string[] | undefined
    country?: string[] | undefined
    language?: string[] | undefined
    source?: string | undefined
    placement?: string[] | undefined
    from?: string | undefined
    until?: string | undefined
    weekdays?: string[] | undefined
    hours?: string[] | undefined
    timezone?: string | undefined
    after_visitors?: number | undefined
    after_scans?: number | undefined
    percent?: number | undefined
  }
  then: { target?: string | undefined; ended?: string | undefined }
}

/** Creating these takes longer than a sentence; a page has many sentences. */
function createFormats(language: Language) {
  const names = (type: 'region' | 'language') => new Intl.DisplayNames(language, { type, languageDisplay: 'standard' })
  return {
    weekday: new Intl.DateTimeFormat(locales[language], { weekday: 'long', timeZone: 'UTC' }),
    date: new Intl.DateTimeFormat(locales[language], { dateStyle: 'long', timeZone: 'UTC' }),
    percent: new Intl.NumberFormat(locales[language], { style: 'percent' }),
    list: new Intl.ListFormat(locales[language], { type: 'disjunction' }),
    region: names('region'),
    language: names('language'),
  }
}

const formats = Object.fromEntries(languages.map((language) => [language, createFormats(language)])) as ByLanguage<
  ReturnType<typeof createFormats>
>

/** The order of the days, Monday first. */
const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun']

/** A rule in one sentence. */
export function ruleSentence(rule: SpokenRule, wording: Wording): string {
  const { texts } = wording
  const { when, then } = rule
  const period = periodText(rule, wording)
  if (period !== undefined)
    return fill(periodOf(rule) === 'start' ? texts.before : texts.after, { period, ended: then.ended || texts.empty })
  const clauses = [...visitorClauses(when, wording), ...timeClauses(when, wording), ...countClauses(when, wording)]
  const conditions = clauses.length === 0 ? texts.always : clauses.join(', ')
  const answer =
    then.ended === undefined
      ? fill(texts.target, { conditions, target: then.target || texts.empty })
      : fill(texts.ended, { conditions, ended: then.ended || texts.empty })
  return answer.charAt(0).toLocaleUpperCase(wording.language) + answer.slice(1)
}

/** When a link starts or ends, of a rule that says just that. A midnight is the end of the day before. */
export function periodText(rule: SpokenRule, { language, texts }: Wording): string | undefined {
  const period = periodOf(rule)
  if (period === undefined) return undefined
  const instant = (period === 'start' ? rule.when.until : rule.when.from) ?? ''
  const isMidnight = /T00:00(?::00)?(?![:.\d])/.test(instant)
  const time = instantText(instant, language, isMidnight ? (period === 'start' ? 'day' : 'day before') : 'minute')
  return fill(period === 'start' ? texts.starts : isMidnight ? texts.lastDay : texts.ends, { time })
}

function visitorClauses(when: SpokenRule['when'], { language, texts }: Wording): string[] {
  const say = (template: string, values: string[] = [], nameOf: (value: string) => string = (value) => value) =>
    values.length > 0 ? fill(template, { list: oneOf(values.map(nameOf), language) }) : undefined
  const clauses: Record<ConditionName | 'language', string | undefined> = {
    os: say(texts.on, when.os, (name) => ownValue(texts.systems, name) ?? name),
    device: say(texts.on, when.device, (name) => ownValue(texts.devices, name) ?? name),
    country: say(texts.in, when.country, (code) => ownValue(texts.countries, code) ?? nameIn(language, 'region', code)),
    language: say(texts.speaking, when.language, (tag) => nameIn(language, 'language', tag)),
    placement: say(texts.placement, when.placement),
    source: when.source === 'qr' || when.source === 'link' ? texts[when.source] : undefined,
  }
  return Object.values(clauses).filter((clause) => clause !== undefined)
}

function timeClauses({ from, until, weekdays, hours, timezone }: SpokenRule['when'], wording: Wording): string[] {
  const { texts, language } = wording
  const clauses: string[] = []
  if (from !== undefined) clauses.push(fill(texts.from, { time: instantText(from, language) }))
  if (until !== undefined) clauses.push(fill(texts.until, { time: instantText(until, language) }))
  const local: string[] = []
  if (weekdays !== undefined && weekdays.length > 0) local.push(daysText(weekdays, wording))
  if (hours !== undefined && hours.length > 0) {
    const spans = hours.map((span) => {
      const [start = '', end = ''] = span.split('-')
      return fill(texts.span, { from: start, to: end })
    })
    local.push(fill(texts.hours, { list: oneOf(spans, language) }))
  }
  if (local.length > 0) clauses.push(fill(texts.zone, { local: local.join(', '), zone: timezone || 'UTC' }))
  return clauses
}

function countClauses(
  { after_visitors: visitors, after_scans: scans, percent }: SpokenRule['when'],
  { language, texts }: Wording,
): string[] {
  const clauses: string[] = []
  if (visitors === 1) clauses.push(texts.visitor)
  else if (visitors !== undefined) clauses.push(fill(texts.visitors, { count: visitors.toLocaleString(language) }))
  if (scans === 1) clauses.push(texts.scan)
  else if (scans !== undefined) clauses.push(fill(texts.scans, { count: scans.toLocaleString(language) }))
  if (percent !== undefined)
    clauses.push(fill(texts.percent, { percent: formats[language].percent.format(percent / 100) }))
  return clauses
}

function daysText(weekdays: string[], { language, texts }: Wording): string {
  const chosen = days.filter((day) => weekdays.includes(day))
  if (chosen.join() === 'mon,tue,wed,thu,fri') return texts.workdays
  if (chosen.join() === 'sat,sun') return texts.weekend
  return fill(texts.days, {
    list: oneOf(
      chosen.map((day) => dayName(day, language)),
      language,
    ),
  })
}

/** The name of a weekday: the 5th of January 1970 was a Monday. */
export function dayName(day: string, language: Language): string {
  return formats[language].weekday.format(Date.UTC(1970, 0, 5 + days.indexOf(day)))
}

/** The local time that the instant was written in, with its offset. */
function instantText(
  instant: string,
  language: Language,
  precision: 'minute' | 'day' | 'day before' = 'minute',
): string {
  const [, date = '', time = '', offset = ''] =
    /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d)[\d:.]*(Z|[+-]\d\d:\d\d)?/.exec(instant) ?? []
  const day = Date.parse(`${date}T00:00Z`)
  if (Number.isNaN(day)) return instant
  const shown = formats[language].date.format(precision === 'day before' ? day - 86_400_000 : day)
  const local = precision === 'minute' ? `${shown}, ${time}` : shown
  if (offset === '') return local
  return `${local} (${offset === 'Z' || /^[+-]00:00$/.test(offset) ? 'UTC' : `UTC${offset.replace(/^([+-])0?(\d+):00$/, '$1$2')}`})`
}

function oneOf(values: string[], language: Language): string {
  return formats[language].list.format(values)
}

/** The name of a country or a language; the code itself when it has none. */
export function nameIn(language: Language, type: 'region' | 'language', code: string): string {
  try {
    return formats[language][type].of(code) ?? code
  } catch {
    return code
  }
}

function fill(template: string, values: Record<string, string>): string {
  return template.replace(/\{(\w+)\}/g, (whole, name: string) => ownValue(values, name) ?? whole)
}
