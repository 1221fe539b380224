import { conditions, type ConditionName, type Values } from '../../dimensions/dimensions.ts'
import { destination } from '../utm.ts'
import { timeOf } from './check.ts'
import { periodOf } from './period.ts'
import { weekdays, type Conditions, type Rule } from './rule.ts'

/** Offsets of time zones change at whole quarters of an hour only, so that one look-up holds for a quarter. */
const QUARTER_MS = 900_000
const MINUTE_MS = 60_000

/**
 * The properties of a visit on which rules may depend: its values of the dimensions that have a condition, and those below. A
 * function is called at most where a rule needs its value.
 */
export interface VisitFacts extends Pick<Values, ConditionName> {
  /** Milliseconds since 1970, UTC. */
  at: number
  /** The visitor's preferred language in lower case (BCP 47). */
  language: () => string | undefined
  /** The visitor's share in a draw: see `shareOf`. */
  share: (draw: number) => number
  /** Scans by humans before this visit. */
  humanScans: () => number
  /** Whether the link has had so many people before this visit, each counted once a day. */
  hasVisitors: (number: number) => boolean
}

/** The response of a rule; `isEarly` when it says that the link starts later. */
export type Answer = { location: string } | { ended: string; isEarly?: true }

/** A rule that is met, by its number from 1. */
export interface MetRule {
  number: number
  answer: Answer
}

/** Rules of a link, compiled once, so that a visit only compares. */
export interface CompiledRules {
  /** The first rule that is met; undefined when the link itself answers. */
  find: (facts: VisitFacts) => MetRule | undefined
  /** Every response, once for each rule that is not switched off. */
  answers: Answer[]
  /** Whether a rule depends on the number of scans. */
  countHumanScans: boolean
  /** Whether a rule depends on the number of people. */
  countVisitors: boolean
}

/** A rule whose conditions a visit only compares. All have one shape, which is what makes 20 of them cheap. */
interface CompiledRule {
  /** The dimensions that it depends on, and the values that meet it. */
  values: { name: ConditionName; among: ReadonlySet<string | null>; ignoresCase: boolean }[]
  from: number
  until: number
  isLocalTime: ((at: number) => boolean) | null
  languages: { tag: string; prefix: string }[] | null
  scans: number
  visitors: number
  percent: number
  /** The number of the draw for `percent`. */
  draw: number
  met: MetRule
}

type ClockOf = (timeZone: string) => LocalClock

/** The bounds of a rule without the condition, which every number of scans or people and every share is within. */
const [NO_SCANS, NO_VISITORS, ALL_PERCENT] = [0, 0, 100]

export function compileRules(rules: Rule[], utm: Record<string, string>): CompiledRules {
  const clocks = new Map<string, LocalClock>()
  const clockOf: ClockOf = (timeZone) => {
    const clock = clocks.get(timeZone) ?? createLocalClock(timeZone)
    clocks.set(timeZone, clock)
    return clock
  }
  // A rule that is switched off keeps its number, so that the statistics still name the others rightly.
  const compiled = rules.flatMap((rule, at) =>
    rule.off === true ? [] : [compileRule(rule.when, at, answerOf(rule, utm), clockOf)],
  )
  return {
    find(facts) {
      for (const rule of compiled) {
        if (isForVisit(rule, facts) && isForVisitor(rule, facts) && isCounted(rule, facts)) return rule.met
      }
      return undefined
    },
    answers: compiled.map(({ met }) => met.answer),
    countHumanScans: compiled.some(({ scans }) => scans !== NO_SCANS),
    countVisitors: compiled.some(({ visitors }) => visitors !== NO_VISITORS),
  }
}

function compileRule(when: Conditions, at: number, answer: Answer, clockOf: ClockOf): CompiledRule {
  return {
    values: conditions.flatMap(({ name, condition: { ignoresCase = false } }) =>
      when[name] === undefined ? [] : [{ name, among: setOf([when[name]].flat(), ignoresCase), ignoresCase }],
    ),
    from: timeOf(when.from) ?? Number.NEGATIVE_INFINITY,
    until: timeOf(when.until) ?? Number.POSITIVE_INFINITY,
    isLocalTime: localTimeOf(when, clockOf),
    languages: languagesOf(when.language),
    scans: when.after_scans ?? NO_SCANS,
    visitors: when.after_visitors ?? NO_VISITORS,
    percent: when.percent ?? ALL_PERCENT,
    draw: at,
    met: { number: at + 1, answer },
  }
}

function answerOf(rule: Rule, utm: Record<string, string>): Answer {
  const { target, ended = '' } = rule.then
  if (target !== undefined) return { location: destination(target, utm) }
  return periodOf(rule) === 'start' ? { ended, isEarly: true } : { ended }
}

function isForVisit(rule: CompiledRule, { at }: VisitFacts): boolean {
  return at >= rule.from && at < rule.until && (rule.isLocalTime === null || rule.isLocalTime(at))
}

function isForVisitor(rule: CompiledRule, facts: VisitFacts): boolean {
  for (const { name, among, ignoresCase } of rule.values) {
    const value = facts[name]
    if (!among.has(ignoresCase && value !== null ? value.toLowerCase() : value)) return false
  }
  return rule.languages === null || speaks(rule.languages, facts.language())
}

function isCounted({ scans, visitors, percent, draw }: CompiledRule, facts: VisitFacts): boolean {
  return (
    (scans === NO_SCANS || facts.humanScans() >= scans) &&
    (percent === ALL_PERCENT || facts.share(draw) < percent) &&
    // Last, because it may have to wait.
    (visitors === NO_VISITORS || facts.hasVisitors(visitors))
  )
}

function setOf(values: string[], ignoresCase: boolean): ReadonlySet<string | null> {
  return new Set(ignoresCase ? values.map((value) => value.toLowerCase()) : values)
}

function localTimeOf({ weekdays: days, hours, timezone = 'UTC' }: Conditions, clockOf: ClockOf) {
  if (days === undefined && hours === undefined) return null
  const clock = clockOf(timezone)
  const isDay = weekdays.map((day) => days?.includes(day) ?? true)
  const spans = (hours ?? ['00:00-24:00']).map((span) => span.split('-').map(minutesOf) as [number, number])
  const isWithin = (minute: number) =>
    spans.some(([from, to]) => (from < to ? minute >= from && minute < to : minute >= from || minute < to))
  return (at: number) => {
    const { weekday, minute } = clock(at)
    return isDay[weekday] === true && isWithin(minute)
  }
}

function minutesOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number)
  return hours * 60 + minutes
}

function languagesOf(tags: string[] | undefined): CompiledRule['languages'] {
  return tags?.map((tag) => ({ tag: tag.toLowerCase(), prefix: `${tag.toLowerCase()}-` })) ?? null
}

/** A tag stands for itself and for what is more specific (RFC 4647, 3.3.1). */
function speaks(languages: { tag: string; prefix: string }[], spoken: string | undefined): boolean {
  if (spoken === undefined) return false
  for (const { tag, prefix } of languages) if (spoken === tag || spoken.startsWith(prefix)) return true
  return false
}

interface LocalTime {
  /** 0 is Monday (ISO 8601). */
  weekday: number
  /** Of the day, from 0. */
  minute: number
}

/** The local time at an instant, in milliseconds since 1970. */
type LocalClock = (at: number) => LocalTime

/** The clock of a time zone, cheap for times in the same quarter of an hour. */
function createLocalClock(timeZone: string): LocalClock {
  let quarter = Number.NaN
  let weekday = 0
  let start = 0
  return (at) => {
    const current = Math.floor(at / QUARTER_MS)
    if (current !== quarter) {
      const local = Temporal.Instant.fromEpochMilliseconds(current * QUARTER_MS).toZonedDateTimeISO(timeZone)
      quarter = current
      weekday = local.dayOfWeek - 1
      start = local.hour * 60 + local.minute
    }
    return { weekday, minute: start + Math.floor((at - current * QUARTER_MS) / MINUTE_MS) }
  }
}
