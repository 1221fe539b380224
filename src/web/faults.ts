import type { FaultTexts } from '../links/kinds/kind.ts'
import { REASON, type FieldError, type Problem } from '../http/problem.ts'
import { fieldTexts } from '../texts/fields.ts'
import type { Language } from '../texts/language.ts'
import { problemTexts } from '../texts/problems.ts'
import { ownValue } from '../lib/own-value.ts'

/**
 * What is wrong with a field, in words for people.
 * @param own the texts of the field's kind, which precede the general ones
 */
export function faultText(
  { pointer, detail, [REASON]: reason }: FieldError,
  language: Language,
  own?: FaultTexts,
): string {
  const { required, faults } = fieldTexts[language]
  const field = pointer.slice(pointer.lastIndexOf('/') + 1)
  if (reason === undefined) return faults.unknown(detail)
  const said = own?.[reason.name]
  if (said !== undefined) return said
  if (reason.name === 'required') return textOf(required, field) ?? faults.required
  if (reason.name === 'pattern' && field === 'alias') return faults.code
  const text = faults[reason.name]
  return typeof text === 'string' ? text : text(reason.limit ?? 0, reason.text ?? '')
}

/** Why a form was refused for another reason than its fields. */
export function refusalText({ code, headers }: Problem, language: Language): string {
  const { refused } = fieldTexts[language]
  if (code === 'rate_limited')
    return refused.rate_limited(Math.max(1, Math.ceil(Number(headers['retry-after'] ?? 60) / 60)))
  return code === 'unavailable' ? refused.unavailable : `${problemTexts[language].titles[code]}.`
}

/** The text of this name, if there is one. */
export function textOf(texts: Record<string, string>, name: string): string | undefined {
  return ownValue(texts, name)
}
