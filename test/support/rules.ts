// Rules read one by one, as their documentation describes them, and random rules for properties.
import { fc } from './fast-check.ts'
import type { VisitFacts } from '../../src/links/rules/compile.ts'
import { weekdays, type Conditions, type Rule } from '../../src/links/rules/rule.ts'

const HOUR = 3_600_000
export const NOON = Date.UTC(2026, 10, 22, 12)

/** The number of the first rule that is met, from 1; undefined when none is. */
export function interpret(rules: Rule[], visit: VisitFacts): number | undefined {
  const local = (timeZone: string) => Temporal.Instant.fromEpochMilliseconds(visit.at).toZonedDateTimeISO(timeZone)
  const isMet = ({ when, off }: Rule, at: number): boolean => {
    const zone = when.timezone ?? 'UTC'
    const time = local(zone).toPlainTime().toString().slice(0, 5)
    const spoken = visit.language() ?? ''
    const checks = [
      off !== true,
      when.device?.some((device) => device === visit.device),
      when.os?.some((os) => os === visit.os),
      when.country?.some((country) => country === visit.country),
      when.source === undefined ? undefined : when.source === visit.source,
      when.language?.some((tag) => `${spoken}-`.startsWith(`${tag.toLowerCase()}-`)),
      when.from === undefined ? undefined : Date.parse(when.from) <= visit.at,
      when.until === undefined ? undefined : visit.at < Date.parse(when.until),
      when.weekdays?.includes(weekdays[local(zone).dayOfWeek - 1] ?? 'mon'),
      when.hours?.some((span) => {
        const [from = '', until = ''] = span.split('-')
        return from < until ? from <= time && time < until : from <= time || time < until
      }),
      when.after_scans === undefined ? undefined : visit.humanScans() >= when.after_scans,
      when.after_visitors === undefined ? undefined : visit.hasVisitors(when.after_visitors),
      when.percent === undefined ? undefined : visit.share(at) < when.percent,
    ]
    return checks.every((check) => check !== false)
  }
  const found = rules.findIndex(isMet)
  return found === -1 ? undefined : found + 1
}

const zones = ['UTC', 'Europe/Berlin', 'Asia/Kolkata', 'America/St_Johns', 'Pacific/Chatham', 'Australia/Lord_Howe']
const some = <T>(values: readonly T[]) => fc.subarray([...values], { minLength: 1 })
const clock = fc.tuple(fc.nat(23), fc.nat(59)).map((parts) => parts.map((n) => String(n).padStart(2, '0')).join(':'))
const instant = fc
  .tuple(fc.integer({ min: NOON - 100 * HOUR, max: NOON + 100 * HOUR }), fc.constantFrom('+00:00', '-03:30', '+13:45'))
  .map(([at, offset]) => `${new Date(at).toISOString().slice(0, 16)}${offset}`)
const optional = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })
/** Conditions that many visits meet. `percent` is left out where a test cannot know the visitor's share. */
export const conditions = (withPercent: boolean): fc.Arbitrary<Conditions> =>
  fc
    .record({
      device: optional(some(['mobile', 'tablet', 'desktop'] as const)),
      os: optional(some(['iOS', 'Android', 'Windows'] as const)),
      country: optional(some(['DE', 'AT', 'US'])),
      source: optional(fc.constantFrom('qr' as const, 'link' as const)),
      language: optional(some(['de', 'de-AT', 'pt-BR', 'en'])),
      from: optional(instant),
      until: optional(instant),
      local: optional(
        fc.record({
          timezone: fc.constantFrom(...zones),
          weekdays: optional(some(weekdays)),
          hours: optional(
            fc.array(
              fc
                .tuple(clock, clock)
                .filter(([from, until]) => from !== until)
                .map((span) => span.join('-')),
              { minLength: 1, maxLength: 3 },
            ),
          ),
        }),
      ),
      after_scans: optional(fc.integer({ min: 1, max: 20 })),
      after_visitors: optional(fc.integer({ min: 1, max: 10 })),
      ...(withPercent && { percent: optional(fc.integer({ min: 1, max: 99 })) }),
    })
    .map(({ local, ...plain }) => JSON.parse(JSON.stringify({ ...plain, ...local })) as Conditions)
