import { Type, type Static, type TOptional, type TSchema, type TUnsafe } from '#typebox'
import type { Condition } from '../../dimensions/dimension.ts'
import { conditions, type ConditionName, type ConditionValues } from '../../dimensions/dimensions.ts'
import { publicUrl, requiredText } from '../../http/fields.ts'
import { RULE } from '../../http/validate.ts'

/** The rules of one link: bounds the work of a visit. */
export const MAX_RULES = 20

/** Languages of one rule. */
const MAX_LANGUAGES = 50

const instant = (description: string) =>
  Type.String({
    maxLength: 40,
    pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d(?::\\d\\d(?:\\.\\d{1,9})?)?(?:Z|[+-]\\d\\d:\\d\\d)$',
    [RULE]: 'must be an instant with its offset, such as 2026-12-31T18:00:00+01:00',
    description,
    examples: ['2026-12-31T18:00:00+01:00'],
  })

const listOf = (values: readonly string[], description: string) =>
  Type.Array(Type.Enum([...values]), { minItems: 1, maxItems: values.length, description })

/** Monday is the first day of the week (ISO 8601). */
export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

/** The schema of a condition on a dimension of the statistics. */
function conditionSchema({ description, one, names, form }: Condition): TSchema {
  if (one === true) return Type.Enum([...(names ?? [])], { description })
  if (form === undefined) return listOf(names ?? [], description)
  const item = Type.String({ ...form.schema, [RULE]: form.rule, examples: [form.example] })
  return Type.Array(item, { minItems: 1, maxItems: form.max, description })
}

type Optionals = { [Name in ConditionName]: TOptional<TUnsafe<ConditionValues[Name]>> }

const { source, ...others } = Object.fromEntries(
  conditions.map(({ name, condition }) => [name, Type.Optional(conditionSchema(condition))]),
) as Optionals

/** The conditions of a rule. Each is optional, and all that are given must be met. */
const whenSchema = Type.Object(
  {
    ...others,
    language: Type.Optional(
      Type.Array(
        Type.String({
          maxLength: 35,
          pattern: '^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,3}$',
          [RULE]: 'must be a language tag such as de or pt-BR (BCP 47)',
          examples: ['de'],
        }),
        {
          minItems: 1,
          maxItems: MAX_LANGUAGES,
          description: "The visitor's preferred language; `pt` also stands for `pt-BR`, not the other way round.",
        },
      ),
    ),
    source,
    from: Type.Optional(instant('The first instant at which the rule applies.')),
    until: Type.Optional(instant('The instant at which it ends.')),
    weekdays: Type.Optional(listOf(weekdays, 'Days of the week in `timezone`.')),
    hours: Type.Optional(
      Type.Array(
        Type.String({
          pattern: '^(?:[01]\\d|2[0-3]):[0-5]\\d-(?:(?:[01]\\d|2[0-3]):[0-5]\\d|24:00)$',
          [RULE]: 'must be a span of local time such as 09:00-17:30; one that ends before it begins passes midnight',
          examples: ['09:00-17:30'],
        }),
        { minItems: 1, maxItems: 10, description: 'Spans of local time in `timezone`; the end is not included.' },
      ),
    ),
    timezone: Type.Optional(
      Type.String({
        maxLength: 64,
        pattern: '^[A-Za-z][A-Za-z0-9_+/-]*$',
        [RULE]: 'must be an IANA time zone such as Europe/Berlin',
        description: 'An IANA time zone; required by `weekdays` and `hours`.',
        examples: ['Europe/Berlin'],
      }),
    ),
    after_visitors: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description:
          'Applies once so many people have visited the link since its creation. Each counts once a (UTC) day, by address, device, os and browser.',
      }),
    ),
    after_scans: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1_000_000_000,
        description:
          'Applies once the link, since its creation, has had so many scans by people. One visitor who reloads can reach it: see `after_visitors`.',
      }),
    ),
    percent: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 99,
        description:
          'The share of the visitors to whom the rule applies; for one visitor it is the same all (UTC) day.',
      }),
    ),
  },
  { additionalProperties: false, title: 'RuleConditions' },
)

const thenSchema = Type.Object(
  {
    target: Type.Optional(publicUrl('Where the visit leads.')),
    ended: Type.Optional(requiredText(200, 'The visit gets 410 and this text.')),
  },
  { additionalProperties: false, title: 'RuleAnswer' },
)

const ruleSchema = Type.Object(
  {
    when: whenSchema,
    then: thenSchema,
    off: Type.Optional(
      Type.Boolean({ description: 'True switches it off: no visit is answered by it. It keeps its place.' }),
    ),
  },
  { additionalProperties: false, title: 'Rule' },
)

export const exampleRule = {
  when: { os: ['iOS'], until: '2026-12-31T18:00:00+01:00' },
  then: { target: 'https://example.com/ios' },
}

/** The rules of a link, in order: the first that is met answers, else the link itself. */
export const rulesSchema = Type.Array(ruleSchema, {
  maxItems: MAX_RULES,
  title: 'Rules',
  description: 'In order: the first rule whose conditions are all met answers the visit, else the link itself.',
  examples: [[exampleRule]],
})

/** A rule as it is stored. */
export type Rule = Static<typeof ruleSchema>
export type Conditions = Rule['when']

/** The rules that are not switched off. */
export function activeRules(rules: Rule[]): Rule[] {
  return rules.filter(({ off }) => off !== true)
}
