import { Problem } from '../../http/problem.ts'
import { html, type Html } from '../../http/html.ts'
import { kindOf } from '../../links/kinds/index.ts'
import type { OwnedLink } from '../../links/design.ts'
import { entityTag, type Link } from '../../links/link.ts'
import { ownerFields, renderFields, renderUtm, type FormInput, type Values } from '../form.ts'
import { filledFields, filledUtm } from '../form-body.ts'
import { truncateInput } from '../typed-input.ts'
import type { Action, Outcome, Submission } from './submission.ts'
import type { Notice } from './view.ts'

/** The form that changes a link. */
export function changeForm(link: Link, action: string, notice?: Notice): Html {
  const stored = { ...link.payload, target: link.target, title: link.title, campaign: link.campaign }
  const errors = notice?.problem?.errors ?? []
  return html`<form method="post" action="${action}">
    <input type="hidden" name="action" value="change" />
    <input type="hidden" name="revision" value="${link.revision}" />
    ${renderFields(changeFields(link), notice?.values ?? stored, errors)}
    ${renderUtm(kindOf(link), notice?.utm ?? link.utm, errors)}
    <button>Save</button>
  </form>`
}

function changeFields(link: Link): FormInput[] {
  const { form } = kindOf(link)
  const hasTarget = form.some(({ name }) => name === 'target')
  const target: FormInput = {
    name: 'target',
    input: 'url',
    hint: 'where the link leads when nothing above applies',
  }
  return [...form, ...(hasTarget || link.target === null ? [] : [target]), ...ownerFields]
}

/** Saves the form of a link. */
export const changeFromForm: Action = async ({ links, token, form }) => {
  const before = await links.readByToken(token)
  const fields = changeFields(before.link)
  const values = filledFields(form, fields)
  const utm = filledUtm(form, before.link.utm)
  const cleared = Object.fromEntries(fields.map(({ name }) => [name, null]))
  return save({ links, token, form }, before, { ...cleared, ...values, utm }, { values, utm })
}

/** Saves the destination alone, from the form at the top. */
export const leadFromForm: Action = async ({ links, token, form }) => {
  const before = await links.readByToken(token)
  const typed = new URLSearchParams({ target: form.get('address') ?? '' })
  const values = { target: null, ...filledFields(typed, [{ name: 'target', input: 'url' }]) }
  return save({ links, token, form }, before, values, { values, utm: before.link.utm })
}

async function save(
  { links, token, form }: Pick<Submission, 'links' | 'token' | 'form'>,
  before: OwnedLink,
  body: object,
  typed: { values: Values; utm: Record<string, string> },
): Promise<Outcome> {
  // The page may be open in two windows: the second save must not silently undo the first.
  const ifMatch = entityTag({ revision: Number(form.get('revision')) })
  try {
    await links.change(before, body, { ifMatch })
    return { done: 'saved' }
  } catch (error) {
    if (!(error instanceof Problem) || error.code === 'unknown_token') throw error
    const isOvertaken = error.code === 'precondition_failed'
    const text = isOvertaken
      ? 'This link was changed elsewhere since you opened this page. Your changes are below: save again to overwrite the other ones.'
      : ''
    return { refused: { owned: await links.readByToken(token), text, ...truncateInput({ ...typed, problem: error }) } }
  }
}
