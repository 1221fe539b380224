import { html, type Html } from '../../../http/html.ts'
import { settingsTexts } from '../../../texts/settings.ts'
import type { Action } from '../submission.ts'
import type { Notice, OwnerView } from '../view.ts'
import { cardId, ownerForm, renderCard, twoSteps } from './card.ts'
import { isFaulty, renderField } from './field.ts'
import { submit } from './submit.ts'

/** Sets, changes and removes the password. The page never has one: only its hash is stored. */
export function passwordCard(view: OwnerView, notice: Notice | undefined): Html {
  const texts = settingsTexts[view.language].password
  const isSet = view.link.password !== null
  const isRefused = notice?.at === cardId('password') && isFaulty(notice, '/password')
  const form = html`${renderField({
      name: 'password',
      label: isSet ? texts.newLabel : texts.label,
      hint: texts.hint,
      fault: isRefused ? texts.fault : undefined,
      attributes: html`type="password" autocomplete="new-password" required`,
    })}
    <button type="button" class="bare settings-reveal" hidden data-reveals="setting-password" aria-pressed="false">
      ${texts.show}
    </button>
    <button>${isSet ? texts.change : texts.button}</button>`
  const body = html`<p class="quiet">${texts.lead}</p>
    ${isSet && html`<p>${texts.set}</p>`} ${ownerForm(view, 'password', form)} ${isSet && removal(view)}`
  const state = isSet ? texts.isSet : texts.isNone
  return renderCard({ name: 'password', title: texts.title, state, tone: isSet ? undefined : 'quiet', body }, notice)
}

function removal(view: OwnerView): Html {
  const texts = settingsTexts[view.language].password
  const content = html`<p>${texts.removeLead}</p>
    <button class="alarm">${texts.removeButton}</button>`
  return twoSteps(texts.remove, ownerForm(view, 'password-removal', content))
}

const settings = { at: cardId('password'), pointers: ['/password'] }

/** What was typed is not shown again, also when it is refused. */
export const setPassword: Action = (submission) =>
  submit(settings, submission, async (owned) => {
    await submission.change(owned, { password: submission.form.get('password') ?? '' })
    return { done: 'protected', at: settings.at }
  })

export const removePassword: Action = (submission) =>
  submit(settings, submission, async (owned) => {
    await submission.change(owned, { password: null })
    return { done: 'unprotected', at: settings.at }
  })
