import type { Kind } from '../links/kinds/kind.ts'
import type { Language } from '../texts/language.ts'
import { textOf } from './faults.ts'
import type { FormInput, Values } from './form.ts'
import { ownValue } from '../lib/own-value.ts'

/** The inputs of a kind's form, with what the kind says about them. */
export function kindInputs({ form, texts }: Pick<Kind, 'form' | 'texts'>, language: Language): FormInput[] {
  const { labels, hints, faults } = texts[language]
  return form.map((field) => ({
    ...field,
    label: textOf(labels, field.name),
    hint: ownValue(hints, field.name),
    faults: ownValue(faults, field.field ?? field.name),
  }))
}

/**
 * The fields that were typed into the inputs of a kind, and of further ones.
 * @param before the stored fields of the link that is changed; undefined for a new link
 */
export function fieldsOfInputs(kind: Kind, typed: Values, language: Language, before?: Values): Values {
  return kind.reading?.toFields(typed, language, before) ?? typed
}

/** What the inputs of a kind's form have for stored fields. */
export function inputsOfFields({ reading }: Kind, payload: Values): Values {
  return reading?.toInputs(payload) ?? payload
}
