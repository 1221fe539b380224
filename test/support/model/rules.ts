import { ruleErrors } from '../../../src/links/rules/check.ts'
import type { Rule } from '../../../src/links/rules/rule.ts'
import { fc } from '../fast-check.ts'
import { conditions, NOON } from '../rules.ts'
import { change } from './changes.ts'
import { byToken, command, type CommandKind } from './model.ts'

const answer: fc.Arbitrary<Rule['then']> = fc.constantFrom(
  { target: 'https://example.com/by-rule' },
  { target: 'https://example.org/by-rule?a=b' },
  { ended: 'Sold out' },
)
/** A limit of scans or people by itself, which the few visits of a plan can reach. */
const limit = fc.oneof(
  fc.record({ after_scans: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ after_visitors: fc.integer({ min: 1, max: 5 }) }),
)
const when = fc.oneof({ weight: 2, arbitrary: conditions(false) }, { weight: 1, arbitrary: limit })
const rule = fc.record({ when, then: answer }).filter((each) => ruleErrors([each]).length === 0)
export const rules = fc.array(rule, { maxLength: 6 })

/** Rules that owners set. */
export const ruleChanges: CommandKind[] = [
  command('set rules', 5, { ...byToken, rules }, async (world, { rules, ...by }) => {
    await change(world, by, { rules: rules.map((each) => around(each, world.now)) })
  }),
]

/** Moves the instants of a rule, which are random around noon of one day, to around now. */
export function around({ when, then }: Rule, now: number): Rule {
  const { from, until, ...others } = when
  const moved = (instant: string) => new Date(Date.parse(instant) + now - NOON).toISOString()
  return {
    when: {
      ...others,
      ...(from !== undefined && { from: moved(from) }),
      ...(until !== undefined && { until: moved(until) }),
    },
    then,
  }
}
