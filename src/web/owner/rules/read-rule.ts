import type { Language } from '../../../texts/language.ts'
import { countryCodes } from '../../../lib/countries.ts'
import { nameIn, type SpokenRule } from './sentence.ts'

/** The fields of the editor that have a fault text of their own. */
export type RuleField = keyof SpokenRule['when'] | 'target' | 'ended'

export interface ReadRule {
  rule: SpokenRule
  /** Fields whose text cannot be read. */
  faults: RuleField[]
}

/** What the form has under a name. */
export type TypedValues = (name: string) => string[]

export interface ReadOptions {
  /** The language in which names of countries and languages are written. */
  language: Language
  /** The instant of a local time; undefined when there is none. */
  instantOf: (local: string, timezone: string, name: 'from' | 'until') => string | undefined
}

/** Longer than any list that a rule may hold. */
const MAX_TEXT = 4_000

/** Languages whose names can be typed; others have abbreviations. */
const languageCodes = (
  'ar bg bn bs ca cs da de el en es et fa fi fr ga he hi hr hu id is it ja ka ko lt lv mk ms mt nb nl nn no pl pt ro ru ' +
  'sk sl sq sr sv sw th tr uk ur vi zh'
).split(' ')

/** The rule that the editor's form describes. */
export function readRule(typed: TypedValues, options: ReadOptions): ReadRule {
  const faults: RuleField[] = []
  const text = (name: string) => typed(name)[0]?.replaceAll('\r\n', '\n').trim().slice(0, MAX_TEXT) ?? ''
  /** Reads a text unless it is empty. */
  const read = <T>(name: RuleField, parse: (value: string) => T | undefined): T | undefined => {
    if (text(name) === '') return undefined
    const value = parse(text(name))
    if (value === undefined) faults.push(name)
    return value
  }
  const choices = (name: string) => (typed(name).length > 0 ? typed(name) : undefined)
  const { language } = options
  const timezone = text('timezone') || 'UTC'
  const instant = (name: 'from' | 'until') => read(name, (local) => options.instantOf(local, timezone, name))
  const weekdays = choices('weekdays')
  const hours = read('hours', (value) => readList(value, readSpan))
  const when: Required<SpokenRule['when']> = {
    device: choices('device'),
    os: choices('os'),
    country: read('country', (value) => readList(value, codesByName(countryCodes, 'region', language))),
    language: read('language', (value) => readList(value, codesByName(languageCodes, 'language', language))),
    source: text('source') || undefined,
    placement: read('placement', (value) => readList(value, readId)),
    from: instant('from'),
    until: instant('until'),
    weekdays,
    hours,
    timezone: weekdays === undefined && hours === undefined ? undefined : timezone,
    after_visitors: read('after_visitors', readNumber),
    after_scans: read('after_scans', readNumber),
    percent: read('percent', readNumber),
  }
  const then = text('answer') === 'ended' ? { ended: text('ended') } : { target: text('target') }
  return { rule: { when: defined(when), then }, faults }
}

/** The items of a text with commas; undefined when one of them cannot be read. */
function readList(text: string, read: (item: string) => string | undefined): string[] | undefined {
  const items = text
    .split(',')
    .map((item) => item.trim())
    .filter(Boolean)
  const values = items.map(read).filter((value) => value !== undefined)
  return values.length > 0 && values.length === items.length ? [...new Set(values)] : undefined
}

/** The id of a placement. */
function readId(text: string): string | undefined {
  return /^[\w-]{1,32}$/.test(text) ? text : undefined
}

/** A whole number, also with separators between its thousands. */
function readNumber(text: string): number | undefined {
  const digits = text.replace(/[.,\s]/g, '')
  return /^\d{1,12}$/.test(digits) ? Number(digits) : undefined
}

function defined(when: SpokenRule['when']): SpokenRule['when'] {
  return Object.fromEntries(Object.entries(when).filter(([, value]) => value !== undefined))
}

/** Reads names, and codes as the API has them. */
function codesByName(codes: Iterable<string>, type: 'region' | 'language', language: Language) {
  let byName: Map<string, string> | undefined
  return (item: string): string | undefined => {
    if (type === 'region' && countryCodes.has(item.toUpperCase())) return item.toUpperCase()
    if (type === 'language' && /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,3}$/.test(item)) return item
    byName ??= new Map([...codes].map((code) => [nameIn(language, type, code).toLowerCase(), code]))
    return byName.get(item.toLowerCase())
  }
}

/** A span of hours such as 9-17 or 09:00–17:30, as the API has it. */
function readSpan(text: string): string | undefined {
  const [, from = '', fromMinutes = '00', to = '', toMinutes = '00'] =
    /^(\d{1,2})(?:[:.](\d\d))?\s*[-–]\s*(\d{1,2})(?:[:.](\d\d))?$/.exec(text) ?? []
  if (from === '') return undefined
  return `${from.padStart(2, '0')}:${fromMinutes}-${to.padStart(2, '0')}:${toMinutes}`
}
