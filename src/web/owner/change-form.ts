import { isUnknown } from './access.ts'
import { Problem } from '../../http/problem.ts'
import { html, type Html } from '../../http/html.ts'
import { kindOf } from '../../links/kinds/index.ts'
import type { OwnedLink } from '../../links/design.ts'
import type { Link } from '../../links/link.ts'
import type { Language } from '../../texts/language.ts'
import { ownerTexts } from '../../texts/owner.ts'
import { historyTexts } from '../../texts/history.ts'
import { problemText, renderFields, renderUtm, type FormInput, type Values } from '../form.ts'
import { filledFields, filledUtm } from '../form-body.ts'
import { fieldsOfInputs, inputsOfFields, kindInputs } from '../kind-inputs.ts'
import { withScheme } from '../../lib/with-scheme.ts'
import { truncateInput } from '../typed-input.ts'
import { ifMatchOf, type Action, type Outcome, type Submission } from './submission.ts'
import type { Notice, OwnerView } from './view.ts'

/** The form that changes a link. */
export function changeForm({ link, access, formKey, language }: OwnerView, notice?: Notice): Html {
  const stored = { ...inputsOfFields(kindOf(link), link.payload), target: link.target }
  const errors = notice?.problem?.errors ?? []
  return html`<form method="post" action="${access.page}">
    <input type="hidden" name="action" value="change" />
    <input type="hidden" name="idempotency_key" value="${formKey}" />
    <input type="hidden" name="revision" value="${link.revision}" />
    ${renderFields(changeFields(link, language), notice?.values ?? stored, errors, { language })}
    ${renderUtm(kindOf(link), notice?.utm ?? link.utm, errors, { language, focus: false })}
    <button>${ownerTexts[language].save}</button>
  </form>`
}

function changeFields(link: Link, language: Language): FormInput[] {
  const inputs = kindInputs(kindOf(link), language)
  const hasTarget = inputs.some(({ name }) => name === 'target')
  const target: FormInput = {
    name: 'target',
    input: 'url',
    hint: ownerTexts[language].otherwise,
  }
  return [...inputs, ...(hasTarget || link.target === null ? [] : [target])]
}

/** Saves the form of a link. */
export const changeFromForm: Action = async (submission) => {
  const { links, access, form, language } = submission
  const before = await links.readByToken(access.credential)
  const fields = changeFields(before.link, language)
  const values = filledFields(form, fields)
  const utm = filledUtm(form, before.link.utm)
  const read = fieldsOfInputs(kindOf(before.link), values, language, before.link.payload)
  const cleared = Object.fromEntries(fields.map(({ name, field = name }) => [field, null]))
  return save(submission, before, { ...cleared, ...read, utm }, { at: 'destination', values, utm })
}

/** Saves the destination alone, from the form at the top. */
export const leadFromForm: Action = async (submission) => {
  const { links, access, form } = submission
  const before = await links.readByToken(access.credential)
  const target = withScheme(form.get('address') ?? '') || null
  return save(submission, before, { target }, { at: 'lead', values: { target: target ?? '' }, utm: before.link.utm })
}

interface Typed {
  /** The id of the element that shows what was refused. */
  at: string
  values: Values
  utm: Record<string, string>
}

async function save(
  { links, change, access, form, language }: Submission,
  before: OwnedLink,
  body: object,
  { at, values, utm }: Typed,
): Promise<Outcome> {
  try {
    await change(before, body, { ifMatch: ifMatchOf(form) })
    return { done: 'saved' }
  } catch (error) {
    if (!(error instanceof Problem) || isUnknown(error)) throw error
    const isOvertaken = error.code === 'precondition_failed'
    const text = isOvertaken ? historyTexts[language].conflict.text : problemText(error, language)
    const owned = await links.readByToken(access.credential)
    return { refused: { owned, at, text, ...truncateInput({ values, utm, problem: error }) } }
  }
}
