import { ownValue } from '../../lib/own-value.ts'
import { kindOf } from '../../links/kinds/index.ts'
import type { Link } from '../../links/link.ts'
import type { Placement } from '../../links/placements.ts'
import type { Rule } from '../../links/rules/rule.ts'
import { historyTexts } from '../../texts/history.ts'
import type { Language } from '../../texts/language.ts'
import { rulesTexts } from '../../texts/rules.ts'
import { ruleSentence } from './rules/sentence.ts'

/** Longer values are cut: the history is for recognizing a version. */
const MAX_LENGTH = 240

/** The name of a field of a link, for people. */
export function fieldName(link: Pick<Link, 'kind'>, name: string, language: Language): string {
  const { fields, other } = historyTexts[language]
  const names: Record<string, string> = { ...fields, ...kindOf(link).texts[language].labels }
  return ownValue(names, name) ?? other
}

/** The value of a field of the API in words. */
export function fieldWords(name: string, value: unknown, language: Language): string {
  const text = wordsOf(name, value, language)
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH).toWellFormed()} …` : text
}

function wordsOf(name: string, value: unknown, language: Language): string {
  const { values } = historyTexts[language]
  if (name === 'active') return value === true ? values.active : values.paused
  if (name === 'has_password') return value === true ? values.set : values.none
  if (name === 'design') return value === null ? values.plain : values.designed
  if (typeof value === 'string') return value || values.none
  if (typeof value !== 'object' || value === null) return values.none
  return listWords(name, value, language) || values.none
}

function listWords(name: string, value: object, language: Language): string {
  if (name === 'rules') return rulesWords(value as Rule[], language)
  if (name === 'placements') return (value as Placement[]).map(({ id, name: title }) => title ?? id).join(', ')
  if (Array.isArray(value)) {
    return (value as { label: string; url: string }[]).map(({ label, url }) => `${label}: ${url}`).join(', ')
  }
  return Object.entries(value)
    .map(([key, each]) => `${key}=${String(each)}`)
    .join(', ')
}

function rulesWords(rules: Rule[], language: Language): string {
  const { sentence, off } = rulesTexts[language]
  return rules
    .map(
      (rule, at) =>
        `${at + 1}. ${ruleSentence(rule, { language, texts: sentence })}${rule.off === true ? ` (${off})` : ''}`,
    )
    .join('\n')
}
