import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fc } from '../../../test/support/fast-check.ts'
import { conditions, interpret, NOON } from '../../../test/support/rules.ts'
import { seededRandom } from '../../../test/support/random.ts'
import { createValidator } from '../../http/validate.ts'
import { ruleErrors } from './check.ts'
import { compileRules, type VisitFacts } from './compile.ts'
import { preferredLanguage } from './language.ts'
import { shareOf } from './share.ts'
import { rulesSchema, type Conditions, type Rule } from './rule.ts'
import { noValues } from '../../../test/support/no-values.ts'

const validate = createValidator(rulesSchema)
const HOUR = 3_600_000

const to = (target: string): Rule['then'] => ({ target })
const facts = (more: Partial<VisitFacts> = {}): VisitFacts => ({
  ...noValues,
  at: NOON,
  device: 'mobile',
  os: 'iOS',
  country: 'DE',
  source: 'qr',
  language: () => 'de-at',
  share: () => 50,
  humanScans: () => 10,
  hasVisitors: (number) => number <= 5,
  ...more,
})
const meets = (when: Conditions, more: Partial<VisitFacts> = {}) =>
  compileRules([{ when, then: to('https://a.example/') }], {}).find(facts(more)) !== undefined

test('a rule without conditions always applies, and the first that applies answers', () => {
  const { find } = compileRules(
    [
      { when: { source: 'link' }, then: to('https://a.example/') },
      { when: {}, then: { ended: 'Sold out' } },
      { when: {}, then: to('https://b.example/') },
    ],
    { utm_source: 'x' },
  )
  assert.deepEqual(find(facts()), { number: 2, answer: { ended: 'Sold out' } })
  assert.deepEqual(find(facts({ source: 'link' })), {
    number: 1,
    answer: { location: 'https://a.example/?utm_source=x' },
  })
})

test('each condition is met by what it names only', () => {
  assert.ok(meets({ device: ['tablet', 'mobile'] }) && !meets({ device: ['desktop'] }))
  assert.ok(!meets({ device: ['mobile'] }, { device: null }), 'an unknown device meets no list')
  assert.ok(meets({ os: ['iOS'] }) && !meets({ os: ['Android'] }))
  assert.ok(meets({ country: ['AT', 'DE'] }) && !meets({ country: ['AT'] }))
  assert.ok(meets({ source: 'qr' }) && !meets({ source: 'link' }))
  assert.ok(meets({ after_scans: 10 }) && !meets({ after_scans: 11 }))
  assert.ok(meets({ after_visitors: 5 }) && !meets({ after_visitors: 6 }))
  assert.ok(meets({ percent: 51 }) && !meets({ percent: 50 }))
})

test('from is included and until is not, at any offset', () => {
  const at = (text: string) => Date.parse(text)
  const when = { from: '2026-11-22T13:00:00+01:00', until: '2026-11-22T18:00+05:00' }
  assert.ok(!meets(when, { at: at('2026-11-22T11:59:59.999Z') }))
  assert.ok(meets(when, { at: at('2026-11-22T12:00:00Z') }))
  assert.ok(meets(when, { at: at('2026-11-22T12:59:59.999Z') }))
  assert.ok(!meets(when, { at: at('2026-11-22T13:00:00Z') }))
})

test('a language stands for itself and its variants, of the visitor the preferred one counts', () => {
  assert.ok(meets({ language: ['de'] }) && meets({ language: ['DE-AT'] }) && !meets({ language: ['de-CH'] }))
  assert.ok(!meets({ language: ['d'] }) && !meets({ language: ['de'] }, { language: () => undefined }))
  assert.ok(!meets({ language: ['de'] }, { language: () => 'den' }), 'another language that begins alike')
  for (const [header, language] of [
    [undefined, undefined],
    ['', undefined],
    ['*', undefined],
    ['de-AT,de;q=0.9,en;q=0.8', 'de-at'],
    ['en;q=0.5, fr;q=0.9, *;q=0.1', 'fr'],
    ['en;q=0, pt-BR;q=0.001', 'pt-br'],
    ['de;q=high,en;q=0.1', 'en'],
    ['x'.repeat(501), undefined],
  ] as [string | undefined, string | undefined][]) {
    assert.equal(preferredLanguage(header), language, header ?? 'none')
  }
})

test('a span of hours that ends before it begins passes midnight, and 24:00 ends a day', () => {
  const at = (hour: number, minute = 0) => ({ at: Date.UTC(2026, 10, 22, hour, minute) })
  const night = { hours: ['22:00-02:00'], timezone: 'UTC' }
  assert.deepEqual(
    [21, 22, 23, 0, 1, 2].map((hour) => meets(night, at(hour))),
    [false, true, true, true, true, false],
  )
  const evening = { hours: ['09:00-12:00', '18:30-24:00'], timezone: 'UTC' }
  assert.ok(
    meets(evening, at(23, 59)) && !meets(evening, at(0)) && !meets(evening, at(18, 29)) && meets(evening, at(9)),
  )
})

test('local time follows the change of the clocks', () => {
  const when = { hours: ['02:30-03:30'], timezone: 'Europe/Berlin' }
  // In the night of 25 October 2026, 02:30 comes twice; on 29 March, never.
  const met = (from: number) =>
    Array.from({ length: 16 }, (_, at) => from + at * 900_000).filter((at) => meets(when, { at })).length
  assert.equal(met(Date.UTC(2026, 9, 24, 23)), 6)
  assert.equal(met(Date.UTC(2026, 2, 28, 23)), 2)
})

test('a faulty list of rules is refused with the field and the bound', () => {
  const errors = (rules: unknown) => {
    const found = validate(rules).map(({ pointer, detail }) => `/rules${pointer} ${detail}`)
    return found.length > 0 ? found : ruleErrors(rules as Rule[]).map(({ pointer, detail }) => `${pointer} ${detail}`)
  }
  const rule = (when: object, then: object = to('https://a.example/')) => [{ when, then }]
  assert.deepEqual(errors(rule({})), [])
  assert.match(errors(Array.from({ length: 21 }, () => rule({})[0])).join(), /must hold at most 20 items/)
  assert.match(errors(rule({ weather: 'rain' })).join(), /\/rules\/0\/when\/weather is not a field; known are device,/)
  assert.match(errors(rule({ device: [] })).join(), /\/rules\/0\/when\/device/)
  assert.match(errors(rule({ device: ['phone'] })).join(), /\/rules\/0\/when\/device\/0 must be one of console,/)
  assert.match(errors(rule({ country: ['de'] })).join(), /two capital letters/)
  assert.match(errors(rule({ country: ['QQ'] })).join(), /country\/0 is not a country code/)
  assert.match(errors(rule({ from: '2026-12-31' })).join(), /with its offset/)
  assert.match(errors(rule({ from: '2026-02-30T00:00Z' })).join(), /from is not a time that exists/)
  assert.match(
    errors(rule({ from: '2026-12-31T00:00Z', until: '2026-12-31T01:00+01:00' })).join(),
    /until must be later than from/,
  )
  assert.match(errors(rule({ hours: ['09:00-17:00'] })).join(), /timezone is required/)
  assert.match(errors(rule({ timezone: 'UTC' })).join(), /only of use with/)
  assert.match(errors(rule({ weekdays: ['mon'], timezone: 'Mars/Olympus' })).join(), /IANA time zone/)
  for (const timezone of ['T0000+0537', 'T00Z']) {
    assert.match(errors(rule({ weekdays: ['mon'], timezone })).join(), /IANA time zone/, timezone)
  }
  for (const timezone of ['utc', 'EUROPE/Berlin', 'Asia/Calcutta', 'US/Pacific', 'Etc/GMT+5', 'GMT']) {
    assert.deepEqual(errors(rule({ weekdays: ['mon'], timezone })), [], timezone)
  }
  assert.match(errors(rule({ hours: ['9-17'], timezone: 'UTC' })).join(), /span of local time/)
  assert.match(errors(rule({ hours: ['09:00-09:00'], timezone: 'UTC' })).join(), /hours\/0 must not begin and end/)
  assert.match(errors(rule({ percent: 100 })).join(), /must be at most 99/)
  assert.match(errors(rule({ after_scans: 0.5 })).join(), /whole number/)
  assert.match(errors(rule({}, {})).join(), /then must have either target or ended/)
  assert.match(errors(rule({}, { target: 'https://a.example/', ended: 'x' })).join(), /either target or ended/)
  assert.match(errors(rule({}, { ended: ' ' })).join(), /must not be blank/)
  assert.match(errors(rule({}, { ended: 'x'.repeat(201) })).join(), /at most 200 characters/)
})

test('shares of visitors are uniform, and those of one visitor in two draws are independent', (t) => {
  const random = seededRandom(t)
  const visitors = Array.from({ length: 20_000 }, () => Math.floor(random() * 2 ** 48))
  for (const [a, b] of [
    [0, 1],
    [1, 2],
    [0, 19],
    [7, 8],
  ] as const) {
    const cells = Array.from({ length: 16 }, () => 0)
    for (const visitor of visitors) {
      const [first, second] = [shareOf(visitor, a), shareOf(visitor, b)]
      assert.ok(first >= 0 && first < 100)
      const cell = Math.floor(first / 25) * 4 + Math.floor(second / 25)
      cells[cell] = (cells[cell] ?? 0) + 1
    }
    // 1,250 are expected in each cell, with a standard deviation of 34.
    for (const count of cells) assert.ok(Math.abs(count - 1250) < 6 * 34, `${a}, ${b}: ${cells.join()}`)
  }
})

test('compiled rules decide as an interpreter that reads them one by one: 10,000 random visits', () => {
  const visit = fc.record({
    at: fc.integer({ min: NOON - 4000 * HOUR, max: NOON + 4000 * HOUR }),
    device: fc.constantFrom('mobile', 'tablet', 'desktop', null),
    os: fc.constantFrom('iOS', 'Android', 'Windows', null),
    country: fc.constantFrom('DE', 'AT', 'US', 'FR', null),
    source: fc.constantFrom('qr' as const, 'link' as const),
    spoken: fc.constantFrom('de', 'de-at', 'de-at-1996', 'pt-br', 'pt', 'en', undefined),
    shares: fc.array(fc.double({ min: 0, max: 99.999, noNaN: true }), { minLength: 20, maxLength: 20 }),
    count: fc.nat(25),
  })
  fc.assert(
    fc.property(
      fc.array(conditions(true), { maxLength: 20 }),
      fc.array(visit, { minLength: 20, maxLength: 20 }),
      (whens, visits) => {
        const rules = whens.map((each, at) => ({ when: each, then: to(`https://example.com/${at}`) }))
        const { find } = compileRules(rules, {})
        for (const { spoken, shares, count, ...plain } of visits) {
          const each = {
            ...noValues,
            ...plain,
            language: () => spoken,
            share: (draw: number) => shares[draw] ?? 0,
            humanScans: () => count,
            hasVisitors: (number: number) => number <= count / 2,
          }
          assert.equal(find(each)?.number, interpret(rules, each))
        }
      },
    ),
    { numRuns: 500 },
  )
})
