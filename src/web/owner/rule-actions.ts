import { isUnknown } from './access.ts'
import { isDeepStrictEqual } from 'node:util'
import { Problem } from '../../http/problem.ts'
import type { OwnedLink } from '../../links/design.ts'
import type { Rule } from '../../links/rules/rule.ts'
import { ruleEditorTexts } from '../../texts/rule-editor.ts'
import { rulesTexts } from '../../texts/rules.ts'
import type { Language } from '../../texts/language.ts'
import { withScheme } from '../../lib/with-scheme.ts'
import { refusalText } from '../faults.ts'
import { ifMatchOf, type Action, type Outcome, type Submission } from './submission.ts'
import { readRule, type RuleField, type TypedValues } from './rules/read-rule.ts'
import type { RefusedRule } from './rules/refused-rule.ts'
import { instantsOf } from './rules/rule-values.ts'

/** What the buttons of the list and the editor do, by the field `action`. */
export const ruleActions: Record<string, Action> = {
  'rule-up': (submission) =>
    changeRules(submission, (rules, at) => rules.with(at, ruleAt(rules, at - 1)).with(at - 1, ruleAt(rules, at))),
  'rule-down': (submission) =>
    changeRules(submission, (rules, at) => rules.with(at, ruleAt(rules, at + 1)).with(at + 1, ruleAt(rules, at))),
  'rule-off': (submission) =>
    changeRules(submission, (rules, at) => rules.with(at, { ...ruleAt(rules, at), off: true })),
  'rule-on': (submission) =>
    changeRules(submission, (rules, at) => {
      const { off: _off, ...rule } = ruleAt(rules, at)
      return rules.with(at, rule)
    }),
  'rule-remove': (submission) => changeRules(submission, (rules, at) => rules.toSpliced(at, 1)),
  rule: saveRule,
}

/** @throws {Problem} 400 for a number that no rule has */
function ruleAt(rules: Rule[], at: number): Rule {
  const rule = Number.isInteger(at) ? rules[at] : undefined
  if (rule === undefined) throw new Problem('invalid_request', 'the link has no rule of this number')
  return rule
}

async function changeRules(submission: Submission, edit: (rules: Rule[], at: number) => Rule[]): Promise<Outcome> {
  const { links, access, form } = submission
  const owned = await links.readByToken(access.credential)
  return save(submission, owned, () => {
    const number = form.get('rule') ?? ''
    const at = /^\d{1,3}$/.test(number) ? Number(number) : Number.NaN
    return edit(owned.link.rules, ruleAt(owned.link.rules, at) && at)
  })
}

async function saveRule(submission: Submission): Promise<Outcome> {
  const { links, access, form, language } = submission
  const typed: TypedValues = (name) =>
    form
      .getAll(name)
      .slice(0, 100)
      .map((text) => text.slice(0, 4_000).toWellFormed())
  const stored = form.get('stored') ?? undefined
  const owned = await links.readByToken(access.credential)
  const { rules } = owned.link
  const at = rules.findIndex((each) => JSON.stringify(each) === stored)
  const { rule, faults } = readRule(typed, { language, instantOf: instantsOf(rules[at]) })
  if (rule.then.target !== undefined) rule.then.target = withScheme(rule.then.target)
  if (rule.then.target === '') faults.push('target')
  if (rule.then.ended === '') faults.push('ended')
  const refused = { values: typed, faults, stored }
  if (faults.length > 0) {
    const problem = new Problem('invalid_request', 'the rule has invalid fields')
    return { refused: { owned, at: 'rules', text: rulesTexts[language].notSaved, problem, rule: refused } }
  }
  const isOff = rules[at]?.off === true
  const next = { ...rule, ...(isOff && { off: true }) } as Rule
  return save(submission, owned, () => (at === -1 ? [...rules, next] : rules.with(at, next)), refused)
}

async function save(
  { links, change, access, form, language }: Submission,
  owned: OwnedLink,
  rulesOf: () => Rule[],
  typed?: RefusedRule,
): Promise<Outcome> {
  try {
    const isPresent = form.get('revision') === String(owned.link.revision)
    const rules = isPresent ? rulesOf() : []
    await change(owned, { rules }, { ifMatch: ifMatchOf(form) })
    return { done: 'ruled', at: 'rules' }
  } catch (error) {
    if (!(error instanceof Problem) || isUnknown(error)) throw error
    const present = await links.readByToken(access.credential)
    if (error.code === 'precondition_failed' && typed?.stored === undefined && wasSaved(present, typed && rulesOf())) {
      return { done: 'ruled', at: 'rules' }
    }
    return { refused: { owned: present, at: 'rules', problem: error, ...explain(error, language, typed) } }
  }
}

/** Whether a new rule is stored already: a second click sends it again. */
function wasSaved({ link }: OwnedLink, rules: Rule[] | undefined): boolean {
  const added = rules?.at(-1)
  return added !== undefined && link.rules.some((rule) => isDeepStrictEqual(rule, added))
}

function explain(
  problem: Problem,
  language: Language,
  typed: RefusedRule | undefined,
): { text: string; rule?: RefusedRule } {
  const texts = rulesTexts[language]
  const isOvertaken = problem.code === 'precondition_failed'
  const fallback = refusalText(problem, language)
  if (typed === undefined) return { text: isOvertaken ? texts.overtaken : fallback }
  const errors = errorsOf(problem)
  const rule = { ...typed, faults: Object.keys(errors) as RuleField[], errors }
  if (isOvertaken) return { text: texts.overtakenEdit, rule }
  return { text: rule.faults.length > 0 ? texts.notSaved : fallback, rule }
}

/** The first error of each field of the editor: the last names of the pointers that are fields. */
function errorsOf({ errors }: Problem): NonNullable<RefusedRule['errors']> {
  const byField: NonNullable<RefusedRule['errors']> = {}
  for (const error of errors) {
    const name = error.pointer.split('/')[4] ?? ''
    if (isRuleField(name)) byField[name] ??= error
  }
  return byField
}

function isRuleField(name: string): name is RuleField {
  return name === 'target' || name === 'ended' || Object.hasOwn(ruleEditorTexts.en.faults, name)
}
