import type { Kind } from '../links/kinds/kind.ts'
import type { Language } from '../texts/language.ts'
import { textOf } from './faults.ts'
import type { FormInput } from './form.ts'
import { ownValue } from '../lib/own-value.ts'

/** The inputs of a kind's form, with what the kind says about them. */
export function kindInputs({ form, texts }: Pick<Kind, 'form' | 'texts'>, language: Language): FormInput[] {
  const { labels, hints, faults } = texts[language]
  return form.map((field) => ({
    ...field,
    label: textOf(labels, field.name),
    hint: ownValue(hints, field.name),
    faults: ownValue(faults, field.name),
  }))
}
